with cases as (
    select * from {{ ref('stg_recommendations__golden_case') }}
),

kinds as (
    select
        case_id,
        unnest(['problem', 'rule', 'red_flag', 'source_type']) as fact_kind,
        unnest([
            json_extract(expected_json, '$.problems'),
            json_extract(expected_json, '$.rules'),
            json_extract(expected_json, '$.escalations'),
            json_extract(expected_json, '$.source_types'),
        ]) as expectations,
    from cases
    union all
    select
        case_id,
        'severity' as fact_kind,
        json_array(json_extract(expected_json, '$.severity')) as expectations,
    from cases
),

expectations as (
    select
        case_id,
        fact_kind,
        unnest(cast(expectations as json[])) as expectation,
    from kinds
),

final as (
    select
        case_id,
        fact_kind,
        expectation ->> '$.value' as expected,
        expectation ->> '$.because' as because,
    from expectations
    -- a case without a problem of the field has the word none
    where expectation ->> '$.value' != 'none'
)

select * from final
