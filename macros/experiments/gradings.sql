{#- Gradings of whole lists. A grading sets bounds on the place of the gold diagnosis: it is among
    the first `hit_within` (null: unknown), and not among the first `missed_within`. Rank 2 is (2,
    1), 'among the first five' (5, 0), 'not among the first five' (null, 5), and in no place at all
    (null, no_place()). -#}
{% macro no_place() -%} 1000000 {%- endmacro %}

{#- The depths of the questions about whole lists: is the gold diagnosis among the first k? -#}
{% macro list_depths() -%} 1 3 5 10 {%- endmacro %}

{#- The last of them. -#}
{% macro deepest_list() -%} {{ list_depths().split() | last }} {%- endmacro %}

{#- Whether the gold diagnosis is among the first `depth` of a graded list; null where the grading
    leaves it open. -#}
{% macro is_among_first(depth, graded) -%}
    case
        when {{ graded }}.hit_within <= {{ depth }} then true
        when {{ graded }}.missed_within >= {{ depth }} then false
    end
{%- endmacro %}

{#- The same for a share: where a rater answered the question for other lists, a missing answer is a
    miss; a question that the rater was never asked stays open. -#}
{% macro is_hit_by_label(depth, graded, asked_depths) -%}
    coalesce(
        {{ is_among_first(depth, graded) }},
        case when list_contains({{ asked_depths }}, {{ depth }}) then false end
    )
{%- endmacro %}

{#- Whether a judge of ranks found the gold diagnosis among the first `depth`. Ranks after the fifth
    may not have been judged (labels of people and of published runs cover the first five): then the
    question stays open, unless an earlier rank is a hit. Reads `lists` and `outcomes`. -#}
{% macro is_hit_by_rank(rank, depth) -%}
    case
        when lists.{{ rank }} <= {{ depth }} then true
        {%- if depth | int > max_scored_rank() | int %}
            when lists.n_judged_ranks < outcomes.n_within_depth then null
        {%- endif %}
        else false
    end
{%- endmacro %}

{#- How far people, or the authors of a published run, labelled lists: to the fifth rank, as the
    source does, or further where any label of theirs says so. -#}
{% macro last_labelled_rank(labeller) -%}
    greatest(
        {{ max_scored_rank() }},
        max(diagnosis_rank) over (partition by {{ labeller }})
    )
{%- endmacro %}

{#- Whether a scale of labels is of whole lists: the rank of the gold diagnosis (gold_rank), or
    whether it is among the first k (top5). -#}
{% macro is_list_scale(scale) -%}
    ({{ scale }} = 'gold_rank' or regexp_full_match({{ scale }}, 'top[0-9]+'))
{%- endmacro %}

{#- The rank of the gold diagnosis, if a grading gives it and the rank is judged. -#}
{% macro known_gold_rank() -%}
    case
        when hit_within = missed_within + 1 and hit_within <= {{ max_judged_rank() }}
            then hit_within
    end
{%- endmacro %}

{#- Whether a grading allows the gold diagnosis to appear first at this rank; true for null. -#}
{% macro allows_rank(graded, rank) -%}
    (
        {{ rank }} is null
        or (
            {{ rank }} > {{ graded }}.missed_within
            and ({{ graded }}.hit_within is null or {{ rank }} <= {{ graded }}.hit_within)
        )
    )
{%- endmacro %}
