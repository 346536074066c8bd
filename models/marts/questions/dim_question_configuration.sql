with configurations as (
    select *
    from {{ ref('stg_questions__configuration') }}
    where strategy <> 'typing'
),

recorded as (
    select * from {{ ref('stg_questions__recorded_answer') }}
),

sets as (
    select distinct question_set
    from {{ ref('int_questions__questions') }}
),

models as (
    select * from {{ ref('stg_registry__llm_model') }}
),

-- A set that is not imported here has no questions. A configuration for all sets (*) yields to one
-- that names the set.
of_sets as (
    select
        configurations.model_alias,
        configurations.strategy,
        sets.question_set,
        configurations.description,
        configurations.n_repeats,
    from configurations
    inner join sets on configurations.question_set in (sets.question_set, '*')
    qualify
        row_number() over (
            partition by configurations.model_alias, configurations.strategy, sets.question_set
            order by configurations.question_set = '*', configurations.n_repeats desc
        ) = 1
),

repeated as (
    select
        * exclude (n_repeats),
        unnest(range(1, n_repeats + 1))::integer as repeat_number,
        model_alias in ('lexical_overlap', 'longest_option') as is_baseline,
        false as is_recorded,
    from of_sets
    union all by name
    select distinct
        recorded.model_alias,
        'recorded' as strategy,
        recorded.question_set,
        'Answers recorded elsewhere.' as description,
        recorded.repeat_number,
        false as is_baseline,
        true as is_recorded,
    from recorded
    inner join sets on recorded.question_set = sets.question_set
),

final as (
    select
        repeated.model_alias
        || '/' || repeated.strategy
        || if(repeated.repeat_number > 1, '#' || repeated.repeat_number, '')
        || '/' || repeated.question_set as configuration_id,
        repeated.model_alias,
        repeated.strategy,
        repeated.question_set,
        models.provider,
        models.api_model,
        models.family,
        repeated.description,
        repeated.repeat_number,
        repeated.is_baseline,
        repeated.is_recorded,
    from repeated
    left join models on repeated.model_alias = models.model_alias
)

select * from final
