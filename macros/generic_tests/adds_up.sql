{#- The parts add up to the total in every row. -#}
{% test adds_up(model, total, parts) -%}
    select
        {{ total }},
        {{ parts | join(" + ") }} as sum_of_parts,
    from {{ model }}
    where {{ total }} != {{ parts | join(" + ") }}
{%- endtest %}
