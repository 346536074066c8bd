{%- set family = "stratum_kind, stratum, question_set, metric, family" %}

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
            configuration_a, configuration_b, stratum_kind, stratum, metric, question_set, method
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

members as (
    select
        {{ family }},
        unnest([configuration_a, configuration_b]) as configuration_id,
    from tests
    where family is not null
),

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
            partition by
                tests.stratum_kind, tests.stratum, tests.question_set, tests.metric, tests.family
            order by tests.p_value, tests.configuration_a, tests.configuration_b
        ) as position,
    from tests
    left join families using (stratum_kind, stratum, question_set, metric, family)
),

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
        n_family_comparisons::integer as n_family_comparisons,
        estimate_a,
        estimate_b,
        difference,
        difference_low,
        difference_high,
        p_value,
        p_value_adjusted,
        p_value_fdr,
        case
            when family is not null
                then {{ holm("p_value", "position", "n_family_comparisons", family) }}
        end as p_value_family,
        case
            when family is not null
                then {{ benjamini_hochberg(
                    "p_value", "position", "n_family_comparisons", family
                ) }}
        end as p_value_family_fdr,
    from ordered
)

select * from final
