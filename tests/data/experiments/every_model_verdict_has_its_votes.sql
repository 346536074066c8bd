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
)

select *
from verdicts
full join votes using (configuration_id, case_id, diagnosis_rank, judge_id)
where verdicts.n_votes is distinct from votes.n_listed_votes
