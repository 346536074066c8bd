-- The evidence of the vocabularies on the two concepts: the same code or term, or one above the
-- other in ICD-10-CM or HPO.
with pairs as (
    select * from {{ ref('int_experiments__judged_pairs') }}
),

diagnosis_concepts as (
    select * from {{ ref('int_experiments__diagnosis_concepts') }}
),

gold_concepts as (
    select * from {{ ref('int_experiments__gold_concepts') }}
),

finding_pairs as (
    select * from {{ ref('int_experiments__finding_pairs') }}
),

codes as (
    select
        *,
        string_split(path, ' > ') as steps,
        regexp_matches(lower(title), '^other\b|\bother specified\b') as is_residual,
        regexp_matches(lower(title), '\bunspecified\b') as is_unspecified,
        regexp_extract(lower(title), '^other and unspecified (.+)$', 1) as remainder_of,
        regexp_matches(lower(title), '\band (related|other)\b') as is_compound,
    from {{ ref('dim_icd10_code') }}
),

unspecified_steps as (
    select
        code,
        title,
        unnest(steps) as step,
        unnest(range(1, len(steps) + 1)) as step_number,
    from codes
    where is_unspecified and code != category_code and regexp_matches(code, '[09]$')
),

-- the .9 of a heading (and the 0 of its fifth character) means no more than the heading itself,
-- where that is specified or has the same title. The unspecified code of a remainder ('other
-- specified ...') is part of that remainder and does not stand for the heading over both. The
-- first half of 'X and related syndromes' does not stand for the related ones
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
            and not above.is_compound
    -- an unspecified ovarian cyst is no unspecified disorder of the ovary, as an unspecified asthma
    -- is one of asthma
    where
        not exists (
            select 1
            from unspecified_steps as own_steps
            inner join codes as remainder on own_steps.step = remainder.code
            where
                own_steps.code = unspecified_steps.code
                and remainder.remainder_of != ''
                and not contains(lower(above.title), remainder.remainder_of)
        )
    group by all
    having not arg_max(above.is_residual, unspecified_steps.step_number)
),

placed_codes as (
    select
        codes.*,
        array_to_string(list_slice(codes.steps, 1, coalesce(headings.depth, 99)), ' > ')
            as heading_path,
    from codes
    left join headings using (code)
),

concepts as (
    select * from diagnosis_concepts
    where is_named
),

-- a diagnosis may lead to ICD-10-CM by its own name and by another of its disease
reading_codes as (
    select
        reading_key,
        concept_id as icd10_code,
        bool_or(is_exact) as is_exact,
        bool_or(is_title) as is_title,
        bool_and(is_alternative) as is_alternative,
    from diagnosis_concepts
    where vocabulary = 'icd10cm'
    group by all
),

concept_pairs as (
    select
        pairs.gold_key,
        pairs.reading_key,
        concepts.vocabulary,
        concepts.concept_id,
        gold_concepts.concept_id as gold_concept_id,
        concepts.is_exact,
        gold_concepts.is_exact as is_gold_exact,
        concepts.is_by_name and gold_concepts.is_by_name as is_by_name,
        concepts.is_alternative,
    from pairs
    inner join concepts using (reading_key)
    inner join gold_concepts using (gold_key, vocabulary)
),

two_diseases as (
    {{ two_diseases() }}
),

-- a remainder code of ICD-10-CM ('other specified ...') holds different diseases, and any code or
-- term can: Miller Fisher and Guillain-Barré are both G61.0. What Mondo has apart is the same by
-- its code only if another vocabulary has both names for one concept, too, and never by its words
same_concepts as (
    select
        concept_pairs.*,
        case
            when codes.is_residual then 'icd10_category'
            when two_diseases.is_linked and not concept_pairs.is_by_name
                then 'same_concept_qualified'
            when
                not two_diseases.is_linked
                and concept_pairs.vocabulary = 'icd10cm'
                and not coalesce(
                    concept_pairs.is_by_name
                    and min(if(concept_pairs.is_by_name, concept_pairs.vocabulary, null)) over pair
                    != max(if(concept_pairs.is_by_name, concept_pairs.vocabulary, null)) over pair,
                    false
                )
                then 'icd10_category'
            when not two_diseases.is_linked and not concept_pairs.is_by_name
                then 'similar_name'
            when not (concept_pairs.is_exact and concept_pairs.is_gold_exact)
                then 'same_concept_qualified'
            when concept_pairs.vocabulary = 'icd10cm' then 'same_code'
            else 'same_concept'
        end as rule,
    from concept_pairs
    left join two_diseases
        on
            concept_pairs.gold_key = two_diseases.gold_key
            and concept_pairs.reading_key = two_diseases.reading_key
    left join codes
        on
            case when concept_pairs.vocabulary = 'icd10cm' then concept_pairs.concept_id end
            = codes.code
    where
        concept_pairs.concept_id = concept_pairs.gold_concept_id
        and (concept_pairs.is_exact or concept_pairs.is_gold_exact)
    window pair as (partition by concept_pairs.gold_key, concept_pairs.reading_key)
),

