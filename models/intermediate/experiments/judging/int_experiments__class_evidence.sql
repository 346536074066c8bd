-- The evidence of Mondo on the two diseases: one class above the other, or a class that contains
-- both. Likewise for a disease that the answer names beside something else.
with pairs as (
    select * from {{ ref('int_experiments__judged_pairs') }}
),

concepts as (
    select * from {{ ref('int_experiments__diagnosis_concepts') }}
),

gold_concepts as (
    select * from {{ ref('int_experiments__gold_concepts') }}
),

gold_names as (
    select * from {{ ref('int_experiments__gold_names') }}
),

families as (
    select * from {{ ref('int_experiments__disease_families') }}
    where rule != 'family'
),

tumors as (
    select mondo_id
    from {{ ref('bridge_disease_class_ancestor') }}
    where ancestor_mondo_id = '{{ mondo_neoplasm() }}'
),

class_pairs as (
    select
        pairs.gold_key,
        pairs.reading_key,
        gold_concepts.concept_id as gold_mondo_id,
        concepts.concept_id as mondo_id,
        concepts.is_exact,
        gold_concepts.is_exact as is_gold_exact,
        concepts.is_alternative,
    from pairs
    inner join concepts
        on pairs.reading_key = concepts.reading_key and concepts.vocabulary = 'mondo'
    inner join gold_concepts
        on pairs.gold_key = gold_concepts.gold_key and gold_concepts.vocabulary = 'mondo'
),

-- what this project itself puts above is the illness and no finding: urinary tract infection for
-- pyelonephritis
stated_links as (
    select
        child as gold_mondo_id,
        parent as mondo_id,
        true as is_stated,
    from {{ ref('disease_class_correction') }}
    where correction = 'added'
),

classed_pairs as (
    select
        *,
        information_content >= {{ parameter('class_information_content') }} as is_narrow,
        -- pathologists divide tumors finely, so that even a diagnosis such as lymphoma holds many
        class_id in (select mondo_id from tumors)
        and information_content >= {{ parameter('tumor_information_content') }} as is_tumor,
        (class_id = mondo_id and is_exact) or (class_id = gold_mondo_id and is_gold_exact)
            as is_above,
        if(class_id = mondo_id, finding, symptom) is not null and is_stated is null as is_finding,
    from class_pairs
    inner join {{ ref('int_experiments__shared_classes') }} using (mondo_id, gold_mondo_id)
    left join {{ ref('int_experiments__finding_pairs') }} using (gold_key, reading_key)
    left join stated_links using (mondo_id, gold_mondo_id)
),

-- the width of a large family comes from the disease_families seed, not from Mondo
family_readings as (
    select readings.reading_key
    from {{ ref('int_experiments__diagnosis_readings') }} as readings
    semi join families on readings.reading = families.name
),

family_golds as (
    select gold_key from gold_names
    semi join families on gold_names.gold_name = families.name
),

heads as (
    {{ phrase_heads() }}
),

-- what an answer names beside something else, or is a form of, if no terminology knows the whole,
-- and a disease by that name alone: 'right lower lobe pneumococcal pneumonia'
part_concepts as (
    select
        said_parts.*,
        aliases.concept_id,
        aliases.vocabulary,
    from (
        select
            reading_key,
            null as reading,
            is_alternative,
            kind,
            unnest(list_distinct([part, bare_part])) as part,
            null as language,
            0 as n_words,
        from ({{ spoken_parts() }})
        union all by name
        select
            * exclude (rest),
            'head' as kind,
        from heads
        union all by name
        -- an endocarditis by Staphylococcus aureus is infective
        select
            * exclude (part, rest),
            unnest(['infectious ' || part, 'infective ' || part]) as part,
            'head' as kind,
        from heads
        where
            rest || ' infection' in (
                select alias_normalised from {{ ref('dim_concept_alias') }}
                where vocabulary = 'mondo'
            )
    ) as said_parts
    inner join {{ ref('dim_concept_alias') }} as aliases
        on said_parts.part = aliases.alias_normalised
    where
        aliases.vocabulary in ('icd10cm', 'mondo')
        and aliases.scope in ('preferred', 'exact', 'inclusion', 'abbreviation')
        and (said_parts.language is null or said_parts.language = aliases.language)
    qualify
        min(aliases.concept_id) over (partition by said_parts.part, aliases.vocabulary)
        = max(aliases.concept_id) over (partition by said_parts.part, aliases.vocabulary)
        and said_parts.n_words = max(said_parts.n_words) over (
            partition by
                said_parts.reading_key, said_parts.reading, said_parts.kind, said_parts.phrase
        )
),

-- a disease of another course, age or origin than the gold diagnosis cannot be a form of it
opposed_pairs as (
    select distinct
        gold_names.gold_key,
        name_overlaps.reading,
    from {{ ref('int_experiments__name_overlaps') }} as name_overlaps
    inner join gold_names using (gold_name)
    where name_overlaps.is_opposed
),

