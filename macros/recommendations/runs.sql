{#- What this run is: nightly, weekly or config_gate when the selector of that name was chosen, or
    as the variable run_type says; any other build is a build. -#}
{% macro run_type() -%}
    {%- set arguments = invocation_args_dict if invocation_args_dict is defined else {} -%}
    {%- set selector = arguments.get("selector") or "" -%}
    {%- if var("run_type") -%}
        {{- return(var("run_type")) -}}
    {%- endif -%}
    {{- return(selector if selector in ["nightly", "weekly", "config_gate"] else "build") -}}
{%- endmacro %}

{#- Whether this run evaluates the held-out patients of the tenants beside the golden set. -#}
{% macro evaluates_held_out() -%}
    {{- "true" if run_type() in ["nightly", "config_gate"] else "false" -}}
{%- endmacro %}
