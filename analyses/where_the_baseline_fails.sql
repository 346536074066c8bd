-- Cases whose gold disease the SQL baseline does not name in its first ten, and what it put
-- first.
select
    scores.case_id,
    cases.gold_name,
    judged.diagnosis as first_diagnosis,
    judged.semantic_relation,
    judged.semantic_reason,
    judged.against,
from {{ ref('fct_case_score') }} as scores
inner join {{ ref('dim_case') }} as cases on scores.case_id = cases.case_id
inner join {{ ref('fct_judged_diagnosis') }} as judged
    on
        scores.configuration_id = judged.configuration_id
        and scores.case_id = judged.case_id
        and scores.judge_id = judged.judge_id
        and judged.diagnosis_rank = 1
where
    scores.configuration_id = 'ic_ranker/no_prompt/simulated_rare_200'
    and scores.judge_id = 'terminology'
    and scores.strict_rank is null
order by scores.case_id
