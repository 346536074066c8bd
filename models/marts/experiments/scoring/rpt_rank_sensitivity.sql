{#- Other metrics to rank configurations by, under the reference each is compared with; -1 where
    less is better. Labels that only say where the gold diagnosis stands give no aggregate, and are
    compared by the first five. -#}
{%- set orders = {
    "semantic_aggregate": [
        ("top1_strict", 1), ("top5_strict", 1), ("top1_broad", 1), ("top5_broad", 1),
        ("mrr_strict", 1), ("mrr_broad", 1), ("mean_semantic_score", 1),
        ("mean_semantic_score_full_list", 1), ("balanced_mean_semantic_score", 1),
        ("dangerous_omission", -1),
    ],
    "severity_aggregate": [
        ("mean_severity_score", 1), ("mean_severity_score_full_list", 1), ("mean_acuity_score", 1),
        ("mean_rarity_score", 1), ("balanced_mean_severity_score", 1),
    ],
    "top5_broad": [],
} -%}
{%- set ordered_pair -%}
    if(
        direction > 0,
        configuration_id || ' > ' || other_configuration_id,
        other_configuration_id || ' > ' || configuration_id
    )
{%- endset %}
{%- set is_comparable -%}
    pairs.n_directions = 1
    and 2 * pairs.n_compared = judges.n_judges * (judges.n_judges - 1)
{%- endset %}

-- how far the order of configurations depends on choices a reviewer may question: steepness and
-- midpoint of the sigmoid, the metric, and the judge
with scored as (
    select *
    from {{ ref('fct_configuration_score') }}
    where setting = 'medium' and is_asked
    qualify
        row_number() over (
            partition by judge_id, test_set
            order by semantic_aggregate desc nulls last, configuration_id asc
        ) <= {{ parameter('sensitivity_configurations') }}
),

-- without that of the usual ranking
sigmoids as (
    select
        steepnesses.steepness,
        midpoints.midpoint,
    from (values (0.5), (1.0), (2.0), (3.0), (4.0)) as steepnesses (steepness)
    cross join (values (-0.3), (0.0), (0.3)) as midpoints (midpoint)
    anti join {{ ref('difficulty_settings') }} as settings
        on
            steepnesses.steepness = settings.steepness
            and midpoints.midpoint = settings.midpoint
            and settings.setting = 'medium'
),

cases as (
    select
        metrics.test_set,
        metrics.judge_id,
        metrics.configuration_id,
        metrics.case_id,
        unnest([
            { reference: 'semantic_aggregate', case_value: metrics.semantic_rescaled },
            { reference: 'severity_aggregate', case_value: metrics.severity_rescaled },
            { reference: 'top5_broad', case_value: metrics.top5_broad }
        ], recursive := true),
    from {{ ref('int_experiments__case_metrics') }} as metrics
    semi join scored using (judge_id, configuration_id)
),

by_sigmoid as (
    select
        cases.test_set,
        cases.judge_id,
        cases.configuration_id,
        cases.reference,
        'k ' || sigmoids.steepness || ', x0 ' || sigmoids.midpoint as ranked_by,
        {{ weighted_mean(
            "cases.case_value",
            case_weight("cases.case_value", "sigmoids.steepness", "sigmoids.midpoint")
        ) }} as estimate,
    from cases
    cross join sigmoids
    where cases.case_value is not null and cases.reference != 'top5_broad'
    group by all
),

by_metric as (
    select
        test_set,
        judge_id,
        configuration_id,
        n_cases,
        unnest([
            {%- for reference, metrics in orders.items() %}
                {
                    reference: '{{ reference }}',
                    ranked_by: '{{ reference }}',
                    estimate: {{ reference }}
                },
                {%- for metric, sign in metrics %}
                    {
                        reference: '{{ reference }}',
                        ranked_by: '{{ metric }}',
                        estimate: {{ sign }} * {{ metric }}
                    },
                {%- endfor %}
            {%- endfor %}
        ], recursive := true),
    from scored
),

estimates as (
    select * from by_sigmoid
    union all by name
    select * from by_metric
    where estimate is not null
),

references_of_judges as (
    select * from estimates
    where ranked_by = reference
),

-- the same judge by another rule
by_one_judge as (
    select
        usual.test_set,
        usual.reference,
        usual.judge_id,
        usual.judge_id as other_judge_id,
        other.ranked_by,
        usual.configuration_id,
        usual.n_cases,
        usual.n_cases as other_n_cases,
        null::bigint as n_common,
        usual.estimate,
        other.estimate as other_estimate,
    from references_of_judges as usual
    inner join estimates as other
        on
            usual.test_set = other.test_set
            and usual.reference = other.reference
            and usual.judge_id = other.judge_id
            and usual.configuration_id = other.configuration_id
            and other.ranked_by != other.reference
),

medium as (
    select * from {{ ref('difficulty_settings') }}
    where setting = 'medium'
),

-- another judge by the same rule, on the cases that both judged: one may have seen a sample
common as (
    select
        usual.test_set,
        usual.reference,
        usual.judge_id,
        other.judge_id as other_judge_id,
        usual.configuration_id,
        count(*) as n_common,
        {%- for judge, column in [("usual", "estimate"), ("other", "other_estimate")] %}
            {%- set value = judge ~ ".case_value" %}
            case
                when usual.reference = 'top5_broad' then {{ plain_mean(value) }}
                else {{ weighted_mean(
                    value, case_weight(value, "medium.steepness", "medium.midpoint")
                ) }}
            end as {{ column }},
        {%- endfor %}
    from cases as usual
    inner join cases as other
        on
            usual.test_set = other.test_set
            and usual.reference = other.reference
            and usual.configuration_id = other.configuration_id
            and usual.case_id = other.case_id
            and usual.judge_id < other.judge_id
    cross join medium
    where usual.case_value is not null and other.case_value is not null
    group by
        usual.test_set, usual.reference, usual.judge_id, other.judge_id, usual.configuration_id
),

by_two_judges as (
    select
        common.test_set,
        common.reference,
        common.judge_id,
        common.other_judge_id,
        common.reference as ranked_by,
        common.configuration_id,
        usual.n_cases,
        other.n_cases as other_n_cases,
        common.n_common,
        common.estimate,
        common.other_estimate,
    from common
    inner join references_of_judges as usual
        on
            common.test_set = usual.test_set
            and common.reference = usual.reference
            and common.judge_id = usual.judge_id
            and common.configuration_id = usual.configuration_id
    inner join references_of_judges as other
        on
            common.test_set = other.test_set
            and common.reference = other.reference
            and common.other_judge_id = other.judge_id
            and common.configuration_id = other.configuration_id
),

compared as (
    select * from by_one_judge
    union all by name
    select * from by_two_judges
),

-- configurations that were asked about as many cases, as in a ranking
pairs as (
    select
        one.* exclude (estimate, other_estimate, n_cases, other_n_cases, n_common),
        another.configuration_id as other_configuration_id,
        sign(one.estimate - another.estimate) as direction,
        sign(one.other_estimate - another.other_estimate) as other_direction,
    from compared as one
    inner join compared as another
        using (test_set, reference, judge_id, other_judge_id, ranked_by)
    where
        one.configuration_id < another.configuration_id
        and one.n_cases is not distinct from another.n_cases
        and one.other_n_cases is not distinct from another.other_n_cases
        and one.n_common is not distinct from another.n_common
),

judges_of_pairs as (
    select
        one.test_set,
        one.reference,
        one.configuration_id,
        another.configuration_id as other_configuration_id,
        count(*) as n_judges,
    from references_of_judges as one
    inner join references_of_judges as another
        on
            one.test_set = another.test_set
            and one.reference = another.reference
            and one.judge_id = another.judge_id
            and one.configuration_id < another.configuration_id
            and one.n_cases is not distinct from another.n_cases
    group by all
),

by_rule as (
    select
        test_set,
        reference,
        judge_id,
        other_judge_id,
        ranked_by,
        {%- for column, sign in [("swapped", "<"), ("kept", ">")] %}
            list(
                {{ ordered_pair }}
                order by configuration_id, other_configuration_id
            ) filter (where direction * other_direction {{ sign }} 0) as {{ column }}_pairs,
        {%- endfor %}
        count(*)::integer as n_pairs,
        count(*) filter (where direction * other_direction < 0)::integer as n_swapped,
        count(*) filter (where direction * other_direction > 0)::integer as n_kept,
        round(sum(direction * other_direction) / count(*), 9) as kendall_tau,
    from pairs
    group by all
),

orders_of_pairs as (
    select
        test_set,
        reference,
        configuration_id,
        other_configuration_id,
        first(direction order by judge_id, other_judge_id, ranked_by) as direction,
        bool_or(direction * other_direction < 0) as is_swapped,
        bool_and(direction * other_direction > 0) as is_in_order,
        count(distinct direction) as n_directions,
        count(*) filter (where judge_id != other_judge_id) as n_compared,
    from pairs
    group by all
),

-- what survives every choice: the pairs in one and the same order in all of these rankings. In
-- order within each of them is not enough where two judges share no cases, or where the order on
-- the cases they share is not that on all cases.
by_pair as (
    select
        pairs.test_set,
        pairs.reference,
        pairs.configuration_id,
        pairs.other_configuration_id,
        pairs.direction,
        pairs.is_swapped,
        pairs.is_in_order and {{ is_comparable }} as is_kept,
        pairs.is_in_order and not ({{ is_comparable }}) as is_incomparable,
    from orders_of_pairs as pairs
    inner join judges_of_pairs as judges
        using (test_set, reference, configuration_id, other_configuration_id)
),

by_everything as (
    select
        test_set,
        reference,
        'all' as judge_id,
        'all' as other_judge_id,
        'all' as ranked_by,
        {%- for column in ["swapped", "kept", "incomparable"] %}
            list(
                {{ ordered_pair }}
                order by configuration_id, other_configuration_id
            ) filter (where is_{{ column }}) as {{ column }}_pairs,
        {%- endfor %}
        count(*)::integer as n_pairs,
        {%- for column in ["swapped", "kept", "incomparable"] %}
            count(*) filter (where is_{{ column }})::integer as n_{{ column }},
        {%- endfor %}
    from by_pair
    group by all
),

collected as (
    select * from by_rule
    union all by name
    select * from by_everything
),

final as (
    select
        test_set,
        reference,
        judge_id,
        other_judge_id,
        ranked_by,
        swapped_pairs,
        kept_pairs,
        incomparable_pairs,
        n_pairs,
        n_swapped,
        n_kept,
        n_incomparable,
        kendall_tau,
    from collected
)

select * from final
