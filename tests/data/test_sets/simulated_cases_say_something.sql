{{ config(severity='warn', meta={'holds_of': 'data'}) }}

select
    cases.case_id,
    count(*) as n_findings,
from {{ ref('dim_case') }} as cases
left join {{ ref('bridge_case_phenotype') }} as findings on cases.case_id = findings.case_id
inner join {{ ref('generated_test_sets') }} as simulated
    on cases.test_set = simulated.test_set and simulated.kind = 'simulated'
group by all
having
    count(findings.hpo_id) < 3
    or not bool_and(contains(cases.narrative, e'\n- ' || findings.written_name))
    or contains(lower(any_value(cases.narrative)), lower(any_value(cases.gold_name)))
