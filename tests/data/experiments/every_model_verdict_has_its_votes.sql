{{ config(tags=['tier1']) }}

-- a verdict of a language-model judge leads to its votes, and each of them to a request
with verdicts as (
    select
        judged.configuration_id,
        judged.case_id,
        judged.diagnosis_rank,
        judged.judge_id,
        judged.n_votes,
    from {{ ref('fct_judged_diagnosis') }} as judged
    inner join {{ ref('dim_judge') }} as judges on judged.judge_id = judges.judge_id
    where judges.kind = 'llm'
),

votes as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        coalesce(
            nullif(count(request_key) filter (where scale = 'semantic'), 0),
            count(request_key) filter (where scale = 'severity')
        ) as n_listed_votes,
    from {{ ref('fct_judge_vote') }}
    where probe = 'none' and outcome != 'not_in_list'
    group by all
    -- severities alone, known from the same list of another configuration, are no verdict
    having bool_or(scale = 'semantic')
),

cells as (
    select * from {{ ref('int_experiments__expected_cells') }}
),

-- the first list of a configuration is of every sample that a judge has of it
first_lists as (
    select
        cells.configuration_id,
        min(cells.sample_order) as sample_order,
    from cells
    inner join {{ ref('int_experiments__judged_lists') }} as lists
        on
            cells.configuration_id = lists.configuration_id
            and cells.case_id = lists.case_id
            and lists.probe = 'none'
            and lists.is_judged
    group by all
),

sample_ends as (
    select
        verdicts.configuration_id,
        verdicts.judge_id,
        max(cells.sample_order) as sample_order,
    from verdicts
    inner join cells using (configuration_id, case_id)
    group by all
)

select verdicts_and_votes.*
from (
    select *
    from verdicts
    full join votes using (configuration_id, case_id, diagnosis_rank, judge_id)
) as verdicts_and_votes
inner join cells using (configuration_id, case_id)
inner join first_lists using (configuration_id)
left join sample_ends using (configuration_id, judge_id)
where
    verdicts_and_votes.n_votes is distinct from verdicts_and_votes.n_listed_votes
    -- a list behind the sample that asks what one of the sample asks has its votes, and they do
    -- not count
    and (
        verdicts_and_votes.n_votes is not null
        or cells.sample_order <= coalesce(sample_ends.sample_order, first_lists.sample_order)
    )