said_pairs as (
    select
        pairs.gold_key,
        part_concepts.*,
        gold_concepts.concept_id as gold_concept_id,
    from pairs
    inner join part_concepts using (reading_key)
    inner join gold_concepts using (gold_key, vocabulary)
    anti join opposed_pairs
        on
            pairs.gold_key = opposed_pairs.gold_key
            and part_concepts.reading = opposed_pairs.reading
    where gold_concepts.is_exact
),

narrow_classes as (
    select
        mondo_id,
        class_name,
    from {{ ref('dim_disease_class') }}
    where
        information_content >= {{ parameter('class_information_content') }}
        or (
            mondo_id in (select mondo_id from tumors)
            and information_content >= {{ parameter('tumor_information_content') }}
        )
),

called_names as (
    select
        gold_key,
        gold_name as name,
    from gold_names
    union
    select
        gold_concepts.gold_key,
        {{ normalise_name("names.name") }} as name,
    from gold_concepts
    inner join {{ ref('mondo_name') }} as names
        on gold_concepts.concept_id = names.mondo_id and names.scope = 'preferred'
    where gold_concepts.is_exact
),

-- the gold diagnosis, or a form of it. What stands above it (lung cancer with SIADH, for small cell
-- lung cancer) counts only if the gold diagnosis is called after it, and not with a cause, which
-- may be another one
said_diseases as (
    select
        said_pairs.*,
        'same_concept_qualified' as rule,
        said_pairs.part as reason,
    from said_pairs
    left join {{ ref('dim_icd10_code') }} as codes on said_pairs.gold_concept_id = codes.code
    where
        said_pairs.concept_id = said_pairs.gold_concept_id
        and not regexp_matches(lower(coalesce(codes.title, '')), '^other\b|other specified\b')
    union all
    select
        said_pairs.*,
        'icd10_above' as rule,
        said_pairs.concept_id || ' and ' || said_pairs.gold_concept_id || ', linked' as reason,
    from said_pairs
    inner join stated_links
        on
            (
                starts_with(said_pairs.concept_id, stated_links.gold_mondo_id)
                and said_pairs.gold_concept_id = stated_links.mondo_id
            )
            or (
                starts_with(said_pairs.gold_concept_id, stated_links.gold_mondo_id)
                and said_pairs.concept_id = stated_links.mondo_id
                and said_pairs.kind in ('company', 'side')
            )
    where said_pairs.vocabulary = 'icd10cm'
    union all
    -- a code of what is not specified stands for its heading
    select
        said_pairs.*,
        'icd10_above' as rule,
        said_pairs.concept_id || ' and ' || said_pairs.gold_concept_id as reason,
    from said_pairs
    inner join {{ ref('dim_icd10_code') }} as codes on said_pairs.gold_concept_id = codes.code
    left join {{ ref('disease_class_correction') }} as corrections
        on
            corrections.correction = 'removed'
            and starts_with(said_pairs.concept_id, corrections.child)
            and starts_with(corrections.parent, codes.category_code)
    where
        said_pairs.concept_id != said_pairs.gold_concept_id
        and corrections.child is null
        and not regexp_matches(lower(codes.title), '^other\b|other specified\b')
        and starts_with(
            said_pairs.concept_id,
            if(
                regexp_matches(lower(codes.title), '\bunspecified\b'),
                regexp_replace(codes.code, '\.?(0?9|90|0)$', ''),
                codes.code
            )
        )
    union all
    select
        said_pairs.*,
        'class_above' as rule,
        narrow_classes.class_name as reason,
    from said_pairs
    inner join {{ ref('bridge_disease_class_ancestor') }} as ancestors
        on
            said_pairs.concept_id = ancestors.mondo_id
            and said_pairs.gold_concept_id = ancestors.ancestor_mondo_id
            and ancestors.distance > 0
    inner join narrow_classes on ancestors.ancestor_mondo_id = narrow_classes.mondo_id
    union all
    select
        said_pairs.*,
        'class_above' as rule,
        narrow_classes.class_name as reason,
    from said_pairs
    inner join {{ ref('bridge_disease_class_ancestor') }} as ancestors
        on
            said_pairs.gold_concept_id = ancestors.mondo_id
            and said_pairs.concept_id = ancestors.ancestor_mondo_id
            and ancestors.distance > 0
    inner join narrow_classes on ancestors.ancestor_mondo_id = narrow_classes.mondo_id
    inner join called_names
        on
            said_pairs.gold_key = called_names.gold_key
            and list_has_all(
                string_split(called_names.name, ' '),
                string_split({{ normalise_name("narrow_classes.class_name") }}, ' ')
            )
    where said_pairs.kind in ('company', 'side')
),

evidence as (
    select {{ evidence("if(is_finding, 'finding_above', 'class_above')", "class_name") }}
    from classed_pairs
    anti join family_readings using (reading_key)
    anti join family_golds using (gold_key)
    where is_above and (is_narrow or is_tumor)
    union all
    select {{ evidence("'shared_class'", "class_name") }}
    from classed_pairs
    where is_above or is_narrow
    union all
    select {{ evidence("rule", "reason") }}
    from said_diseases
),

final as (
    {{ first_reasons("evidence") }}
)

select * from final
