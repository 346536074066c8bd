with pairs as (
    select
        configuration_a,
        configuration_b,
        judge_id,
        test_set,
        metric,
        estimate_a,
        estimate_b,
        n_cases,
        n_a_better,
        n_b_better,
    from {{ ref('int_experiments__configuration_pairs') }}
),

tests as (
    select
        configuration_a,
        configuration_b,
        judge_id,
        test_set,
        metric,
        method,
        difference,
        difference_low,
        difference_high,
        p_value,
        p_value_adjusted,
        n_comparisons,
    from {{ ref('int_experiments__configuration_tests') }}
),

final as (
    select
        pairs.configuration_a,
        pairs.configuration_b,
        pairs.judge_id,
        pairs.test_set,
        pairs.metric,
        tests.method,
        pairs.estimate_a,
        pairs.estimate_b,
        tests.difference,
        tests.difference_low,
        tests.difference_high,
        tests.p_value,
        tests.p_value_adjusted,
        pairs.n_cases,
        pairs.n_a_better,
        pairs.n_b_better,
        tests.n_comparisons,
    from pairs
    inner join tests
        using (configuration_a, configuration_b, judge_id, test_set, metric)
)

select * from final
