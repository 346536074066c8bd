{#- The identity of a request: provider, API model, parameters, system text, user text, response
    schema and repeat number, as canonical JSON. Transport settings are not part of it. -#}
{% macro request_key(response_schema) -%}
    sha256(
        json_object(
            'api_model', models.api_model,
            'parameters', models.parameters,
            'provider', models.provider,
            'repeat_number', asked.repeat_number,
            'response_schema', {{ accepted_response_schema(response_schema) }},
            'system_text', {{ accepted_system_text("asked.system_text") }},
            'user_text', {{ accepted_user_text("asked.system_text", "asked.user_text") }}
        )::varchar
    )
{%- endmacro %}

{#- The columns of a request, in the engine's order, from a relation aliased `asked` (system_text,
    user_text, repeat_number, is_selected, is_blocked_by_policy, contains_phi) and one aliased
    `models`. response_schema: JSON Schema text, sent only to models that accept one. -#}
{% macro request_columns(response_schema="cast(null as varchar)") -%}
    {{ request_key(response_schema) }} as request_key,
    models.provider,
    models.api_model,
    models.base_url,
    models.base_url_env,
    models.hosts,
    models.is_phi_reviewed,
    models.api_key_env,
    models.parameters,
    {{ accepted_system_text("asked.system_text") }} as system_text,
    {{ accepted_user_text("asked.system_text", "asked.user_text") }} as user_text,
    {{ accepted_response_schema(response_schema) }} as response_schema,
    asked.repeat_number,
    asked.is_selected,
    asked.is_blocked_by_policy,
    asked.contains_phi,
    models.max_concurrency,
    models.requests_per_minute,
    models.tokens_per_minute,
    models.requests_per_day,
    models.tokens_per_day,
    models.timeout_seconds,
    {{ estimate_tokens("asked.system_text") }} + {{ estimate_tokens("asked.user_text") }}
        as estimated_input_tokens,
    models.max_output_tokens,
    models.input_usd_per_mtok,
    models.cached_input_usd_per_mtok,
    models.output_usd_per_mtok,
    models.batch_factor,
    models.accepts_batch
{%- endmacro %}

{#- One ask per request, where several asks make the same request (two aliases of one model, two
    systems with the same list before the same judge): the one that the engine chooses to represent
    them all (python_llm/engine/requests.py). -#}
{% macro one_ask_per_request() -%}
    qualify
        row_number() over (
            partition by request_key
            order by is_blocked_by_policy, is_selected desc, model_alias
        ) = 1
{%- endmacro %}

{#- Is this alias in a comma-separated list of the command line, as in --vars 'models:
    gpt4o,local'? -#}
{% macro is_chosen(alias, variable) -%}
    list_contains(
        list_transform(string_split('{{ var(variable) }}', ','), lambda word: trim(word)), {{ alias }}
    )
{%- endmacro %}

{#- The same, where an empty list means everybody. -#}
{% macro is_chosen_or_any(alias, variable) -%}
    {%- if var(variable) | trim %}{{ is_chosen(alias, variable) }}{% else %}true{% endif -%}
{%- endmacro %}

{#- A prompt template with its placeholders filled, byte for byte. The template is split at all of
    them before any value is inserted, so that braces in the text of cases and models are never
    taken for placeholders. columns: a map of texts, which fill `{column:NAME}`. -#}
{% macro fill_template(template, values, columns=none) -%}
    {%- set names = values | map("first") | list + ([] if columns is none else ["column:[^{}]+"]) %}
    array_to_string(
        list_transform(
            regexp_extract_all(
                {{ template }}, '\{(?:{{ names | join("|") }})\}|[^{]+|\{'
            ),
            lambda piece: case piece
                {%- for name, value in values %}
                    when '{{ "{" ~ name ~ "}" }}' then {{ value }}
                {%- endfor %}
                else {% if columns is none %}piece{% else %}if(
                    starts_with(piece, '{column:'), coalesce({{ columns }}[piece[9:-2]], ''), piece
                ){% endif %}

            end
        ),
        ''
    )
{%- endmacro %}

{#- A model's text on one line and without runs of equals signs, so that it can neither add a rank
    to a list nor close the fence (=== … ===) a prompt puts around it. Every separator and control
    character of Unicode becomes a space, invisible characters go, and whatever looks like an equals
    sign counts as one. -#}
{% macro sanitize_untrusted_text(text) -%}
    trim(regexp_replace(
        regexp_replace(
            regexp_replace({{ text }}, '\p{Cf}', '', 'g'), '[\p{Z}\p{Cc}]+', ' ', 'g'
        ),
        '([=\x{A78A}\x{FF1D}\x{FE66}\x{2550}\x{3013}\x{2261}]\s*){2,}', '= ', 'g'
    ))
{%- endmacro %}

{#- The CTE of prompts put together from their files, with the format they ask for. -#}
{% macro composed_prompts() -%}
prompts as (
    select
        versions.prompt_alias,
        versions.prompt_version,
        versions.system_template,
        versions.user_template,
        versions.response_schema,
        registry.output_format,
    from {{ ref('stg_prompts__version') }} as versions
    inner join {{ ref('stg_registry__prompt') }} as registry
        on versions.prompt_alias = registry.prompt_alias
)
{%- endmacro %}

{#- The CTE of models as request_columns() expects them, at today's prices. -#}
{% macro models_to_call() -%}
models as (
    select
        model_alias,
        provider,
        api_model,
        base_url,
        base_url_env,
        hosts,
        is_phi_reviewed,
        api_key_env,
        parameters,
        max_output_tokens,
        max_concurrency,
        requests_per_minute,
        tokens_per_minute,
        requests_per_day,
        tokens_per_day,
        timeout_seconds,
        repeat_number,
        input_usd_per_mtok,
        cached_input_usd_per_mtok,
        output_usd_per_mtok,
        batch_factor,
        accepts_system_role,
        accepts_json_schema,
        accepts_batch,
    from {{ ref('int_calls__current_models') }}
)
{%- endmacro %}
