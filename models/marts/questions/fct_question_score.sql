with metrics as (
    select * from {{ ref('int_questions__question_metrics') }}
),

strata as (
    select * from {{ ref('int_questions__question_strata') }}
),

configurations as (
    select * from {{ ref('dim_question_configuration') }}
),

questions as (
    select * from {{ ref('dim_question') }}
),

answers as (
    select * from {{ ref('fct_question_answer') }}
),

stratum_values as (
    select
        metrics.*,
        strata.stratum_kind,
        strata.stratum,
    from metrics
    inner join strata on metrics.question_id = strata.question_id
),

estimates as (
    select
        configuration_id,
        stratum_kind,
        stratum,
        metric,
        count(*)::integer as n_questions,
        sum(value)::integer as n_hits,
        {{ plain_mean("value") }} as estimate,
    from stratum_values
    group by all
),

-- the scores of blind choice and of the baseline on exactly the questions that a metric counts
chances as (
    select
        stratum_values.configuration_id,
        stratum_values.stratum_kind,
        stratum_values.stratum,
        stratum_values.metric,
        {{ chance_level("questions.n_options", "1") }} as one_option,
        {{ chance_level("questions.n_options", "3") }} as three_options,
        {{ weighted_mean("answers.is_choice_correct::double", "1") }} as baseline_estimate,
    from stratum_values
    inner join questions on stratum_values.question_id = questions.question_id
    inner join configurations as baselines
        on
            stratum_values.question_set = baselines.question_set
            and baselines.is_baseline
            and baselines.strategy = 'options'
    inner join answers
        on
            baselines.configuration_id = answers.configuration_id
            and stratum_values.question_id = answers.question_id
    group by all
),

-- every metric is a share, so every interval is Wilson's
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
        {{ wilson("estimates.estimate", "estimates.n_questions", "-") }} as estimate_low,
        {{ wilson("estimates.estimate", "estimates.n_questions", "+") }} as estimate_high,
        case
            when estimates.metric like 'top3%' then chances.three_options
            when estimates.metric like '%accuracy%' then chances.one_option
        end as chance_level,
        case when estimates.metric like '%accuracy%' then chances.baseline_estimate end
            as baseline_estimate,
        estimates.n_questions < {{ parameter('small_stratum') }} as is_small,
    from estimates
    left join chances using (configuration_id, stratum_kind, stratum, metric)
    inner join configurations on estimates.configuration_id = configurations.configuration_id
)

select * from final
