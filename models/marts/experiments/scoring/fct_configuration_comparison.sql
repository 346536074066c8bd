{{ config(materialized='view') }}

with configurations as (
    select * from {{ ref('dim_configuration') }}
),

-- the Python model returns dictionaries; the mart has names. Of the questions a person asks: which
-- prompt for this model, which model with this prompt
tests as (
    select
        tests.configuration_a::varchar as configuration_a,
        tests.configuration_b::varchar as configuration_b,
        tests.judge_id::varchar as judge_id,
        tests.test_set::varchar as test_set,
        tests.metric::varchar as metric,
        tests.method::varchar as method,
        tests.* exclude (configuration_a, configuration_b, judge_id, test_set, metric, method),
        first_side.prompt_version as prompt_version_a,
        second_side.prompt_version as prompt_version_b,
        case
            when first_side.model_alias = second_side.model_alias
                then 'prompts of ' || first_side.model_alias
            when first_side.prompt_alias = second_side.prompt_alias
                then 'models with ' || first_side.prompt_alias
        end as family,
    from {{ ref('int_experiments__configuration_tests') }} as tests
    inner join configurations as first_side on tests.configuration_a = first_side.configuration_id
    inner join configurations as second_side on tests.configuration_b = second_side.configuration_id
),

{{ corrected_within_families(["judge_id", "test_set", "metric"]) }},

judges as (
    select * from {{ ref('dim_judge') }}
),

final as (
    select
        corrected.configuration_a,
        corrected.configuration_b,
        corrected.judge_id,
        corrected.test_set,
        corrected.metric,
        corrected.method,
        corrected.prompt_version_a,
        corrected.prompt_version_b,
        judges.terminology_release,
        corrected.estimate_a,
        corrected.estimate_b,
        corrected.difference,
        corrected.difference_low,
        corrected.difference_high,
        corrected.p_value,
        corrected.p_value_adjusted,
        corrected.p_value_fdr,
        corrected.family,
        corrected.n_family_comparisons,
        corrected.p_value_family,
        corrected.p_value_family_fdr,
        corrected.n_units as n_cases,
        corrected.n_a_better,
        corrected.n_b_better,
        corrected.n_comparisons,
    from corrected
    inner join judges on corrected.judge_id = judges.judge_id
)

select * from final
