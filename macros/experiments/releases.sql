{#- The releases of every terminology in the warehouse, which is what a judge reads. -#}
{% macro terminology_release() -%}
    (
        select string_agg(distinct releases.release, '; ' order by releases.release)
        from {{ ref('rpt_terminology_release') }} as releases
    )
{%- endmacro %}

{#- The versions of the prompts behind the judged answers, separated by commas: one row per test
    set. -#}
{% macro judged_prompt_versions() -%}
    select
        configurations.test_set,
        string_agg(
            distinct configurations.prompt_version, ', ' order by configurations.prompt_version
        ) as prompt_versions,
    from {{ ref('int_experiments__configurations') }} as configurations
    semi join {{ ref('fct_judged_diagnosis') }} as judged
        on configurations.configuration_id = judged.configuration_id
    group by all
{%- endmacro %}
