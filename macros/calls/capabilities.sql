{#- The parameters that are sent: what the registry wants (`parameters`, `max_output_tokens`) less
    what the model would refuse, with the maximum of tokens under the model's own name for it. Reads
    the columns of llm_capabilities from a relation aliased `capabilities`. -#}
{% macro accepted_parameters(parameters, max_output_tokens) -%}
    {%- set sampling = '{"temperature": null, "top_p": null, "top_k": null, "topP": null, "topK": null}' -%}
    {%- set merged -%}
        json_merge_patch(
            {{ parameters }},
            '{"max_tokens": null, "max_completion_tokens": null, "max_output_tokens": null}',
            '{"maxTokens": null, "maxOutputTokens": null}',
            case when capabilities.accepts_temperature then '{}' else '{{ sampling }}' end,
            case
                when capabilities.accepts_reasoning_effort then '{}'
                else '{"reasoning_effort": null, "reasoning": null}'
            end,
            case
                when capabilities.max_tokens_parameter is null then '{}'
                else json_object(capabilities.max_tokens_parameter, {{ max_output_tokens }})
            end
        )::json
    {%- endset -%}
    {{ canonical_json(merged) }}
{%- endmacro %}

{#- System and user text for a model that may not know the system role: without it, the instructions
    stand before the question. -#}
{% macro accepted_system_text(system_text) -%}
    case when models.accepts_system_role then {{ system_text }} end
{%- endmacro %}

{% macro accepted_user_text(system_text, user_text) -%}
    case
        when models.accepts_system_role or {{ system_text }} is null then {{ user_text }}
        else {{ system_text }} || e'\n\n' || {{ user_text }}
    end
{%- endmacro %}

{% macro accepted_response_schema(response_schema) -%}
    case when models.accepts_json_schema then {{ response_schema }} end
{%- endmacro %}
