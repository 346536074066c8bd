{{ config(materialized='view') }}

with configurations as (
    select * from {{ ref('dim_configuration') }}
),

-- a model asked again is no other model, so that its pairs belong to no family
repeats as (
    select model_alias,
    from {{ ref('stg_registry__llm_model') }}
    where repeat_number > 1
),

-- the Python model returns dictionaries; the mart has names. Of the questions a person asks: which
-- prompt for this model, which model with this prompt. Not materialized: there may be millions
tests as not materialized (
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
            when
                first_side.model_alias in (select model_alias from repeats)
                or second_side.model_alias in (select model_alias from repeats)
                then null
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

-- a difference that is the same in every case has no spread, and is not certain either; it is at
-- most as large as the metric's range
ranges as (
    select
        *,
        case
            when metric like '%_aggregate' then 2
            when metric like 'mean_%' then 16
            else 1
        end as largest_difference,
    from corrected
),

statuses as (
    select * from {{ ref('outcome_statuses') }}
),

-- cells that the cap left unasked and answers that did not come count as misses; where these are
-- more than a tenth, what is compared is the server rather than the model
missed as (
    select
        outcomes.configuration_id,
        count(*) as n_cells,
        count(*) filter (where status = 'blocked_by_budget') as n_stopped,
        count(*) filter (where statuses.outcome_class != 'not_asked') as n_asked,
        count(*) filter (where statuses.outcome_class = 'delivery_failure') as n_undelivered,
    from {{ ref('int_experiments__cell_outcomes') }} as outcomes
    inner join statuses using (status)
    group by all
),

final as (
    select
        ranges.configuration_a,
        ranges.configuration_b,
        ranges.judge_id,
        ranges.test_set,
        ranges.metric,
        ranges.method,
        ranges.prompt_version_a,
        ranges.prompt_version_b,
        judges.terminology_release,
        nullif(
            concat_ws(
                '; ',
                {%- for side in "ab" %}
                    case
                        when missed_{{ side }}.n_stopped > 0
                            then
                                'the budget cap stopped ' || missed_{{ side }}.configuration_id
                                || ' before ' || missed_{{ side }}.n_stopped::varchar || ' of '
                                || missed_{{ side }}.n_cells::varchar
                                || ' cells, which count as misses'
                    end,
                    case
                        when missed_{{ side }}.n_undelivered * 10 > missed_{{ side }}.n_asked
                            then
                                missed_{{ side }}.n_undelivered::varchar || ' of '
                                || missed_{{ side }}.n_asked::varchar || ' answers of '
                                || missed_{{ side }}.configuration_id
                                || ' were not delivered and count as misses'
                    end
                    {%- if not loop.last %},{% endif %}
                {%- endfor %}
            ),
            ''
        ) as caveat,
        ranges.estimate_a,
        ranges.estimate_b,
        ranges.difference,
        {%- for end, sign, cut in (("low", "-", "greatest"), ("high", "+", "least")) %}
            case
                when ranges.difference_low = ranges.difference_high
                    then {{ equal_values_end(
                        "ranges.difference", "ranges.n_units", sign,
                        "-ranges.largest_difference", "ranges.largest_difference"
                    ) }}
                when ranges.difference_{{ end }} is not null
                    then {{ cut }}(
                        ranges.difference_{{ end }}, {{ sign }}1 * ranges.largest_difference
                    )
            end as difference_{{ end }},
        {%- endfor %}
        ranges.p_value,
        ranges.p_value_adjusted,
        ranges.p_value_fdr,
        ranges.family,
        ranges.n_family_comparisons,
        ranges.p_value_family,
        ranges.p_value_family_fdr,
        ranges.n_units as n_cases,
        ranges.n_a_better,
        ranges.n_b_better,
        ranges.n_comparisons,
    from ranges
    inner join judges on ranges.judge_id = judges.judge_id
    left join missed as missed_a on ranges.configuration_a = missed_a.configuration_id
    left join missed as missed_b on ranges.configuration_b = missed_b.configuration_id
)

select * from final
