-- What is judged is content alone, a gold diagnosis and a way to read an answer, under keys made of
-- nothing else. So no row here is a user's or an anchor's: who asks about the same content gets the
-- same verdict, no id of a user's can meet one of ours, and no number of rows moves another.
with everything as (
    select
        golds.gold_key,
        lists.diagnosis,
    from {{ ref('int_experiments__judged_lists') }} as lists
    inner join {{ ref('int_experiments__case_golds') }} as golds on lists.case_id = golds.case_id
    where lists.is_scored
    union
    select
        {{ gold_key("[gold_diagnosis]") }} as gold_key,
        diagnosis,
    from {{ ref('judge_anchors') }}
),

final as (
    select distinct
        everything.gold_key,
        keys.reading_key,
    from everything
    inner join {{ ref('int_experiments__reading_keys') }} as keys
        on everything.diagnosis = keys.diagnosis
)

select * from final
