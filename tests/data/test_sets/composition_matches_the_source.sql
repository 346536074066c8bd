{{ config(severity='warn', meta={'holds_of': 'data'}) }}

with expected as (
    select
        test_set,
        n_cases,
        level,
        code,
        percent,
    from {{ ref('emergency_source_composition') }}
),

final as (
    select
        expected.test_set,
        expected.code,
        expected.percent as source_percent,
        actual.percent,
        test_sets.n_cases,
    from expected
    left join {{ ref('rpt_test_set_composition') }} as actual
        on
            expected.test_set = actual.test_set
            and expected.level = actual.dimension
            and expected.code = actual.value
    left join {{ ref('dim_test_set') }} as test_sets
        on expected.test_set = test_sets.test_set
    where
        abs(coalesce(actual.percent, 0) - expected.percent) > 2
        or test_sets.n_cases is distinct from expected.n_cases
)

select * from final
