with graded as (
    select
        * exclude (asked_depths),
        asked_depths as answered_depths,
        flatten(list(asked_depths) over (partition by configuration_id, judge_id)) as asked_depths,
    from {{ ref('int_experiments__list_gradings') }}
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

final as (
    select
        counts.configuration_id,
        counts.judge_id,
        sizes.test_set,
        sizes.n_cases,
        counts.n_labelled,
        sizes.n_cases - counts.n_labelled as n_unlabelled,
        counts.n_contradictory,
        counts.n_written_plainly,
        {%- for depth in list_depths().split() %}
            round(counts.n_top{{ depth }} / sizes.n_cases, 12) as top{{ depth }},
            counts.top{{ depth }}_of_labelled,
            round(counts.n_top{{ depth }}_plain / nullif(counts.n_written_plainly, 0), 12)
                as top{{ depth }}_of_plain,
        {%- endfor %}
    from counts
    inner join sizes on counts.configuration_id = sizes.configuration_id
)

select * from final
