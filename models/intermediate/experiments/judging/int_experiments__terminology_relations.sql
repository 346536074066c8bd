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
),

gold_concepts as (
    select * from {{ ref('int_experiments__gold_concepts') }}
),

codes as (
    select
        code,
        category_code,
        block_code,
        title,
        path,
        regexp_matches(lower(title), '^other\b|\bother specified\b') as is_residual,
        regexp_matches(lower(title), '\bunspecified\b') as is_unspecified,
    from {{ ref('dim_icd10_code') }}
),

-- the .9 of a heading (and the 0 of its fifth character) says no more than the heading itself,
-- where that is specified or has the same title; what is unspecified of a remainder ('other
-- specified ...') is part of that and no heading
unspecified_steps as (
    select
        code,
        title,
        unnest(string_split(path, ' > ')) as step,
        unnest(range(1, len(string_split(path, ' > ')) + 1)) as step_number,
    from codes
    where is_unspecified and code != category_code and regexp_matches(code, '[09]$')
),

headings as (
    select
        unspecified_steps.code,
        max(unspecified_steps.step_number) as depth,
    from unspecified_steps
    inner join codes as above
        on
            unspecified_steps.step = above.code
            and unspecified_steps.code != above.code
            and (not above.is_unspecified or unspecified_steps.title = above.title)
            and above.category_code is not null
    group by all
    having not arg_max(above.is_residual, unspecified_steps.step_number)
),

placed_codes as (
    select
        codes.code,
        codes.category_code,
        codes.block_code,
        codes.is_residual,
        codes.path,
        array_to_string(
            list_slice(string_split(codes.path, ' > '), 1, coalesce(headings.depth, 99)), ' > '
        ) as heading_path,
    from codes
    left join headings on codes.code = headings.code
),

named_pairs as (
    select
        pairs.gold_key,
        pairs.reading_key,
        readings.reading,
        readings.is_alternative,
        gold_names.gold_name,
    from pairs
    inner join readings on pairs.reading_key = readings.reading_key
    inner join gold_names on pairs.gold_key = gold_names.gold_key
),

same_name as (
    select
        gold_key,
        reading_key,
        'same_name' as rule,
        gold_name as reason,
        is_alternative,
    from named_pairs
    where reading = gold_name
),

concept_pairs as (
    select
        pairs.gold_key,
        pairs.reading_key,
        concepts.vocabulary,
        concepts.concept_id,
        golds.concept_id as gold_concept_id,
        concepts.is_exact,
        golds.is_exact as is_gold_exact,
        concepts.is_alternative,
    from pairs
    inner join concepts on pairs.reading_key = concepts.reading_key
    inner join gold_concepts as golds
        on pairs.gold_key = golds.gold_key and concepts.vocabulary = golds.vocabulary
),

-- what ICD-10-CM leaves over ('other specified ...') holds different diseases under one code
same_concept as (
    select
        concept_pairs.gold_key,
        concept_pairs.reading_key,
        case
            when codes.is_residual then 'icd10_category'
            when not (concept_pairs.is_exact and concept_pairs.is_gold_exact)
                then 'same_concept_qualified'
            when concept_pairs.vocabulary = 'icd10cm' then 'same_code'
            else 'same_concept'
        end as rule,
        concept_pairs.concept_id as reason,
        concept_pairs.is_alternative,
    from concept_pairs
    left join codes
        on concept_pairs.vocabulary = 'icd10cm' and concept_pairs.concept_id = codes.code
    where
        concept_pairs.concept_id = concept_pairs.gold_concept_id
        and (concept_pairs.is_exact or concept_pairs.is_gold_exact)
),

-- 'ALS' for 'amyotrophic lateral sclerosis'
initials as (
    select
        gold_key,
        reading_key,
        'initials' as rule,
        gold_name as reason,
        is_alternative,
    from named_pairs
    where length(reading) between 3 and 6 and reading = {{ initials("gold_name") }}
),

compared_names as (
    select
        named_pairs.gold_key,
        named_pairs.reading_key,
        named_pairs.is_alternative,
        named_pairs.gold_name as reason,
        found.is_misspelt,
        found.reading_size,
        found.gold_size,
        found.reading_coverage,
        found.gold_coverage,
        found.is_no_more_qualified,
        found.is_no_less_qualified,
        found.is_opposed,
        coalesce(found.series_marks, '') = coalesce(found.gold_series_marks, '') as is_same_mark,
        coalesce(found.series_marks = found.gold_series_marks, true) as is_same_member,
        coalesce(found.series_marks = coalesce(found.gold_series_marks, ''), true)
            as is_no_other_member,
        coalesce(found.gold_series_marks = coalesce(found.series_marks, ''), true)
            as is_no_other_gold_member,
    from named_pairs
    inner join {{ ref('int_experiments__name_overlaps') }} as found
        on
            named_pairs.reading = found.reading
            and named_pairs.gold_name = found.gold_name
),

-- the words are the same: what else the names say decides. Marks tell the members of a series
-- apart, and a slip of the keyboard never changes one; qualifiers make a name narrower, or another
same_words as (
    select
        gold_key,
        reading_key,
        case
            when is_opposed then 'opposite_qualifier'
            when not is_same_member then 'series_sibling'
            when not is_same_mark then 'series_member'
            when not (is_no_more_qualified and is_no_less_qualified) then 'other_qualifier'
            when is_misspelt then 'spelling'
            else 'same_words'
        end as rule,
        reason,
        is_alternative,
    from compared_names
    where reading_coverage = 1 and gold_coverage = 1
),

-- what the laboratory finds in many diseases names none of them
laboratory_findings as (
    select distinct concepts.reading_key,
    from concepts
    inner join {{ ref('dim_hpo_term') }} as terms
        on
            concepts.vocabulary = 'hpo'
            and concepts.concept_id = terms.hpo_id
            and terms.information_content < {{ parameter('name_specificity') }}
    inner join {{ ref('bridge_hpo_ancestor') }} as ancestors
        on
            terms.hpo_id = ancestors.hpo_id
            and ancestors.ancestor_hpo_id in {{ hpo_measurements() }}
),

-- every word of one name is in the other, and these words are most of what the longer one says or
-- rare enough to name a disease by themselves: 'amyloidosis', but not 'anemia', and not what a
-- deficiency is followed by, nor a common finding of the laboratory: 'hypoglycemia'
broader_name as (
    select
        gold_key,
        reading_key,
        'broader_name' as rule,
        reason,
        is_alternative,
    from compared_names
    where
        reading_coverage = 1
        and is_no_other_member
        and is_no_more_qualified
        and (
            gold_coverage >= {{ parameter('name_coverage') }}
            or (
                reading_size >= {{ parameter('name_specificity') }}
                and not (
                    regexp_matches(reason, '\b(due|secondary|caused|debid[oa]|causad[oa]) ')
                    and regexp_matches(reason, '\b(deficiency|deficit|deficiencia)\b')
                )
                and reading_key not in (
                    select reading_key from laboratory_findings
                )
            )
        )
),

narrower_name as (
    select
        gold_key,
        reading_key,
        'narrower_name' as rule,
        reason,
        is_alternative,
    from compared_names
    where
        gold_coverage = 1
        and is_no_other_gold_member
        and is_no_less_qualified
        and (
            reading_coverage >= {{ parameter('name_coverage') }}
            or gold_size >= {{ parameter('name_specificity') }}
        )
),

similar_name as (
    select
        gold_key,
        reading_key,
        'similar_name' as rule,
        reason,
        is_alternative,
    from compared_names
    where least(reading_coverage, gold_coverage) >= {{ parameter('name_coverage') }}
),

-- 'anemia' for 'Fanconi anemia': the word is right and says little
general_name as (
    select
        gold_key,
        reading_key,
        'general_name' as rule,
        reason,
        is_alternative,
    from compared_names
    where reading_coverage = 1
),

-- the diagnosis may lead to ICD-10-CM through another name of its disease
code_pairs as (
    select
        pairs.gold_key,
        pairs.reading_key,
        read_codes.icd10_code,
        golds.concept_id as gold_code,
        read_codes.is_exact,
        read_codes.is_title,
        golds.is_exact as is_gold_exact,
        golds.is_title as is_gold_title,
        read_codes.is_alternative,
    from pairs
    inner join {{ ref('int_experiments__diagnosis_icd10') }} as read_codes
        on pairs.reading_key = read_codes.reading_key
    inner join gold_concepts as golds
        on pairs.gold_key = golds.gold_key and golds.vocabulary = 'icd10cm'
),

-- an unspecified code says no more than the heading above it
icd10_pairs as (
    select
        code_pairs.gold_key,
        code_pairs.reading_key,
        code_pairs.icd10_code,
        code_pairs.gold_code,
        code_pairs.is_exact,
        code_pairs.is_gold_exact,
        code_pairs.is_alternative,
        theirs.is_residual,
        theirs.category_code,
        theirs.block_code,
        golds.is_residual as is_gold_residual,
        golds.category_code as gold_category_code,
        golds.block_code as gold_block_code,
        if(code_pairs.is_title, theirs.heading_path, theirs.path) as path,
        if(code_pairs.is_gold_title, golds.heading_path, golds.path) as gold_path,
        {{ icd10_path_distance(
            "if(code_pairs.is_title, theirs.heading_path, theirs.path)",
            "if(code_pairs.is_gold_title, golds.heading_path, golds.path)",
        ) }} as steps_apart,
    from code_pairs
    inner join placed_codes as theirs on code_pairs.icd10_code = theirs.code
    inner join placed_codes as golds on code_pairs.gold_code = golds.code
),

-- one code above the other, both below the level of a block; a name known only without its
-- qualifiers is narrower than its code, so only what is above the code is known to be above it
icd10_above as (
    select
        gold_key,
        reading_key,
        'icd10_above' as rule,
        icd10_code || ' and ' || gold_code || ', steps apart: ' || steps_apart as reason,
        is_alternative,
    from icd10_pairs
    where
        category_code is not null
        and gold_category_code is not null
        and (
            (starts_with(gold_path, path || ' > ') and is_exact and not is_residual)
            or (starts_with(path, gold_path || ' > ') and is_gold_exact and not is_gold_residual)
        )
),

-- a heading and its unspecified code are one
same_heading as (
    select
        gold_key,
        reading_key,
        'same_code' as rule,
        icd10_code || ' and ' || gold_code as reason,
        is_alternative,
    from icd10_pairs
    where
        steps_apart = 0
        and icd10_code != gold_code
        and is_exact
        and is_gold_exact
        and not is_residual
        and not is_gold_residual
),

icd10_category as (
    select
        gold_key,
        reading_key,
        'icd10_category' as rule,
        category_code as reason,
        is_alternative,
    from icd10_pairs
    where category_code = gold_category_code
),

icd10_block as (
    select
        gold_key,
        reading_key,
        'icd10_block' as rule,
        block_code as reason,
        is_alternative,
    from icd10_pairs
    where block_code = gold_block_code
),

-- one HPO term one or two steps above the other, the upper one no mere system of the body
general_terms as (
    select
        ancestors.hpo_id,
        ancestors.ancestor_hpo_id,
        terms.hpo_name,
    from {{ ref('bridge_hpo_ancestor') }} as ancestors
    inner join {{ ref('dim_hpo_term') }} as terms
        on
            ancestors.ancestor_hpo_id = terms.hpo_id
            and terms.is_phenotypic_abnormality
            and terms.information_content >= {{ parameter('hypernym_information_content') }}
    where ancestors.distance between 1 and 2
),

hpo_above as (
    select
        concept_pairs.gold_key,
        concept_pairs.reading_key,
        'hpo_above' as rule,
        general_terms.hpo_name as reason,
        concept_pairs.is_alternative,
    from concept_pairs
    inner join general_terms
        on
            concept_pairs.gold_concept_id = general_terms.hpo_id
            and concept_pairs.concept_id = general_terms.ancestor_hpo_id
    where concept_pairs.is_exact
    union all
    select
        concept_pairs.gold_key,
        concept_pairs.reading_key,
        'hpo_above' as rule,
        general_terms.hpo_name as reason,
        concept_pairs.is_alternative,
    from concept_pairs
    inner join general_terms
        on
            concept_pairs.concept_id = general_terms.hpo_id
            and concept_pairs.gold_concept_id = general_terms.ancestor_hpo_id
    where concept_pairs.is_gold_exact
),

disease_pairs as (
    select distinct
        gold_key,
        reading_key,
        gold_concept_id,
        concept_id,
        is_alternative,
    from concept_pairs
    where vocabulary = 'disease' and (is_exact or is_gold_exact)
),

genes as (
    select
        disease_id,
        list(gene_symbol) as symbols,
    from {{ ref('bridge_disease_gene') }}
    group by all
),

disease_profiles as (
    select
        aliases.concept_id,
        profiles.core,
        profiles.series_marks,
    from {{ ref('dim_concept_alias') }} as aliases
    inner join {{ ref('int_experiments__name_profiles') }} as profiles
        on aliases.alias_normalised = profiles.name
    where aliases.vocabulary = 'disease' and aliases.scope in ('preferred', 'exact')
),

-- 'long QT syndrome' is the series of its numbered members, and has the genes of all
series as (
    select
        disease_profiles.core,
        list_distinct(flatten(list(genes.symbols))) as symbols,
    from disease_profiles
    inner join genes on disease_profiles.concept_id = genes.disease_id
    where disease_profiles.series_marks is not null and disease_profiles.core != ''
    group by all
),

series_pairs as (
    select
        pairs.gold_key,
        pairs.reading_key,
        readings.is_alternative,
        series.symbols,
        gold_genes.symbols as gold_symbols,
    from pairs
    inner join readings on pairs.reading_key = readings.reading_key
    inner join {{ ref('int_experiments__name_profiles') }} as profiles
        on readings.reading = profiles.name and profiles.series_marks is null
    inner join series on profiles.core = series.core
    inner join gold_concepts as golds
        on pairs.gold_key = golds.gold_key and golds.vocabulary = 'disease' and golds.is_exact
    inner join genes as gold_genes on golds.concept_id = gold_genes.disease_id
    where len(series.symbols) >= {{ parameter('gene_set_size') }}
),

-- two names of one set of genes: a disease of many genes under its eponym and under its series
gene_sets as (
    select
        disease_pairs.gold_key,
        disease_pairs.reading_key,
        disease_pairs.is_alternative,
        genes.symbols,
        gold_genes.symbols as gold_symbols,
    from disease_pairs
    inner join genes on disease_pairs.concept_id = genes.disease_id
    inner join genes as gold_genes on disease_pairs.gold_concept_id = gold_genes.disease_id
    union all
    select
        gold_key,
        reading_key,
        is_alternative,
        symbols,
        gold_symbols,
    from series_pairs
),

gene_pairs as (
    select
        gold_key,
        reading_key,
        is_alternative,
        list_intersect(symbols, gold_symbols) as shared,
        len(list_intersect(symbols, gold_symbols))
        / len(list_distinct(symbols || gold_symbols)) as overlap,
        len(list_intersect(symbols, gold_symbols)) / least(len(symbols), len(gold_symbols))
            as share_of_smaller,
    from gene_sets
),

same_genes as (
    select
        gold_key,
        reading_key,
        'same_genes' as rule,
        array_to_string(list_sort(shared), ', ') as reason,
        is_alternative,
    from gene_pairs
    where
        len(shared) >= {{ parameter('gene_set_size') }}
        and overlap >= {{ parameter('gene_set_overlap') }}
),

-- one risk gene of many is no link
shared_gene as (
    select
        gold_key,
        reading_key,
        'shared_gene' as rule,
        list_min(shared) as reason,
        is_alternative,
    from gene_pairs
    where len(shared) > 0 and share_of_smaller >= {{ parameter('gene_set_overlap') }}
),

-- one gene on either side, and the words of one name in the other: 'myotonic dystrophy 1' and
-- 'Steinert myotonic dystrophy'
same_gene_and_words as (
    select
        gene_pairs.gold_key,
        gene_pairs.reading_key,
        'same_gene_and_words' as rule,
        list_min(gene_pairs.shared) as reason,
        gene_pairs.is_alternative,
    from gene_pairs
    inner join compared_names
        on
            gene_pairs.gold_key = compared_names.gold_key
            and gene_pairs.reading_key = compared_names.reading_key
    where
        gene_pairs.overlap = 1
        and not compared_names.is_opposed
        and compared_names.is_same_member
        and greatest(compared_names.reading_coverage, compared_names.gold_coverage) = 1
        and least(compared_names.reading_size, compared_names.gold_size)
        >= {{ parameter('name_specificity') }}
),

families as (
    select * from {{ ref('int_experiments__disease_families') }}
),

answered_families as (
    select
        pairs.gold_key,
        pairs.reading_key,
        readings.is_alternative,
        families.family,
        families.gene_symbol,
        families.rule,
    from pairs
    inner join readings on pairs.reading_key = readings.reading_key
    inner join families on readings.reading = families.name
),

gold_families as (
    select
        gold_names.gold_key,
        families.family,
        families.gene_symbol,
        families.rule,
    from gold_names
    inner join families on gold_names.gold_name = families.name
),

-- of the gold disease, or of all members where gold is the name of a series ('Gaucher disease')
gold_genes as (
    select
        golds.gold_key,
        disease_genes.gene_symbol,
    from gold_concepts as golds
    inner join {{ ref('bridge_disease_gene') }} as disease_genes
        on golds.concept_id = disease_genes.disease_id
    where golds.vocabulary = 'disease' and golds.is_exact
    union
    select
        gold_names.gold_key,
        unnest(series.symbols) as gene_symbol,
    from gold_names
    inner join {{ ref('int_experiments__name_profiles') }} as profiles
        on gold_names.gold_name = profiles.name and profiles.series_marks is null
    inner join series on profiles.core = series.core
),

-- a named family of diseases and one of its genes: 'urea cycle disorder' for OTC deficiency, and
-- OTC deficiency for 'urea cycle disorder'; two names of one family are as near
family as (
    select distinct
        answered_families.gold_key,
        answered_families.reading_key,
        answered_families.rule,
        answered_families.family as reason,
        answered_families.is_alternative,
    from answered_families
    inner join gold_genes
        on
            answered_families.gold_key = gold_genes.gold_key
            and answered_families.gene_symbol = gold_genes.gene_symbol
    union
    select distinct
        pairs.gold_key,
        pairs.reading_key,
        gold_families.rule,
        gold_families.family as reason,
        concepts.is_alternative,
    from pairs
    inner join gold_families on pairs.gold_key = gold_families.gold_key
    inner join concepts
        on
            pairs.reading_key = concepts.reading_key
            and concepts.vocabulary = 'disease'
            and concepts.is_exact
    inner join {{ ref('bridge_disease_gene') }} as their_genes
        on
            concepts.concept_id = their_genes.disease_id
            and gold_families.gene_symbol = their_genes.gene_symbol
    union
    select distinct
        answered_families.gold_key,
        answered_families.reading_key,
        'family' as rule,
        answered_families.family as reason,
        answered_families.is_alternative,
    from answered_families
    inner join gold_families
        on
            answered_families.gold_key = gold_families.gold_key
            and answered_families.family = gold_families.family
),

-- both names lead to Mondo classes: the most specific class that holds both
class_pairs as (
    select
        concept_pairs.gold_key,
        concept_pairs.reading_key,
        concept_pairs.is_alternative,
        shared.class_name,
        shared.information_content,
        (shared.class_id = concept_pairs.concept_id and concept_pairs.is_exact)
        or (shared.class_id = concept_pairs.gold_concept_id and concept_pairs.is_gold_exact)
            as is_above,
    from concept_pairs
    inner join {{ ref('int_experiments__shared_classes') }} as shared
        on
            concept_pairs.vocabulary = 'mondo'
            and concept_pairs.concept_id = shared.mondo_id
            and concept_pairs.gold_concept_id = shared.gold_mondo_id
),

-- one is a class the other is in; how wide a family is that the seed names, the seed says
class_above as (
    select
        class_pairs.gold_key,
        class_pairs.reading_key,
        'class_above' as rule,
        class_pairs.class_name as reason,
        class_pairs.is_alternative,
    from class_pairs
    anti join answered_families
        on class_pairs.reading_key = answered_families.reading_key
    anti join gold_families on class_pairs.gold_key = gold_families.gold_key
    where
        class_pairs.is_above
        and class_pairs.information_content >= {{ parameter('class_information_content') }}
),

shared_class as (
    select
        gold_key,
        reading_key,
        'shared_class' as rule,
        class_name as reason,
        is_alternative,
    from class_pairs
    where is_above or information_content >= {{ parameter('class_information_content') }}
),

profile_pairs as (
    select distinct
        gold_concept_id,
        concept_id,
    from disease_pairs
),

-- decimals: the last digits of a sum of doubles depend on the order of its rows
profiles as (
    select
        closure.disease_id,
        closure.hpo_id,
        terms.information_content::decimal(18, 9) as information_content,
    from {{ ref('bridge_disease_phenotype_closure') }} as closure
    inner join {{ ref('dim_hpo_term') }} as terms on closure.hpo_id = terms.hpo_id
    where terms.is_phenotypic_abnormality
),

profile_sizes as (
    select
        disease_id,
        sum(information_content) as size,
    from profiles
    group by all
),

profile_overlaps as (
    select
        profile_pairs.gold_concept_id,
        profile_pairs.concept_id,
        sum(theirs.information_content) as overlap,
    from profile_pairs
    inner join profiles as theirs on profile_pairs.concept_id = theirs.disease_id
    inner join profiles as golds
        on profile_pairs.gold_concept_id = golds.disease_id and theirs.hpo_id = golds.hpo_id
    group by all
),

profile_similarities as (
    select
        profile_overlaps.gold_concept_id,
        profile_overlaps.concept_id,
        {{ profile_similarity("profile_overlaps.overlap", "theirs.size", "golds.size") }}
            as similarity,
    from profile_overlaps
    inner join profile_sizes as theirs on profile_overlaps.concept_id = theirs.disease_id
    inner join profile_sizes as golds on profile_overlaps.gold_concept_id = golds.disease_id
),

similar_profile as (
    select
        disease_pairs.gold_key,
        disease_pairs.reading_key,
        case
            when similarity >= {{ parameter('group_profile_similarity') }}
                then 'similar_profile'
            else 'related_profile'
        end as rule,
        'phenotype profiles overlap by ' || format('{:.2f}', similarity) as reason,
        disease_pairs.is_alternative,
    from disease_pairs
    inner join profile_similarities
        on
            disease_pairs.gold_concept_id = profile_similarities.gold_concept_id
            and disease_pairs.concept_id = profile_similarities.concept_id
    where similarity >= {{ parameter('broad_profile_similarity') }}
),

unrelated as (
    select
        pairs.gold_key,
        pairs.reading_key,
        case
            when count(concepts.concept_id) > 0 then 'no_link'
            when count(readings.reading) > 0 then 'unknown_name'
            else 'no_diagnosis'
        end as rule,
        case
            when count(concepts.concept_id) > 0 then 'no rule links it to the gold diagnosis'
            when count(readings.reading) > 0 then 'no terminology knows this name'
            else 'it names no disease that the patient is said to have'
        end as reason,
        false as is_alternative,
    from pairs
    left join readings on pairs.reading_key = readings.reading_key
    left join concepts on pairs.reading_key = concepts.reading_key
    group by all
),

findings as (
    {% for rule in [
        "same_name", "same_concept", "same_words", "initials", "same_heading", "icd10_above", "hpo_above",
        "class_above", "same_genes", "same_gene_and_words", "family", "broader_name", "narrower_name",
        "icd10_category", "shared_gene", "similar_name", "icd10_block", "similar_profile",
        "shared_class", "general_name", "unrelated",
    ] %}
        select
            gold_key,
            reading_key,
            rule,
            reason,
            is_alternative,
        from {{ rule }}
        {% if not loop.last %} union all {% endif %}
    {% endfor %}
),

rules as (
    select * from {{ ref('semantic_rules') }}
),

-- an answer that leaves open which of several things it means is broader than any of them
graded as (
    select
        findings.gold_key,
        findings.reading_key,
        findings.reason,
        case
            when not findings.is_alternative then findings.rule
            when rules.semantic_relation = 'Exact Synonym' then 'one_of_several'
            else findings.rule
        end as rule,
    from findings
    inner join rules on findings.rule = rules.rule
),

final as (
    select
        graded.gold_key,
        graded.reading_key,
        rules.semantic_relation,
        graded.rule as semantic_rule,
        graded.reason as semantic_reason,
    from graded
    inner join rules on graded.rule = rules.rule
    qualify
        row_number() over (
            partition by graded.gold_key, graded.reading_key
            order by rules.rule_order, graded.reason
        ) = 1
)

select * from final
