with models as (
    select
        *,
        kind = 'llm' and not is_retired and is_shared as is_starred,
    from {{ ref('stg_registry__llm_model') }}
),

-- a ranker of this project reads tables and needs no prompt; a language model needs one
prompts as (
    select
        versions.*,
        if(registry.output_format = 'table', 'sql', 'llm') as model_kind,
        registry.output_format != 'table' and registry.is_shared as is_starred,
    from {{ ref('stg_registry__prompt') }} as registry
    inner join {{ ref('stg_prompts__version') }} as versions
        on registry.prompt_alias = versions.prompt_alias
    where registry.task = 'generation'
),

-- names only, so that the configurations are known before any case is
test_sets as (
    {%- for shipped in ["generated_test_sets", "test_set_definitions"] %}
        select
            test_set,
            true as is_starred,
        from {{ ref(shipped) }}
        union
    {%- endfor %}
    select
        test_set,
        false as is_starred,
    from {{ ref('stg_cases__record') }}
),

asked_for as (
    select
        {{ listed_names("model_alias") }} as model_aliases,
        {{ listed_names("prompt_alias") }} as prompt_aliases,
        {{ listed_names("test_set") }} as test_sets,
        sample_seed::integer as sample_seed,
    from {{ ref('stg_registry__configuration') }}
),

-- a configuration named by two rows appears once
registered as (
    select
        models.model_alias || '/' || prompts.prompt_alias || '/' || test_sets.test_set
            as configuration_id,
        models.model_alias,
        prompts.prompt_alias,
        test_sets.test_set,
        prompts.prompt_version,
        models.kind as model_kind,
        if(models.kind = 'sql', models.api_model, null) as ranker,
        models.family as model_family,
        models.is_phi_approved,
        bool_or(list_contains(asked_for.test_sets, test_sets.test_set)) as is_test_set_named,
        coalesce(max(asked_for.sample_seed), {{ parameter('sample_seed') }}::integer)
            as sample_seed,
    from asked_for
    inner join models on {{ is_listed("models.model_alias", "model_aliases", "models.is_starred") }}
    inner join prompts
        on
            models.kind = prompts.model_kind
            and {{ is_listed("prompts.prompt_alias", "prompt_aliases", "prompts.is_starred") }}
    inner join test_sets
        on {{ is_listed("test_sets.test_set", "asked_for.test_sets", "test_sets.is_starred") }}
    group by all
),

-- a test set that is not here has no cases to expect; rpt_recorded_run shows the run
recorded as (
    select
        runs.configuration_id,
        runs.model_alias,
        runs.prompt_alias,
        runs.test_set,
        runs.prompt_version,
        'recorded' as model_kind,
        cast(null as varchar) as ranker,
        runs.model_family,
        false as is_phi_approved,
        true as is_test_set_named,
        {{ parameter('sample_seed') }}::integer as sample_seed,
    from {{ ref('int_experiments__recorded_runs') }} as runs
    semi join test_sets on runs.test_set = test_sets.test_set
),

-- recorded configurations are not asked again under the same name
final as (
    select * from recorded
    union all by name
    select registered.*
    from registered
    anti join recorded on registered.configuration_id = recorded.configuration_id
)

select * from final
