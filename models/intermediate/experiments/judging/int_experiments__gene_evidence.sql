-- The evidence of genes: of each disease, of a series of diseases, of a named disease family, and
-- of a name made of a gene.
with pairs as (
    select * from {{ ref('int_experiments__judged_pairs') }}
),

readings as (
    select * from {{ ref('int_experiments__diagnosis_readings') }}
),

gold_names as (
    select * from {{ ref('int_experiments__gold_names') }}
),

concepts as (
    select * from {{ ref('int_experiments__diagnosis_concepts') }}
    where vocabulary = 'disease'
),

gold_concepts as (
    select * from {{ ref('int_experiments__gold_concepts') }}
    where vocabulary = 'disease'
),

disease_genes as (
    select * from {{ ref('bridge_disease_gene') }}
),

genes as (
    select
        disease_id,
        list(gene_symbol) as symbols,
    from disease_genes
    group by all
),

-- 'long QT syndrome' is the series of its numbered members, and has the genes of all of them. A
-- name without a mark of its own can be the name of a series
series as (
    select
        profiles.core,
        list_distinct(flatten(list(genes.symbols))) as symbols,
    from {{ ref('dim_concept_alias') }} as aliases
    inner join {{ ref('int_experiments__name_profiles') }} as profiles
        on
            aliases.alias_normalised = profiles.name
            and profiles.series_marks is not null
            and profiles.core != ''
    inner join genes on aliases.concept_id = genes.disease_id
    where aliases.vocabulary = 'disease' and aliases.scope in ('preferred', 'exact')
    group by all
),

series_names as (
    select
        profiles.name,
        series.symbols,
    from {{ ref('int_experiments__name_profiles') }} as profiles
    inner join series using (core)
    where profiles.series_marks is null
),

-- two names of one set of genes: a disease of many genes under its eponym and under its series
gene_sets as (
    select
        pairs.gold_key,
        pairs.reading_key,
        concepts.is_alternative,
        genes.symbols,
        golds.symbols as gold_symbols,
    from pairs
    inner join concepts using (reading_key)
    inner join gold_concepts using (gold_key)
    inner join genes on concepts.concept_id = genes.disease_id
    inner join genes as golds on gold_concepts.concept_id = golds.disease_id
    where concepts.is_exact or gold_concepts.is_exact
    union all
    select
        pairs.gold_key,
        pairs.reading_key,
        readings.is_alternative,
        series_names.symbols,
        golds.symbols as gold_symbols,
    from pairs
    inner join readings using (reading_key)
    inner join series_names on readings.reading = series_names.name
    inner join gold_concepts using (gold_key)
    inner join genes as golds on gold_concepts.concept_id = golds.disease_id
    where
        len(series_names.symbols) >= {{ parameter('gene_set_size') }}
        and gold_concepts.is_exact
),

gene_pairs as (
    select
        *,
        list_intersect(symbols, gold_symbols) as shared,
        len(shared) / len(list_distinct(symbols || gold_symbols)) as overlap,
        len(shared) / least(len(symbols), len(gold_symbols)) as share_of_smaller,
    from gene_sets
),

-- what Mondo has apart is not one disease for its genes: essential thrombocythemia, myelofibrosis
unlinked_pairs as (
    select
        gold_key,
        reading_key,
    from ({{ two_diseases() }})
    where not is_linked
),

-- one gene on either side, and the words of one name in the other: 'myotonic dystrophy 1' and
-- 'Steinert myotonic dystrophy'. Acquired hemophilia A has the words and the gene, and is another
-- disease by Mondo
same_gene_and_words as (
    select gene_pairs.*
    from gene_pairs
    anti join unlinked_pairs using (gold_key, reading_key)
    inner join readings using (reading_key)
    inner join gold_names using (gold_key)
    inner join {{ ref('int_experiments__name_overlaps') }} as name_overlaps
        using (reading, gold_name)
    where
        gene_pairs.overlap = 1
        and not name_overlaps.is_opposed
        and name_overlaps.is_same_member
        and greatest(name_overlaps.reading_coverage, name_overlaps.gold_coverage) = 1
        and least(name_overlaps.reading_size, name_overlaps.gold_size)
        >= {{ parameter('name_specificity') }}
),

-- of the gold disease, or of all members if the gold diagnosis names a series ('Gaucher disease')
gold_genes as (
    select
        gold_concepts.gold_key,
        disease_genes.gene_symbol,
    from gold_concepts
    inner join disease_genes on gold_concepts.concept_id = disease_genes.disease_id
    where gold_concepts.is_exact
    union
    select
        gold_names.gold_key,
        unnest(series_names.symbols) as gene_symbol,
    from gold_names
    inner join series_names on gold_names.gold_name = series_names.name
),

