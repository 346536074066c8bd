with golds as (
    select * from {{ ref('int_experiments__gold_diagnoses') }}
),

by_name as (
    select
        gold_names.gold_key,
        concepts.concept_id,
        concepts.vocabulary,
        concepts.is_exact,
        concepts.is_title,
    from {{ ref('int_experiments__gold_names') }} as gold_names
    inner join {{ ref('int_experiments__name_concepts') }} as concepts
        on gold_names.gold_name = concepts.name
    where not gold_names.is_short_form
),

everything as (
    select
        gold_key,
        gold_concept_id as concept_id,
        'disease' as vocabulary,
        true as is_exact,
        true as is_title,
    from golds
    where gold_concept_id is not null
    union all
    select
        gold_key,
        icd10_code as concept_id,
        'icd10cm' as vocabulary,
        true as is_exact,
        true as is_title,
    from golds
    where icd10_code is not null
    union all
    select
        gold_key,
        concept_id,
        vocabulary,
        is_exact,
        is_title,
    from by_name
),

final as (
    select
        gold_key,
        concept_id,
        vocabulary,
        bool_or(is_exact) as is_exact,
        bool_or(is_title) as is_title,
    from everything
    group by all
)

select * from final
