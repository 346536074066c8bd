-- What is judged is content alone, a gold diagnosis and a way to read an answer, under keys made of
-- nothing else. So no row here is a user's or an anchor's: who asks about the same content gets the
-- same verdict, no id of a user's can meet one of ours, and no number of rows moves another.
with lists as (
    select * from {{ ref('int_experiments__judged_lists') }}
    where is_scored
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
