-- Only content is judged, a gold diagnosis and a way to read an answer, under keys made of nothing
-- else. No row belongs to a user or an anchor: the same content gets the same verdict, a user's id
-- cannot collide with one of ours, and adding rows changes no other row.
with lists as (
    select * from {{ ref('int_experiments__judged_lists') }}
    where is_judged
),

golds as (
    select * from {{ ref('int_experiments__case_golds') }}
),

keys as (
    select * from {{ ref('int_experiments__reading_keys') }}
),

diagnoses as (
    select
        golds.gold_key,
        lists.diagnosis,
    from lists
    inner join golds using (case_id)
    union
    select
        {{ gold_key("[gold_diagnosis]") }} as gold_key,
        diagnosis,
    from {{ ref('judge_anchors') }}
),

final as (
    select distinct
        diagnoses.gold_key,
        keys.reading_key,
    from diagnoses
    inner join keys using (diagnosis)
)

select * from final