-- a name is the heading of its code where it is the code's title; a name only listed under an
-- unspecified code is one of the diseases coded there
code_pairs as (
    select
        pairs.gold_key,
        pairs.reading_key,
        reading_codes.icd10_code as code,
        gold_concepts.concept_id as gold_code,
        reading_codes.is_exact,
        gold_concepts.is_exact as is_gold_exact,
        reading_codes.is_alternative,
        theirs.is_residual,
        golds.is_residual as is_gold_residual,
        theirs.category_code,
        golds.category_code as gold_category_code,
        theirs.block_code,
        golds.block_code as gold_block_code,
        if(reading_codes.is_title, theirs.heading_path, theirs.path) as code_path,
        if(gold_concepts.is_title, golds.heading_path, golds.path) as gold_path,
        {{ icd10_path_distance("code_path", "gold_path") }} as steps_apart,
        finding_pairs.finding,
    from pairs
    inner join reading_codes using (reading_key)
    inner join gold_concepts
        on pairs.gold_key = gold_concepts.gold_key and gold_concepts.vocabulary = 'icd10cm'
    inner join placed_codes as theirs on reading_codes.icd10_code = theirs.code
    inner join placed_codes as golds on gold_concepts.concept_id = golds.code
    left join finding_pairs
        on
            pairs.gold_key = finding_pairs.gold_key
            and pairs.reading_key = finding_pairs.reading_key
),

-- both below the level of a block. A name known only without its qualifiers is narrower than its
-- code, so its code can be below another, but never above one. A heading can be called after one of
-- the diseases below it, as erythema multiforme over the Stevens-Johnson syndrome
codes_above as (
    select
        code_pairs.*,
        starts_with(gold_path, code_path) and finding is not null as is_finding,
    from code_pairs
    left join {{ ref('disease_class_correction') }} as corrections
        on
            corrections.correction = 'removed'
            and least(code_path, gold_path) like '% > ' || corrections.parent
            and contains(
                greatest(code_path, gold_path) || ' > ', ' > ' || corrections.child || ' > '
            )
    where
        corrections.child is null
        and category_code is not null
        and gold_category_code is not null
        and (
            (starts_with(gold_path, code_path || ' > ') and is_exact and not is_residual)
            or (
                starts_with(code_path, gold_path || ' > ')
                and is_gold_exact
                and not is_gold_residual
            )
        )
),

-- the same illness in another part of ICD-10-CM, which no path leads to: a stone of the kidney and
-- its colic. What is coded below the child is the child
stated_links as (
    select
        lower_codes.code as child,
        corrections.parent,
    from {{ ref('disease_class_correction') }} as corrections
    inner join codes as lower_codes on starts_with(lower_codes.code, corrections.child)
    where corrections.correction = 'added'
),

-- one or two steps, and the upper term is more than a body system
general_terms as (
    select
        hpo_ancestors.hpo_id,
        hpo_ancestors.ancestor_hpo_id,
        hpo_terms.hpo_name,
    from {{ ref('bridge_hpo_ancestor') }} as hpo_ancestors
    inner join {{ ref('dim_hpo_term') }} as hpo_terms
        on
            hpo_ancestors.ancestor_hpo_id = hpo_terms.hpo_id
            and hpo_terms.is_phenotypic_abnormality
            and hpo_terms.information_content >= {{ parameter('hypernym_information_content') }}
    anti join {{ ref('disease_class_correction') }} as corrections
        on
            hpo_ancestors.hpo_id = corrections.child
            and hpo_ancestors.ancestor_hpo_id = corrections.parent
    where hpo_ancestors.distance between 1 and 2
),

terms_above as (
    select
        concept_pairs.*,
        general_terms.hpo_name,
        finding_pairs.finding is not null as is_finding,
    from concept_pairs
    inner join general_terms
        on
            concept_pairs.is_exact
            and concept_pairs.gold_concept_id = general_terms.hpo_id
            and concept_pairs.concept_id = general_terms.ancestor_hpo_id
    left join finding_pairs using (gold_key, reading_key)
    union all
    select
        concept_pairs.*,
        general_terms.hpo_name,
        finding_pairs.symptom is not null as is_finding,
    from concept_pairs
    inner join general_terms
        on
            concept_pairs.is_gold_exact
            and concept_pairs.concept_id = general_terms.hpo_id
            and concept_pairs.gold_concept_id = general_terms.ancestor_hpo_id
    left join finding_pairs using (gold_key, reading_key)
),

evidence as (
    select {{ evidence("rule", "concept_id") }}
    from same_concepts
    union all
    -- a heading and its unspecified code are one
    select {{ evidence("'same_code'", "code || ' and ' || gold_code") }}
    from code_pairs
    where
        steps_apart = 0
        and code != gold_code
        and is_exact
        and is_gold_exact
        and not is_residual
        and not is_gold_residual
    union all
    select
        {{ evidence(
            "if(is_finding, 'finding_above', 'icd10_above')",
            "code || ' and ' || gold_code || ', steps apart: ' || steps_apart"
        ) }}
    from codes_above
    union all
    {%- for child, parent, exact in [
        ("code", "gold_code", "is_gold_exact"),
        ("gold_code", "code", "is_exact"),
    ] %}
        select {{ evidence("'icd10_above'", "code || ' and ' || gold_code || ', linked'") }}
        from code_pairs
        inner join stated_links
            on
                code_pairs.{{ child }} = stated_links.child
                and code_pairs.{{ parent }} = stated_links.parent
        where {{ exact }}
        union all
    {%- endfor %}
    select {{ evidence("'icd10_category'", "category_code") }}
    from code_pairs
    where category_code = gold_category_code
    union all
    select {{ evidence("'icd10_block'", "block_code") }}
    from code_pairs
    where block_code = gold_block_code
    union all
    select {{ evidence("if(is_finding, 'finding_above', 'hpo_above')", "hpo_name") }}
    from terms_above
),

final as (
    {{ first_reasons("evidence") }}
)

select * from final
