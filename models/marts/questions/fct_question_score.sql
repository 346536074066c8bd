with estimates as (
    select * from {{ ref('int_questions__metric_estimates') }}
),

configurations as (
    select * from {{ ref('dim_question_configuration') }}
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
        estimates.configuration_id,
        estimates.stratum_kind,
        estimates.stratum,
        estimates.metric,
        configurations.model_alias,
        configurations.strategy,
        configurations.question_set,
        estimates.n_questions,
        estimates.n_hits,
        estimates.estimate,
        estimates.estimate_low,
        estimates.estimate_high,
        case
            when estimates.metric like 'top3%' then chances.three_options
            when estimates.metric like '%accuracy%' then chances.one_option
        end as chance_level,
        case when estimates.metric like '%accuracy%' then chances.baseline_estimate end
            as baseline_estimate,
        estimates.n_questions < {{ parameter('small_stratum') }} as is_small,
    from estimates
    inner join configurations on estimates.configuration_id = configurations.configuration_id
    left join chances
        on
            estimates.configuration_id = chances.configuration_id
            and estimates.stratum_kind = chances.stratum_kind
            and estimates.stratum = chances.stratum
            and estimates.metric = chances.metric
)

select * from final
