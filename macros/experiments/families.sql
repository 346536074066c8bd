{#- p values corrected within a family of comparisons that a query orders by `position` (1 for the
    smallest p). Comparisons of the family that were not tested count as p = 1: they come last and
    only increase n. -#}

{#- After Holm (Scand J Stat 1979; 6:65-70): the chance of one false positive in the family. -#}
{% macro holm(p, position, n, family) -%}
    least(1, max({{ p }} * ({{ n }} - {{ position }} + 1)) over (
        partition by {{ family }} order by {{ position }} asc
    ))
{%- endmacro %}

{#- After Benjamini and Hochberg (J R Stat Soc B 1995; 57:289-300): the share of false positives
    among the differences called significant. -#}
{% macro benjamini_hochberg(p, position, n, family) -%}
    least(1, min({{ p }} * {{ n }} / {{ position }}) over (
        partition by {{ family }} order by {{ position }} desc
    ))
{%- endmacro %}

{#- The CTEs from `tests`, comparisons of pairs with the `keys` of their question and its `family`,
    to `corrected`, which has n_family_comparisons and both p values corrected within the family.
    Every pair of a family counts, also one that was left out of a large test set. -#}
{% macro corrected_within_families(keys) -%}
{%- set family = (keys + ["family"]) | join(", ") -%}
members as (
    select
        {{ family }},
        unnest([configuration_a, configuration_b]) as configuration_id,
    from tests
    where family is not null
),

families as (
    select
        {{ family }},
        count(distinct configuration_id) as n_members,
        (n_members * (n_members - 1) // 2)::integer as n_family_comparisons,
    from members
    group by {{ family }}
),

-- of millions of pairs few have a family, and only they are put in order
ordered as (
    select
        tests.*,
        families.n_family_comparisons,
        row_number() over (
            partition by tests.{{ (keys + ["family"]) | join(", tests.") }}
            order by tests.p_value, tests.configuration_a, tests.configuration_b
        ) as position,
    from tests
    inner join families using ({{ family }})
),

corrected as (
    select
        ordered.* exclude (position),
        {{ holm("p_value", "position", "n_family_comparisons", family) }} as p_value_family,
        {{ benjamini_hochberg("p_value", "position", "n_family_comparisons", family) }}
            as p_value_family_fdr,
    from ordered
    union all by name
    select *
    from tests
    where family is null
)
{%- endmacro %}