-- 'SCN1A-related epilepsy', where the gold diagnosis has that gene
gene_named as (
    select
        pairs.gold_key,
        pairs.reading_key,
        readings.is_alternative,
        readings.gene_symbol,
        readings.reading,
        readings.beside_gene,
        -- what the vocabularies have is read there
        readings.reading_key in (
            select reading_key from {{ ref('int_experiments__diagnosis_concepts') }}
            where is_exact and is_named
        ) as is_known,
    from pairs
    inner join readings using (reading_key)
    inner join gold_genes using (gold_key, gene_symbol)
),

-- what the name says beside its gene has to fit: SCN1A-related epilepsy is Dravet syndrome more
-- vaguely, SCN1A-related migraine is another disease of the gene
fitting_gene_named as (
    select
        gene_named.gold_key,
        gene_named.reading_key,
        gene_named.is_alternative,
        gene_named.gene_symbol,
    from gene_named
    where beside_gene = ''
    union
    -- in a name of the gold diagnosis
    select
        gene_named.gold_key,
        gene_named.reading_key,
        gene_named.is_alternative,
        gene_named.gene_symbol,
    from gene_named
    inner join gold_names using (gold_key)
    inner join {{ ref('int_experiments__name_overlaps') }} as name_overlaps
        using (reading, gold_name)
    where
        not name_overlaps.is_opposed
        and name_overlaps.is_same_member
        and not gene_named.is_known
    union
    -- in a name of its disease or of a class above it
    select
        gene_named.gold_key,
        gene_named.reading_key,
        gene_named.is_alternative,
        gene_named.gene_symbol,
    from gene_named
    inner join {{ ref('int_experiments__gold_concepts') }} as gold_classes
        on gene_named.gold_key = gold_classes.gold_key and gold_classes.is_exact
    inner join {{ ref('bridge_disease_class_ancestor') }} as ancestors
        on gold_classes.concept_id = ancestors.mondo_id
    inner join {{ ref('dim_concept_alias') }} as aliases
        on ancestors.ancestor_mondo_id = aliases.concept_id and aliases.vocabulary = 'mondo'
    where
        contains(' ' || aliases.alias_normalised || ' ', ' ' || gene_named.beside_gene || ' ')
        and not gene_named.is_known
),

answered_families as (
    select
        pairs.gold_key,
        pairs.reading_key,
        readings.is_alternative,
        families.*,
    from pairs
    inner join readings using (reading_key)
    inner join {{ ref('int_experiments__disease_families') }} as families
        on readings.reading = families.name
),

gold_families as (
    select
        gold_names.gold_key,
        families.*,
    from gold_names
    inner join {{ ref('int_experiments__disease_families') }} as families
        on gold_names.gold_name = families.name
),

-- a named family and one of its genes: 'urea cycle disorder' for OTC deficiency, and OTC deficiency
-- for 'urea cycle disorder'; two names of one family are equally near. A family that the gold
-- diagnosis is called after is that illness more vaguely, however large
evidence as (
    select {{ evidence("'same_genes'", "array_to_string(list_sort(shared), ', ')") }}
    from gene_pairs
    anti join unlinked_pairs using (gold_key, reading_key)
    where
        len(shared) >= {{ parameter('gene_set_size') }}
        and overlap >= {{ parameter('gene_set_overlap') }}
    union all
    -- one risk gene among many does not link two diseases
    select {{ evidence("'shared_gene'", "list_min(shared)") }}
    from gene_pairs
    where len(shared) > 0 and share_of_smaller >= {{ parameter('gene_set_overlap') }}
    union all
    select {{ evidence("'same_gene_and_words'", "list_min(shared)") }}
    from same_gene_and_words
    union all
    select {{ evidence("'shared_gene'", "gene_symbol") }}
    from gene_named
    union all
    select {{ evidence("'named_gene'", "gene_symbol") }}
    from fitting_gene_named
    union all
    select {{ evidence("rule", "family") }}
    from answered_families
    semi join gold_genes using (gold_key, gene_symbol)
    union all
    -- it is called after the family in its case: 'Charcot-Marie-Tooth disease type 1A'
    select {{ evidence("'family'", "family") }}
    from answered_families
    semi join gold_genes using (gold_key, gene_symbol)
    inner join {{ ref('int_experiments__gold_diagnoses') }} as golds using (gold_key)
    inner join {{ ref('int_experiments__disease_families') }} as other_names using (family)
    where
        answered_families.rule = 'large_family'
        and contains(
            ' ' || {{ american_spelling(normalise_name("array_to_string(golds.gold_names, ' ')")) }}
            || ' ',
            ' ' || other_names.name || ' '
        )
    union all
    select {{ evidence("rule", "family") }}
    from pairs
    inner join gold_families using (gold_key)
    inner join concepts using (reading_key)
    inner join disease_genes
        on
            concepts.concept_id = disease_genes.disease_id
            and gold_families.gene_symbol = disease_genes.gene_symbol
    where concepts.is_exact
    union all
    select {{ evidence("'family'", "family") }}
    from answered_families
    semi join gold_families using (gold_key, family)
),

final as (
    {{ first_reasons("evidence") }}
)

select * from final
