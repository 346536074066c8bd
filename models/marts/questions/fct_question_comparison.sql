with configurations as (
    select * from {{ ref('dim_question_configuration') }}
),

-- the Python model returns dictionaries; the mart has names. Of the questions a person asks: which
-- model in the same way, which way for this model
tests as (
    select
        tests.configuration_a::varchar as configuration_a,
        tests.configuration_b::varchar as configuration_b,
        tests.stratum_kind::varchar as stratum_kind,
        tests.stratum::varchar as stratum,
        tests.metric::varchar as metric,
        tests.question_set::varchar as question_set,
        tests.method::varchar as method,
        tests.* exclude (
            configuration_a,
            configuration_b,
            stratum_kind,
            stratum,
            metric,
            question_set,
            answered_from,
            method
        ),
        case
            when first_side.model_alias = second_side.model_alias
                then 'strategies of ' || first_side.model_alias
            when first_side.strategy = second_side.strategy
                then 'models with ' || first_side.strategy
        end as family,
    from {{ ref('int_questions__configuration_tests') }} as tests
    inner join configurations as first_side on tests.configuration_a = first_side.configuration_id
    inner join configurations as second_side on tests.configuration_b = second_side.configuration_id
),

{{ corrected_within_families(["stratum_kind", "stratum", "question_set", "metric"]) }},

final as (
    select
        configuration_a,
        configuration_b,
        stratum_kind,
        stratum,
        metric,
        question_set,
        method,
        family,
        n_units as n_questions,
        n_a_better,
        n_b_better,
        n_comparisons,
        n_family_comparisons,
        estimate_a,
        estimate_b,
        difference,
        difference_low,
        difference_high,
        p_value,
        p_value_adjusted,
        p_value_fdr,
        p_value_family,
        p_value_family_fdr,
    from corrected
)

select * from final
