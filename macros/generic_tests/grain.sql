{#
  A table has one row per combination of `columns`, none of them null unless listed in `nullable`.
  Returns every combination that occurs more than once or has a null.
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
