with tests as (
    select * from {{ ref('int_questions__configuration_tests') }}
),

-- the Python model returns dictionaries; the mart has names
final as (
    select
        configuration_a::varchar as configuration_a,
        configuration_b::varchar as configuration_b,
        stratum_kind::varchar as stratum_kind,
        stratum::varchar as stratum,
        metric::varchar as metric,
        question_set::varchar as question_set,
        method::varchar as method,
        n_units as n_questions,
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
