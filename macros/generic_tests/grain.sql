{#
  The rows of a table are one per combination of `columns`, and none of these is null unless it is
  among `nullable`. Returns every combination that is there more than once, or has a null.
#}
{% test grain(model, columns, nullable=[]) %}
with combinations as (
    select
        {{ columns | join(", ") }},
        count(*) as n_rows,
    from {{ model }}
    group by all
)

select *
from combinations
where
    n_rows > 1
    {%- for column in columns if column not in nullable %}
    or {{ column }} is null
    {%- endfor %}
{% endtest %}
