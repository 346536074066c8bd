{{ config(materialized='view') }}

with tests as (
    select * from {{ ref('int_experiments__configuration_tests') }}
),

judges as (
    select * from {{ ref('dim_judge') }}
),

configurations as (
    select * from {{ ref('dim_configuration') }}
),

-- the Python model returns dictionaries; the mart has names
final as (
    select
        tests.configuration_a::varchar as configuration_a,
        tests.configuration_b::varchar as configuration_b,
        tests.judge_id::varchar as judge_id,
        tests.test_set::varchar as test_set,
        tests.metric::varchar as metric,
        tests.method::varchar as method,
        first_side.prompt_version as prompt_version_a,
        second_side.prompt_version as prompt_version_b,
        judges.terminology_release,
        tests.estimate_a,
        tests.estimate_b,
        tests.difference,
        tests.difference_low,
        tests.difference_high,
        tests.p_value,
        tests.p_value_adjusted,
        tests.p_value_fdr,
        tests.n_units as n_cases,
        tests.n_a_better,
        tests.n_b_better,
        tests.n_comparisons,
    from tests
    inner join judges on tests.judge_id = judges.judge_id
    inner join configurations as first_side on tests.configuration_a = first_side.configuration_id
    inner join configurations as second_side on tests.configuration_b = second_side.configuration_id
)

select * from final
