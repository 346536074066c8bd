with samples as (
    select
        configuration_id,
        stratum_kind,
        stratum,
        metric,
        n_cases,
        n_hits,
        estimate,
    from {{ ref('int_questions__metric_samples') }}
),

intervals as (
    select
        configuration_id,
        stratum_kind,
        stratum,
        metric,
        estimate_low,
        estimate_high,
    from {{ ref('int_questions__metric_intervals') }}
),

configurations as (
    select
        configuration_id,
        model_alias,
        strategy,
        question_set,
        is_baseline,
    from {{ ref('dim_question_configuration') }}
),

-- what naming options blindly would score on the very questions a metric counts
chances as (
    select
        metrics.configuration_id,
        strata.stratum_kind,
        strata.stratum,
        metrics.metric,
        {{ chance_level("questions.n_options", "1") }} as one_option,
        {{ chance_level("questions.n_options", "3") }} as three_options,
        {{ weighted_mean("lexical.is_choice_correct::double", "1") }} as baseline_estimate,
    from {{ ref('int_questions__question_metrics') }} as metrics
    inner join {{ ref('int_questions__question_strata') }} as strata
        on metrics.question_id = strata.question_id
    inner join {{ ref('dim_question') }} as questions
        on metrics.question_id = questions.question_id
    inner join configurations as baselines
        on metrics.question_set = baselines.question_set and baselines.is_baseline
    inner join {{ ref('int_questions__outcomes') }} as lexical
        on
            baselines.configuration_id = lexical.configuration_id
            and metrics.question_id = lexical.question_id
    group by all
),

final as (
    select
        samples.configuration_id,
        samples.stratum_kind,
        samples.stratum,
        samples.metric,
        configurations.model_alias,
        configurations.strategy,
        configurations.question_set,
        samples.n_cases as n_questions,
        samples.n_hits,
        samples.estimate,
        intervals.estimate_low,
        intervals.estimate_high,
        case
            when samples.metric like 'top3%' then chances.three_options
            when samples.metric like '%accuracy%' then chances.one_option
        end as chance_level,
        case when samples.metric like '%accuracy%' then chances.baseline_estimate end
            as baseline_estimate,
        samples.n_cases < {{ parameter('small_stratum') }} as is_small,
    from samples
    inner join intervals using (configuration_id, stratum_kind, stratum, metric)
    inner join configurations on samples.configuration_id = configurations.configuration_id
    left join chances
        on
            samples.configuration_id = chances.configuration_id
            and samples.stratum_kind = chances.stratum_kind
            and samples.stratum = chances.stratum
            and samples.metric = chances.metric
)

select * from final
