{#
  Every term with every term above it, itself included at distance 0; the distance is that of the
  shortest way up the is_a links.

  terms    relation of the terms
  parents  relation of the links
  id       column of the term in both; parent_<id> is the parent in `parents`, ancestor_<id> the
           ancestor in the result
#}
{% macro ancestors(terms, parents, id) -%}
with recursive terms as (
    select {{ id }},
    from {{ terms }}
),

parents as (
    select
        {{ id }},
        parent_{{ id }},
    from {{ parents }}
),

-- `union` and not `union all`: a term reached twice in as many steps goes on once
climbs as (
    select
        {{ id }},
        {{ id }} as ancestor_{{ id }},
        0 as distance,
    from terms
    union
    select
        climbs.{{ id }},
        parents.parent_{{ id }} as ancestor_{{ id }},
        climbs.distance + 1 as distance,
    from climbs
    inner join parents on climbs.ancestor_{{ id }} = parents.{{ id }}
),

final as (
    select
        {{ id }},
        ancestor_{{ id }},
        min(distance) as distance,
    from climbs
    group by all
)

select * from final
{%- endmacro %}
