with everything as (
    select
        gold_key,
        gold_names,
        gold_codes,
        gold_concept_id,
        icd10_code,
    from {{ ref('int_experiments__case_golds') }}
    union all
    select
        {{ gold_key("[gold_diagnosis]") }} as gold_key,
        [gold_diagnosis] as gold_names,
        cast([] as varchar[]) as gold_codes,
        cast(null as varchar) as gold_concept_id,
        cast(null as varchar) as icd10_code,
    from {{ ref('judge_anchors') }}
),

final as (
    select distinct
        gold_key,
        gold_names,
        gold_codes,
        gold_concept_id,
        icd10_code,
    from everything
)

select * from final
