{#
  The body of a recursive CTE `climbs` (id, ancestor_id, distance): every term, itself at distance
  0, and every term above it, once for each length of a way up the is_a links. The caller takes the
  shortest.

  terms    CTE with every term, once or more
  id       column of the term in it
  links    CTE with the links: child, parent
#}
{% macro climbs(terms, id, links) -%}
    select
        {{ id }} as id,
        {{ id }} as ancestor_id,
        0 as distance,
    from {{ terms }}
    -- `union` and not `union all`: a term reached twice in as many steps goes on once
    union
    select
        climbs.id,
        {{ links }}.parent as ancestor_id,
        climbs.distance + 1 as distance,
    from climbs
    inner join {{ links }} on climbs.ancestor_id = {{ links }}.child
{%- endmacro %}
