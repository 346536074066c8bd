{#- Each rule with its condition, message and remedy. The label counts in all of them but the
    first. -#}
{%- set look = "The label counts. Look at answer and reading with kernel29 case." -%}
{%- set mend = "Correct the label and import it again with --replace" -%}
{%- set rules = [
    (
        "contradicts itself",
        "is_contradictory",
        "'The labels cannot all be true.'",
        mend ~ ": until then the list counts as unlabelled.",
    ),
    (
        "rank was not read",
        "not is_rank_read and label_rank is not null and not is_contradictory",
        "'Rank ' || label_rank || ' by the label; ' || n_read || ' diagnoses were read.'",
        look,
    ),
    (
        "list was not read",
        "hit_within is not null and label_rank is null and n_read = 0 and not is_contradictory",
        "'In the list by the label; no diagnosis was read.'",
        look,
    ),
    (
        "rank beyond the tenth",
        "label_rank > " ~ deepest_list() ~ " and not is_contradictory",
        "'Rank ' || label_rank || ' by the label; only the first ten are judged.'",
        mend ~ " if it is a slip: it counts as not among the first ten.",
    ),
    (
        "rules find it elsewhere",
        "not does_allow_rules and not is_contradictory",
        "'The rules find the gold diagnosis at rank ' || rank_by_rules || '.'",
        look,
    ),
    (
        "labels of ranks say otherwise",
        "not does_allow_own_labels and not is_contradictory",
        "'By the judge''s own labels of ranks it is at rank ' || rank_by_own_labels || '.'",
        look,
    ),
] -%}
with graded as (
    select
        *,
        case when hit_within = missed_within + 1 then hit_within end as label_rank,
    from {{ ref('int_experiments__list_gradings') }}
),

lists as (
    select
        configuration_id,
        case_id,
        list(diagnosis_rank) as ranks,
        count(*)::integer as n_read,
    from {{ ref('int_experiments__ranked_diagnoses') }}
    group by all
),

-- the rank of the gold diagnosis by the labels of ranks, the rater's own and those of the rules
matches as (
    select
        judged.configuration_id,
        judged.case_id,
        judged.judge_id,
        judges.kind = 'terminology' as is_by_rules,
        min(judged.diagnosis_rank) as match_rank,
    from {{ ref('fct_judged_diagnosis') }} as judged
    inner join {{ ref('dim_judge') }} as judges on judged.judge_id = judges.judge_id
    inner join {{ ref('semantic_relations') }} as relations
        on judged.semantic_relation = relations.semantic_relation
    where relations.is_strict_match
    group by all
),

compared as (
    select
        graded.*,
        coalesce(lists.n_read, 0) as n_read,
        coalesce(list_contains(lists.ranks, graded.label_rank), false) as is_rank_read,
        by_rules.match_rank as rank_by_rules,
        by_ranks.match_rank as rank_by_own_labels,
        {{ allows_rank("graded", "by_rules.match_rank") }} as does_allow_rules,
        {{ allows_rank("graded", "by_ranks.match_rank") }} as does_allow_own_labels,
    from graded
    left join lists
        on
            graded.configuration_id = lists.configuration_id
            and graded.case_id = lists.case_id
    left join matches as by_rules
        on
            graded.configuration_id = by_rules.configuration_id
            and graded.case_id = by_rules.case_id
            and by_rules.is_by_rules
    left join matches as by_ranks
        on
            graded.configuration_id = by_ranks.configuration_id
            and graded.case_id = by_ranks.case_id
            and graded.judge_id = by_ranks.judge_id
),

final as (
    {%- for rule, condition, what, remedy in rules %}
        select
            configuration_id,
            case_id,
            judge_id,
            '{{ rule }}' as rule,
            label_written,
            source,
            {{ what }} as what,
            '{{ remedy }}' as remedy,
            label_rank,
            n_read,
            rank_by_rules,
        from compared
        where {{ condition }}
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
)

select * from final
