with asked_for as (
    select
        {{ listed_names("model_alias") }} as model_aliases,
        {{ listed_names("prompt_alias") }} as prompt_aliases,
        {{ listed_names("test_set") }} as test_sets,
    from {{ ref('stg_registry__configuration') }}
),

models as (
    select
        model_alias,
        kind,
        kind = 'llm' and not is_retired as is_starred,
    from {{ ref('stg_registry__llm_model') }}
),

-- the baseline reads tables and no prompt; a model that is asked needs one
prompts as (
    select
        prompt_alias,
        if(output_format = 'table', 'sql', 'llm') as kind,
        output_format != 'table' as is_starred,
    from {{ ref('prompt_registry') }}
    where task = 'generation'
),

test_sets as (
    select
        test_set,
        kind in ('simulated', 'generated', 'defined') and n_cases > 0 as is_starred,
    from {{ ref('dim_test_set') }}
),

-- what two rows ask for is one configuration
final as (
    select distinct
        models.model_alias || '/' || prompts.prompt_alias || '/' || test_sets.test_set
            as configuration_id,
        models.model_alias,
        prompts.prompt_alias,
        test_sets.test_set,
    from asked_for
    inner join models on {{ is_listed("models.model_alias", "model_aliases", "models.is_starred") }}
    inner join prompts
        on
            models.kind = prompts.kind
            and {{ is_listed("prompts.prompt_alias", "prompt_aliases", "prompts.is_starred") }}
    inner join test_sets
        on {{ is_listed("test_sets.test_set", "asked_for.test_sets", "test_sets.is_starred") }}
)

select * from final
