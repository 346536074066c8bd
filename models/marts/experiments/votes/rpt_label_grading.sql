{#- Rules of rpt_label_disagreement, by the column that counts their cases. -#}
{%- set by_rules = "rule = 'rules find it elsewhere'" -%}
{%- set contradictions = {
    "n_rank_not_read": "rule in ('rank was not read', 'list was not read')",
    "n_found_later": by_rules ~ " and label_rank < rank_by_rules",
    "n_found_earlier": by_rules ~ " and coalesce(label_rank > rank_by_rules, true)",
    "n_ranks_say_otherwise": "rule = 'labels of ranks say otherwise'",
} -%}
with gradings as (
    select * from {{ ref('int_experiments__list_gradings') }}
),

questions as (
    select
        configuration_id,
        judge_id,
        flatten(list(asked_depths)) as asked_depths,
    from gradings
    group by all
),

graded as (
    select
        gradings.* exclude (asked_depths),
        gradings.asked_depths as answered_depths,
        questions.asked_depths,
    from gradings
    inner join questions
        on
            gradings.configuration_id = questions.configuration_id
            and gradings.judge_id = questions.judge_id
),

sizes as (
    select
        configuration_id,
        test_set,
        count(*)::integer as n_cases,
    from {{ ref('int_experiments__expected_cells') }}
    group by all
),

answered as (
    select
        configuration_id,
        case_id,
        judge_id,
        {%- for depth in list_depths().split() %}
            {{ is_hit_by_label(depth, "graded", "graded.asked_depths") }} as top{{ depth }},
            case
                when list_contains(answered_depths, {{ depth }}) and not is_contradictory
                    then {{ is_among_first(depth, "graded") }}
            end as is_said_top{{ depth }},
        {%- endfor %}
        is_written_plainly,
        is_contradictory,
    from graded
),

counts as (
    select
        configuration_id,
        judge_id,
        count(*) filter (where not is_contradictory)::integer as n_labelled,
        count(*) filter (where not is_contradictory and is_written_plainly)::integer
            as n_written_plainly,
        count(*) filter (where is_contradictory)::integer as n_contradictory,
        {%- for depth in list_depths().split() %}
            -- a rater who was asked only about the first five does not say how many were first
            case
                when bool_and(top{{ depth }} is not null) filter (where not is_contradictory)
                    then count(*) filter (where top{{ depth }} and not is_contradictory)
            end as n_top{{ depth }},
            case
                when bool_and(top{{ depth }} is not null) filter (where is_written_plainly)
                    then count(*) filter (where top{{ depth }} and is_written_plainly)
            end as n_top{{ depth }}_plain,
            round(avg(is_said_top{{ depth }}::integer), 12) as top{{ depth }}_of_labelled,
        {%- endfor %}
    from answered
    group by all
),

-- labels that their own list contradicts. A rank beyond the tenth contradicts nothing: the list is
-- judged no further
contradicted as (
    select
        configuration_id,
        judge_id,
        list(distinct case_id order by case_id) as contradicted_cases,
        count(distinct case_id)::integer as n_contradicted,
        {%- for column, condition in contradictions.items() %}
            count(distinct case_id) filter (where {{ condition }})::integer as {{ column }},
        {%- endfor %}
    from {{ ref('rpt_label_disagreement') }}
    where rule != 'rank beyond the tenth'
    group by all
),

with_contradicted as (
    select
        counts.*,
        contradicted.contradicted_cases,
        coalesce(contradicted.n_contradicted, 0) as n_contradicted,
        {%- for column in contradictions %}
            coalesce(contradicted.{{ column }}, 0) as {{ column }},
        {%- endfor %}
        counts.n_labelled + counts.n_contradictory as n_labels,
    from counts
    left join contradicted
        on
            counts.configuration_id = contradicted.configuration_id
            and counts.judge_id = contradicted.judge_id
),

final as (
    select
        counts.configuration_id,
        counts.judge_id,
        sizes.test_set,
        counts.contradicted_cases,
        sizes.n_cases,
        counts.n_labelled,
        sizes.n_cases - counts.n_labelled as n_unlabelled,
        counts.n_contradictory,
        counts.n_written_plainly,
        counts.n_contradicted,
        {%- for column in contradictions %}
            counts.{{ column }},
        {%- endfor %}
        {%- set share = "(counts.n_contradicted / counts.n_labels)" %}
        round({{ share }}, 12) as share_contradicted,
        {{ wilson(share, "counts.n_labels", "-") }} as share_contradicted_low,
        {{ wilson(share, "counts.n_labels", "+") }} as share_contradicted_high,
        {%- for depth in list_depths().split() %}
            round(counts.n_top{{ depth }} / sizes.n_cases, 12) as top{{ depth }},
            counts.top{{ depth }}_of_labelled,
            round(counts.n_top{{ depth }}_plain / nullif(counts.n_written_plainly, 0), 12)
                as top{{ depth }}_of_plain,
        {%- endfor %}
    from with_contradicted as counts
    inner join sizes on counts.configuration_id = sizes.configuration_id
)

select * from final
