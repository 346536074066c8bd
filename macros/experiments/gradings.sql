{#- Gradings of whole lists. What somebody says of a list bounds the place of its gold diagnosis:
    it is among the first `hit_within` (null: nothing says so), and not among the first
    `missed_within`. Rank 2 is (2, 1), 'among the first five' (5, 0), 'not among the first five'
    (null, 5), and in no place at all (null, no_place()). -#}
{% macro no_place() -%} 1000000 {%- endmacro %}

{#- The depths of the questions about whole lists: is the gold diagnosis among the first k? -#}
{% macro list_depths() -%} 1 3 5 {%- endmacro %}

{#- Whether the gold diagnosis is among the first `depth` of a graded list; null where what was
    said leaves it open. -#}
{% macro is_among_first(depth, graded) -%}
    case
        when {{ graded }}.hit_within <= {{ depth }} then true
        when {{ graded }}.missed_within >= {{ depth }} then false
    end
{%- endmacro %}

{#- The same in a share: where a rater answered the question for other lists, an answer that is
    missing is no hit; one that nobody asked for stays open. -#}
{% macro is_hit_by_label(depth, graded, asked_depths) -%}
    coalesce(
        {{ is_among_first(depth, graded) }},
        case when list_contains({{ asked_depths }}, {{ depth }}) then false end
    )
{%- endmacro %}

{#- Whether a scale of labels is of whole lists: the rank of the gold diagnosis (gold_rank), or
    whether it is among the first k (top5). -#}
{% macro is_list_scale(scale) -%}
    ({{ scale }} = 'gold_rank' or regexp_full_match({{ scale }}, 'top[0-9]+'))
{%- endmacro %}

{#- The rank of the gold diagnosis where a grading says it and the rank is scored. -#}
{% macro known_gold_rank() -%}
    case when hit_within = missed_within + 1 and hit_within <= 5 then hit_within end
{%- endmacro %}

{#- Whether a grading allows the gold diagnosis to stand first at this rank; a null is allowed. -#}
{% macro allows_rank(graded, rank) -%}
    (
        {{ rank }} is null
        or (
            {{ rank }} > {{ graded }}.missed_within
            and ({{ graded }}.hit_within is null or {{ rank }} <= {{ graded }}.hit_within)
        )
    )
{%- endmacro %}
