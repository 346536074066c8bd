with cases as (
    select * from {{ ref('int_recommendations__evaluated_cases') }}
),

expectations as (
    select
        case_id,
        list(expected order by expected) filter (fact_kind = 'rule') as expected_rules,
        list(expected order by expected) filter (fact_kind = 'red_flag') as expected_flags,
    from {{ ref('int_recommendations__golden_expectations') }}
    group by all
),

-- of a golden case nothing expected is an empty list; of other patients nobody expects anything
final as (
    select
        cases.tenant_id,
        cases.case_id,
        cases.patient_json,
        case when cases.is_golden then coalesce(expectations.expected_rules, []) end
            as expected_rules,
        case when cases.is_golden then coalesce(expectations.expected_flags, []) end
            as expected_flags,
    from cases
    left join expectations on cases.is_golden and cases.case_id = expectations.case_id
)

select * from final
