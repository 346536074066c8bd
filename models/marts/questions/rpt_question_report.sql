with counts as (
    select
        outcomes.configuration_id,
        strata.stratum_kind,
        strata.stratum,
        count(*)::integer as n_questions,
        count(*) filter (where outcomes.outcome_class != 'answered')::integer as n_failures,
        count(*) filter (where outcomes.outcome_class = 'not_asked')::integer as n_not_asked,
        count(*) filter (where outcomes.is_fallback)::integer as n_fallback_matches,
        count(*) filter (where outcomes.outcome_class != 'not_asked') > 0 as is_asked,
    from {{ ref('fct_question_answer') }} as outcomes
    inner join {{ ref('int_questions__question_strata') }} as strata
        on outcomes.question_id = strata.question_id
    group by all
),

-- a question that was answered more than once in the same way is consistent if all letters are one
repeats as (
    select
        configurations.model_alias,
        configurations.strategy,
        answers.question_id,
        answers.question_set,
        count(*) as n_repeats,
        count(distinct coalesce(answers.chosen_letter, '-')) = 1 as is_consistent,
    from {{ ref('fct_question_answer') }} as answers
    inner join {{ ref('dim_question_configuration') }} as configurations
        on answers.configuration_id = configurations.configuration_id
    where answers.outcome_class != 'not_asked'
    group by all
    having count(*) > 1
),

consistency as (
    select
        repeats.model_alias,
        repeats.strategy,
        repeats.question_set,
        strata.stratum_kind,
        strata.stratum,
        count(*)::integer as n_repeated,
        {{ plain_mean("repeats.is_consistent::double") }} as repeat_consistency,
    from repeats
    inner join {{ ref('int_questions__question_strata') }} as strata
        on repeats.question_id = strata.question_id
    group by all
),

-- chance over all questions of the stratum, answered or not: options differ in number, and blind
-- choice is worth more where there are fewer
levels as (
    select
        configurations.configuration_id,
        strata.stratum_kind,
        strata.stratum,
        {{ chance_level("questions.n_options", "1") }} as chance_level,
    from {{ ref('dim_question_configuration') }} as configurations
    inner join {{ ref('dim_question') }} as questions
        on configurations.question_set = questions.question_set
    inner join {{ ref('int_questions__question_strata') }} as strata
        on questions.question_id = strata.question_id
    group by all
),

scores as (
    select
        configuration_id,
        stratum_kind,
        stratum,
        {{ widened_question_metrics() }},
    from {{ ref('fct_question_score') }}
    group by all
),

baselines as (
    select
        question_set,
        stratum_kind,
        stratum,
        estimate as baseline_choice_accuracy,
    from {{ ref('fct_question_score') }}
    where strategy = 'options' and metric = 'choice_accuracy'
),

final as (
    select
        counts.configuration_id,
        counts.stratum_kind,
        counts.stratum,
        configurations.model_alias,
        configurations.strategy,
        configurations.question_set,
        counts.n_questions,
        counts.n_failures,
        counts.n_not_asked,
        counts.n_fallback_matches,
        coalesce(consistency.n_repeated, 0)::integer as n_repeated,
        consistency.repeat_consistency,
        levels.chance_level,
        baselines.baseline_choice_accuracy,
        {{ question_metric_columns("scores") }},
        counts.is_asked,
    from counts
    inner join {{ ref('dim_question_configuration') }} as configurations
        on counts.configuration_id = configurations.configuration_id
    inner join levels
        on
            counts.configuration_id = levels.configuration_id
            and counts.stratum_kind = levels.stratum_kind
            and counts.stratum = levels.stratum
    left join scores
        on
            counts.configuration_id = scores.configuration_id
            and counts.stratum_kind = scores.stratum_kind
            and counts.stratum = scores.stratum
    left join consistency
        on
            configurations.model_alias = consistency.model_alias
            and configurations.strategy = consistency.strategy
            and configurations.question_set = consistency.question_set
            and counts.stratum_kind = consistency.stratum_kind
            and counts.stratum = consistency.stratum
    left join baselines
        on
            configurations.question_set = baselines.question_set
            and counts.stratum_kind = baselines.stratum_kind
            and counts.stratum = baselines.stratum
)

select * from final
