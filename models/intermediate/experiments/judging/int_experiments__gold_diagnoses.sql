-- An anchor has a name and no codes, so that the judge is held to what it reads in the words alone.
with anchors as (
    select distinct [gold_diagnosis] as gold_names,
    from {{ ref('judge_anchors') }}
),

-- case_id stays out: a verdict depends on the gold diagnosis, never on whose it is
golds as (
    select * exclude (case_id),
    from {{ ref('int_experiments__case_golds') }}
    union all by name
    select
        {{ gold_key("gold_names") }} as gold_key,
        gold_names,
        cast([] as varchar[]) as gold_codes,
    from anchors
),

final as (
    select distinct
        gold_key,
        gold_names,
        gold_codes,
        gold_concept_id,
        icd10_code,
    from golds
)

select * from final
