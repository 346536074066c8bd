{{ config(tags=['tier1']) }}

with people as (
    select judge_id
    from {{ ref('dim_judge') }}
    where kind = 'person'
),

judges as (
    select distinct
        configuration_id,
        judge_id,
    from {{ ref('fct_judged_diagnosis') }}
    anti join people using (judge_id)
    union
    select distinct
        ranked.configuration_id,
        judges.judge_id,
    from {{ ref('int_experiments__ranked_diagnoses') }} as ranked
    cross join {{ ref('dim_judge') }} as judges
    where judges.kind = 'terminology'
),

expected as (
    select
        ranked.configuration_id,
        ranked.case_id,
        ranked.diagnosis_rank,
        judges.judge_id,
    from {{ ref('int_experiments__ranked_diagnoses') }} as ranked
    inner join judges on ranked.configuration_id = judges.configuration_id
    where ranked.diagnosis_rank <= 5
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
