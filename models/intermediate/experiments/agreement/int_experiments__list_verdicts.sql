with judges as (
    select * from {{ ref('int_experiments__judges') }}
),

-- a judge that left ranks without a label and found no match has not said; labels that came with
-- recorded answers often stand at the matching ranks alone
by_ranks as (
    select
        judged.configuration_id,
        judged.case_id,
        judged.judge_id,
        {%- for depth in list_depths().split() %}
            case
                when
                    bool_or(judged.is_strict_match and judged.diagnosis_rank <= {{ depth }})
                    then true
                when
                    judges.kind = 'recorded'
                    or bool_and(judged.has_semantic_label or judged.diagnosis_rank > {{ depth }})
                    then false
            end as top{{ depth }},
        {%- endfor %}
        min(judged.diagnosis_rank) filter (where judged.is_strict_match) as gold_rank,
    from {{ ref('int_experiments__judged_diagnoses') }} as judged
    inner join judges on judged.judge_id = judges.judge_id
    group by judged.configuration_id, judged.case_id, judged.judge_id, judges.kind
),

-- what answers to other questions imply would agree the better the fewer questions were asked
by_lists as (
    select
        configuration_id,
        case_id,
        judge_id,
        {%- for depth in list_depths().split() %}
            case
                when list_contains(asked_depths, {{ depth }})
                    then {{ is_among_first(depth, "graded") }}
            end as top{{ depth }},
        {%- endfor %}
        {{ known_gold_rank() }} as gold_rank,
    from {{ ref('int_experiments__list_gradings') }} as graded
    where not is_contradictory
),

-- who graded the list as a whole has said what the labels of its ranks can only add up to
everything as (
    select
        configuration_id,
        case_id,
        judge_id,
        {%- for depth in list_depths().split() %}
            top{{ depth }},
        {%- endfor %}
        gold_rank,
        true as is_of_list,
    from by_lists
    union all
    select
        by_ranks.configuration_id,
        by_ranks.case_id,
        by_ranks.judge_id,
        {%- for depth in list_depths().split() %}
            by_ranks.top{{ depth }},
        {%- endfor %}
        by_ranks.gold_rank,
        false as is_of_list,
    from by_ranks
    anti join by_lists
        on
            by_ranks.configuration_id = by_lists.configuration_id
            and by_ranks.case_id = by_lists.case_id
            and by_ranks.judge_id = by_lists.judge_id
),

final as (
    select
        everything.configuration_id,
        everything.case_id,
        everything.judge_id,
        configurations.test_set,
        everything.gold_rank,
        {%- for depth in list_depths().split() %}
            everything.top{{ depth }},
        {%- endfor %}
        everything.is_of_list,
    from everything
    inner join {{ ref('int_experiments__configurations') }} as configurations
        on everything.configuration_id = configurations.configuration_id
)

select * from final
