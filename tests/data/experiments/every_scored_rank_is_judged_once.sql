{{ config(tags=['tier1']) }}

with cells as (
    select
        configuration_id,
        case_id,
        sample_order,
    from {{ ref('int_experiments__expected_cells') }}
),

-- models and juries of them may have a sample only: they judged all of it, up to a position in its
-- order
judges as (
    select
        judged.configuration_id,
        judged.judge_id,
        kinds.kind,
        if(kinds.kind in ('llm', 'jury'), max(cells.sample_order), null) as last_judged,
    from {{ ref('fct_judged_diagnosis') }} as judged
    inner join {{ ref('dim_judge') }} as kinds on judged.judge_id = kinds.judge_id
    inner join cells
        on judged.configuration_id = cells.configuration_id and judged.case_id = cells.case_id
    where kinds.kind not in ('person', 'terminology')
    group by judged.configuration_id, judged.judge_id, kinds.kind
    union all
    select distinct
        ranked.configuration_id,
        kinds.judge_id,
        kinds.kind,
        null as last_judged,
    from {{ ref('int_experiments__ranked_diagnoses') }} as ranked
    cross join {{ ref('dim_judge') }} as kinds
    where kinds.kind = 'terminology'
),

expected as (
    select
        ranked.configuration_id,
        ranked.case_id,
        ranked.diagnosis_rank,
        judges.judge_id,
    from {{ ref('int_experiments__ranked_diagnoses') }} as ranked
    inner join judges on ranked.configuration_id = judges.configuration_id
    inner join cells
        on ranked.configuration_id = cells.configuration_id and ranked.case_id = cells.case_id
    where
        -- labels of people and of published runs, and so those of juries, may end at the fifth rank
        ranked.diagnosis_rank <= if(
            judges.kind in ('terminology', 'llm'),
            {{ max_judged_rank() }},
            {{ max_scored_rank() }}
        )
        and (judges.last_judged is null or cells.sample_order <= judges.last_judged)
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
