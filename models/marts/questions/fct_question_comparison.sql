with pairs as (
    select
        configuration_a,
        configuration_b,
        judge_id as stratum,
        test_set as question_set,
        metric,
        n_cases,
        n_a_better,
        n_b_better,
        estimate_a,
        estimate_b,
    from {{ ref('int_questions__configuration_pairs') }}
),

tests as (
    select
        configuration_a,
        configuration_b,
        judge_id as stratum,
        test_set as question_set,
        metric,
        method,
        difference,
        difference_low,
        difference_high,
        p_value,
        p_value_adjusted,
        n_comparisons,
    from {{ ref('int_questions__configuration_tests') }}
),

final as (
    select
        pairs.configuration_a,
        pairs.configuration_b,
        split_part(pairs.stratum, '/', 1) as stratum_kind,
        split_part(pairs.stratum, '/', 2) as stratum,
        pairs.metric,
        pairs.question_set,
        tests.method,
        pairs.n_cases as n_questions,
        pairs.n_a_better,
        pairs.n_b_better,
        pairs.estimate_a,
        pairs.estimate_b,
        tests.difference,
        tests.difference_low,
        tests.difference_high,
        tests.p_value,
        tests.p_value_adjusted,
        tests.n_comparisons,
    from pairs
    inner join tests using (configuration_a, configuration_b, stratum, question_set, metric)
)

select * from final
