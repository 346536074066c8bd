with golds as (
    select * from {{ ref('int_experiments__gold_diagnoses') }}
),

gold_names as (
    select * from {{ ref('int_experiments__gold_names') }}
),

name_concepts as (
    select * from {{ ref('int_experiments__name_concepts') }}
),

-- the ids of a case are its diagnosis, whatever its names mean
concepts as (
    select
        gold_key,
        unnest([gold_concept_id, icd10_code]) as concept_id,
        unnest(['disease', 'icd10cm']) as vocabulary,
        true as is_exact,
        true as is_title,
        true as is_by_name,
    from golds
    union all by name
    select
        gold_names.gold_key,
        name_concepts.* exclude (name, found_by),
        name_concepts.found_by = 'name' as is_by_name,
    from gold_names
    inner join name_concepts on gold_names.gold_name = name_concepts.name
    where not gold_names.is_short_form
),

final as (
    select
        gold_key,
        concept_id,
        vocabulary,
        bool_or(is_exact) as is_exact,
        bool_or(is_by_name) as is_by_name,
        bool_or(is_title) as is_title,
    from concepts
    where concept_id is not null
    group by all
)

select * from final
