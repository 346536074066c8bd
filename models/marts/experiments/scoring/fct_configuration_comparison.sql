{{ config(materialized='view') }}
{%- set family = "judge_id, test_set, metric, family" %}
{%- set of_ordered = "ordered.judge_id, ordered.test_set, ordered.metric, ordered.family" %}

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

members as (
    select
        {{ family }},
        unnest([configuration_a, configuration_b]) as configuration_id,
    from tests
    where family is not null
),

-- every pair of a family counts, also one that was left out of a large test set
families as (
    select
        {{ family }},
        count(distinct configuration_id) as n_members,
        n_members * (n_members - 1) // 2 as n_family_comparisons,
    from members
    group by {{ family }}
),

ordered as (
    select
        tests.*,
        families.n_family_comparisons,
        row_number() over (
            partition by tests.judge_id, tests.test_set, tests.metric, tests.family
            order by tests.p_value, tests.configuration_a, tests.configuration_b
        ) as position,
    from tests
    left join families using (judge_id, test_set, metric, family)
),

judges as (
    select * from {{ ref('dim_judge') }}
),

final as (
    select
        ordered.configuration_a,
        ordered.configuration_b,
        ordered.judge_id,
        ordered.test_set,
        ordered.metric,
        ordered.method,
        ordered.prompt_version_a,
        ordered.prompt_version_b,
        judges.terminology_release,
        ordered.estimate_a,
        ordered.estimate_b,
        ordered.difference,
        ordered.difference_low,
        ordered.difference_high,
        ordered.p_value,
        ordered.p_value_adjusted,
        ordered.p_value_fdr,
        ordered.family,
        ordered.n_family_comparisons::integer as n_family_comparisons,
        case
            when ordered.family is not null
                then {{ holm("p_value", "position", "n_family_comparisons", of_ordered) }}
        end as p_value_family,
        case
            when ordered.family is not null
                then {{ benjamini_hochberg(
                    "p_value", "position", "n_family_comparisons", of_ordered
                ) }}
        end as p_value_family_fdr,
        ordered.n_units as n_cases,
        ordered.n_a_better,
        ordered.n_b_better,
        ordered.n_comparisons,
    from ordered
    inner join judges on ordered.judge_id = judges.judge_id
)

select * from final
