{#- The CTEs that every relation of asks needs: composed prompts, and models as request_columns()
    expects them. -#}
{% macro prompts_and_models() -%}
{{ composed_prompts() }},

{{ callable_models() }}
{%- endmacro %}

{#- The options as they are shown, one a line: 'A) Aspirin'. -#}
{% macro lettered_options(options) -%}
    array_to_string(
        list_transform(
            range(1, len({{ options }}) + 1),
            lambda i: chr((64 + i)::integer) || ') ' || {{ options }}[i]
        ),
        e'\n'
    )
{%- endmacro %}

{#- What stands where a question has no vignette, or no stem of its own. -#}
{% macro shown_vignette(vignette) -%}
    coalesce({{ vignette }}, '(no case: the question stands alone)')
{%- endmacro %}
{% macro shown_stem(stem) -%}
    coalesce({{ stem }}, '(the question is part of the case above)')
{%- endmacro %}

{#- The status of an ask: ok if the answer could be read, even one cut off; a parse error if not;
    without an answer, the status that came back. -#}
{% macro read_status(parse_status, status) -%}
    case
        when {{ parse_status }} = 'ok' then 'ok'
        when {{ status }} = 'ok' then 'parse_error'
        else {{ status }}
    end
{%- endmacro %}
