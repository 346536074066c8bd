{%- set values = [
    ("similar_cases", "coalesce(examples.similar_cases, 'none')"),
    ("case_narrative", "cases.narrative"),
] -%}

with cells as (
    select
        configuration_id,
        case_id,
        model_alias,
        prompt_alias,
        is_blocked_by_policy,
    from {{ ref('int_experiments__expected_cells') }}
    where model_kind = 'llm'
),

cases as (
    select
        case_id,
        narrative,
    from {{ ref('dim_case') }}
),

prompts as (
    select
        versions.prompt_alias,
        versions.system_template,
        versions.user_template,
        versions.response_schema,
        registry.output_format,
    from {{ ref('stg_prompts__version') }} as versions
    inner join {{ ref('stg_registry__prompt') }} as registry
        on versions.prompt_alias = registry.prompt_alias
),

-- solved cases that a prompt may show, as one text
examples as (
    select
        case_id,
        string_agg(
            'Case: ' || narrative || e'\nDiagnosis: ' || gold_name,
            e'\n\n' order by example_rank
        ) as similar_cases,
    from {{ ref('int_experiments__similar_cases') }}
    group by all
),

models as (
    select
        model_alias,
        provider,
        api_model,
        base_url_env,
        api_key_env,
        parameters,
        max_output_tokens,
        max_concurrency,
        requests_per_minute,
        tokens_per_minute,
        requests_per_day,
        timeout_seconds,
        input_usd_per_mtok,
        cached_input_usd_per_mtok,
        output_usd_per_mtok,
        batch_factor,
        accepts_system_role,
        accepts_json_schema,
        accepts_batch,
    from {{ ref('int_experiments__models_today') }}
),

asked as (
    select
        cells.configuration_id,
        cells.case_id,
        cells.model_alias,
        prompts.output_format,
        {{ fill_template("prompts.system_template", values) }} as system_text,
        {{ fill_template("prompts.user_template", values) }} as user_text,
        prompts.response_schema,
        1 as repeat_number,
        {{ is_chosen("cells.model_alias", "models") }} as is_selected,
        cells.is_blocked_by_policy,
    from cells
    inner join cases on cells.case_id = cases.case_id
    inner join prompts on cells.prompt_alias = prompts.prompt_alias
    left join examples on cells.case_id = examples.case_id
),

final as (
    select
        asked.configuration_id,
        asked.case_id,
        asked.model_alias,
        asked.output_format,
        {{ request_columns("asked.response_schema") }},
    from asked
    inner join models on asked.model_alias = models.model_alias
)

select * from final
