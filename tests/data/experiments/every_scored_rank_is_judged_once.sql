{{ config(tags=['tier1']) }}

with lists as (
    select * from {{ ref('int_experiments__ranked_diagnoses') }}
),

kinds as (
    select
        judge_id,
        kind,
    from {{ ref('dim_judge') }}
),

judged_lists as (
    select distinct
        configuration_id,
        case_id,
        judge_id,
    from {{ ref('fct_judged_diagnosis') }}
),

-- rules judge every list; other programs every list of the configurations they judge; models, and
-- juries of them, may have a sample of the lists
expected_lists as (
    select distinct
        lists.configuration_id,
        lists.case_id,
        kinds.judge_id,
    from lists
    inner join kinds on kinds.kind = 'terminology'
    union
    select
        lists.configuration_id,
        lists.case_id,
        judged_lists.judge_id,
    from lists
    inner join judged_lists on lists.configuration_id = judged_lists.configuration_id
    inner join kinds on judged_lists.judge_id = kinds.judge_id
    where
        kinds.kind not in ('person', 'terminology')
        and (kinds.kind not in ('llm', 'jury') or lists.case_id = judged_lists.case_id)
),

expected as (
    select
        lists.configuration_id,
        lists.case_id,
        lists.diagnosis_rank,
        kinds.judge_id,
    from lists
    inner join expected_lists
        on
            lists.configuration_id = expected_lists.configuration_id
            and lists.case_id = expected_lists.case_id
    inner join kinds on expected_lists.judge_id = kinds.judge_id
    where
        -- labels of people and of published runs, and so those of juries, may end at the fifth rank
        lists.diagnosis_rank <= if(
            kinds.kind in ('terminology', 'llm'),
            {{ max_judged_rank() }},
            {{ max_scored_rank() }}
        )
),

judged as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        count(*) as n_rows,
        count(relations.semantic_relation) as n_relations,
        count(levels.severity) as n_severities,
    from {{ ref('fct_judged_diagnosis') }}
    left join {{ ref('semantic_relations') }} as relations using (semantic_relation)
    left join {{ ref('severity_levels') }} as levels using (severity)
    group by all
)

select
    expected.configuration_id,
    expected.case_id,
    expected.diagnosis_rank,
    expected.judge_id,
    judged.n_rows,
    judged.n_relations,
    judged.n_severities,
from expected
left join judged using (configuration_id, case_id, diagnosis_rank, judge_id)
where
    judged.n_rows is distinct from 1
    or judged.n_relations is distinct from 1
    or judged.n_severities is distinct from 1
