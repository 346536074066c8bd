with tests as (
    select * from {{ ref('int_questions__configuration_tests') }}
),

-- what the Python model sends are dictionaries; what is public are names
final as (
    select
        configuration_a::varchar as configuration_a,
        configuration_b::varchar as configuration_b,
        split_part(judge_id::varchar, '/', 1) as stratum_kind,
        split_part(judge_id::varchar, '/', 2) as stratum,
        metric::varchar as metric,
        test_set::varchar as question_set,
        method::varchar as method,
        n_cases as n_questions,
        n_a_better,
        n_b_better,
        estimate_a,
        estimate_b,
        difference,
        difference_low,
        difference_high,
        p_value,
        p_value_adjusted,
        p_value_fdr,
        n_comparisons,
    from tests
)

select * from final
