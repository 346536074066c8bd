{#- The ranks that enter the list scores, and those of them without a label. -#}
{%- set scored_ranks = [
    ("n_scored_ranks", "true"),
    ("n_without_relation", "not coalesce(has_semantic_label, false)"),
    ("n_without_severity", "not coalesce(has_severity_label, false)"),
] -%}

with outcomes as (
    select * from {{ ref('int_experiments__cell_outcomes') }}
),

statuses as (
    select * from {{ ref('outcome_statuses') }}
),

levels as (
    select * from {{ ref('severity_levels') }}
),

golds as (
    select
        gold_severities.*,
        levels.severity_value as gold_acuity_value,
    from {{ ref('int_experiments__gold_severities') }} as gold_severities
    left join levels on gold_severities.gold_acuity = levels.severity
),

judged as (
    select
        judged.*,
        relations.is_strict_match,
        relations.is_broad_match,
        acuities.severity_value as acuity_value,
        gold_acuities.severity_value as gold_acuity_value,
    from {{ ref('fct_judged_diagnosis') }} as judged
    left join {{ ref('semantic_relations') }} as relations
        on judged.semantic_relation = relations.semantic_relation
    left join levels as acuities on judged.acuity = acuities.severity
    left join levels as gold_acuities on judged.gold_acuity = gold_acuities.severity
),

-- ranks are those of the list: an item that was set aside or named before leaves its rank empty,
-- which moves no other rank and weighs nothing
lists as (
    select
        configuration_id,
        case_id,
        judge_id,
        {{ list_score("diagnosis_rank", "semantic_distance") }} as semantic_score,
        {{ full_list_score("diagnosis_rank", "semantic_distance") }} as semantic_score_full_list,
        {{ list_score("diagnosis_rank", "severity_distance") }} as severity_score,
        {{ full_list_score("diagnosis_rank", "severity_distance") }} as severity_score_full_list,
        {{ list_score("diagnosis_rank", "acuity_distance") }} as acuity_score,
        {{ list_score("diagnosis_rank", "rarity_distance") }} as rarity_score,
        {{ share_of_milder("diagnosis_rank", "acuity_value", "gold_acuity_value") }}
            as share_of_milder,
        min(diagnosis_rank) filter (where is_strict_match) as strict_rank,
        min(diagnosis_rank) filter (where is_broad_match) as broad_rank,
        bool_or(has_semantic_label) as has_relations,
        count(*) as n_judged_ranks,
        {%- for name, condition in scored_ranks %}
            count(*) filter (where diagnosis_rank <= {{ max_scored_rank() }} and {{ condition }})
                as {{ name }},
        {%- endfor %}
        bool_or(has_severity_label) as has_severities,
    from judged
    group by all
),

-- a grading of the whole list takes precedence over the labels of its ranks; a grading that
-- contradicts itself does not count (rpt_label_disagreement)
gradings as (
    select
        *,
        {{ known_gold_rank() }} as gold_rank,
    from {{ ref('int_experiments__list_gradings') }}
    where not is_contradictory
),

-- the lists a judge has looked at, including those without a readable diagnosis
seen as (
    select
        configuration_id,
        case_id,
        judge_id,
    from lists
    union
    select
        configuration_id,
        case_id,
        judge_id,
    from gradings
),

-- rules judge everything; a model judges the configurations it was asked about and, once it has
-- judged any, those that left it nothing to judge: their failures count for it too. People, and
-- labels that came with a run, do not judge runs they did not label
judging as (
    select
        seen.configuration_id,
        seen.judge_id,
        judges.kind,
        count(*) filter (where outcomes.n_judged > 0) as n_lists,
        max(outcomes.sample_order) as last_judged,
    from seen
    inner join outcomes
        on seen.configuration_id = outcomes.configuration_id and seen.case_id = outcomes.case_id
    inner join {{ ref('dim_judge') }} as judges on seen.judge_id = judges.judge_id
    group by all
),

list_counts as (
    select
        configuration_id,
        count(*) filter (where n_judged > 0) as n_lists,
    from outcomes
    group by all
),

graders as (
    select
        configuration_id,
        judge_id,
        flatten(list(asked_depths)) as asked_depths,
    from gradings
    group by all
),

-- people label ranks of a sample: that measures judges, and scores a system only if it covers every
-- list. A grading of whole lists is itself the score, and a list without a grading is a miss
at_work as (
    select
        judging.configuration_id,
        judging.judge_id,
        judging.kind,
        -- models and juries of them may have judged a sample, up to this position in its order
        case
            when judging.kind in ('llm', 'jury') and judging.n_lists < list_counts.n_lists
                then judging.last_judged
        end as sample_end,
    from judging
    inner join list_counts on judging.configuration_id = list_counts.configuration_id
    left join graders
        on
            judging.configuration_id = graders.configuration_id
            and judging.judge_id = graders.judge_id
    where
        judging.kind != 'person'
        or judging.n_lists = list_counts.n_lists
        or graders.judge_id is not null
),

without_lists as (
    select configuration_id,
    from outcomes
    group by all
    having sum(n_judged) = 0
),

configuration_judges as (
    select
        configuration_id,
        judge_id,
    from at_work
    union
    select
        without_lists.configuration_id,
        at_work.judge_id,
    from without_lists
    cross join at_work
    where at_work.kind not in ('person', 'recorded')
    union
    select
        outcomes.configuration_id,
        judges.judge_id,
    from outcomes
    inner join {{ ref('dim_judge') }} as judges on judges.kind = 'terminology'
),

grading_judges as (
    select distinct judge_id
    from gradings
),

-- a judge that only says where the gold diagnosis is labels no relations and no severities; people,
-- and labels that came with a run, have what they gave
scales as (
    select
        judges.judge_id,
        graders.judge_id is null and judges.kind not in ('person', 'recorded')
        or coalesce(bool_or(lists.has_relations), false) as has_relations,
        coalesce(bool_or(lists.has_severities), graders.judge_id is null) as has_severities,
    from {{ ref('dim_judge') }} as judges
    left join lists on judges.judge_id = lists.judge_id
    left join grading_judges as graders on judges.judge_id = graders.judge_id
    group by judges.judge_id, judges.kind, graders.judge_id
),

scored as (
    select
        outcomes.configuration_id,
        outcomes.case_id,
        configuration_judges.judge_id,
        outcomes.test_set,
        outcomes.prompt_version,
        outcomes.status,
        statuses.outcome_class,
        case when scales.has_relations then coalesce(lists.semantic_score, 0) end
            as semantic_score,
        case when scales.has_relations then coalesce(lists.semantic_score_full_list, 0) end
            as semantic_score_full_list,
        -- a severity score needs a gold severity and a judge of severities
        case
            when golds.gold_severity is not null and scales.has_severities
                then coalesce(lists.severity_score, 0)
        end as severity_score,
        case
            when golds.gold_severity is not null and scales.has_severities
                then coalesce(lists.severity_score_full_list, 0)
        end as severity_score_full_list,
        case
            when golds.gold_acuity is not null and scales.has_severities
                then coalesce(lists.acuity_score, 0)
        end as acuity_score,
        case
            when golds.is_gold_rare is not null and scales.has_severities
                then coalesce(lists.rarity_score, 0)
        end as rarity_score,
        if(scales.has_severities, coalesce(lists.share_of_milder, 1), null) as share_of_milder,
        -- without severities of the answers there is no danger to speak of, found or not
        if(scales.has_severities, golds.gold_acuity_value, null) as gold_acuity_value,
        golds.gold_severity,
        golds.gold_severity_rule,
        golds.gold_acuity,
        golds.is_gold_rare,
        if(gradings.case_id is null, lists.strict_rank, gradings.gold_rank) as strict_rank,
        least(gradings.gold_rank, lists.broad_rank) as broad_rank,
        {%- for depth in list_depths().split() %}
            case
                -- severities alone do not say where the gold diagnosis is
                when graders.judge_id is null and not scales.has_relations then null
                when
                    lists.case_id is not null and gradings.case_id is null
                    or graders.judge_id is null
                    then {{ is_hit_by_rank("strict_rank", depth) }}
                else {{ is_hit_by_label(depth, "gradings", "graders.asked_depths") }}
            end as is_top{{ depth }}_strict,
            is_top{{ depth }}_strict or {{ is_hit_by_rank("broad_rank", depth) }}
                as is_top{{ depth }}_broad,
        {%- endfor %}
        coalesce(lists.n_judged_ranks, 0)::integer as n_judged_ranks,
        {%- for name, condition in scored_ranks %}
            coalesce(lists.{{ name }}, 0)::integer as {{ name }},
        {%- endfor %}
        statuses.outcome_class != 'answered' as is_failure,
        statuses.outcome_class != 'not_asked' as is_asked,
        -- a question that the rater answered for other lists, and not for this one, is a miss too
        graders.judge_id is not null and lists.case_id is null and (
            gradings.case_id is null
            {%- for depth in list_depths().split() %}
                or (
                    list_contains(graders.asked_depths, {{ depth }})
                    and {{ is_among_first(depth, "gradings") }} is null
                )
            {%- endfor %}
        ) as is_unlabelled,
        -- a failure counts within the judge's sample, and a list where it was judged
        outcomes.status != 'not_requested'
        and coalesce(
            if(outcomes.n_judged > 0, null, outcomes.sample_order) <= at_work.sample_end,
            at_work.sample_end is null or lists.case_id is not null
        ) as is_counted,
    from outcomes
    inner join configuration_judges
        on outcomes.configuration_id = configuration_judges.configuration_id
    left join golds
        on
            outcomes.case_id = golds.case_id
            and configuration_judges.judge_id = golds.judge_id
    left join statuses on outcomes.status = statuses.status
    left join at_work
        on
            outcomes.configuration_id = at_work.configuration_id
            and configuration_judges.judge_id = at_work.judge_id
    left join scales on configuration_judges.judge_id = scales.judge_id
    left join graders
        on
            outcomes.configuration_id = graders.configuration_id
            and configuration_judges.judge_id = graders.judge_id
    left join gradings
        on
            outcomes.configuration_id = gradings.configuration_id
            and outcomes.case_id = gradings.case_id
            and configuration_judges.judge_id = gradings.judge_id
    left join lists
        on
            outcomes.configuration_id = lists.configuration_id
            and outcomes.case_id = lists.case_id
            and configuration_judges.judge_id = lists.judge_id
),

-- a configuration without requests has no score, which differs from a score of 0
asked as (
    select
        configuration_id,
        judge_id,
        row_number() over (order by judge_id, test_set, configuration_id)::integer as score_key,
    from scored
    where is_counted
    group by configuration_id, judge_id, test_set
    having bool_or(is_asked)
),

final as (
    select
        configuration_id,
        case_id,
        judge_id,
        asked.score_key,
        test_set,
        prompt_version,
        status,
        outcome_class,
        semantic_score,
        severity_score,
        semantic_score_full_list,
        severity_score_full_list,
        acuity_score,
        rarity_score,
        {{ dangerous_omission(
            "gold_acuity_value", "is_top" ~ max_scored_rank() | trim ~ "_broad", "share_of_milder"
        ) }} as dangerous_omission,
        {{ rescale_score("semantic_score") }} as semantic_rescaled,
        {{ rescale_score("severity_score") }} as severity_rescaled,
        gold_severity,
        gold_severity_rule,
        gold_acuity,
        is_gold_rare,
        strict_rank,
        broad_rank,
        -- a rater who only said that the gold diagnosis is in the list did not give its rank
        {%- for kind in ["strict", "broad"] %}
            case
                when {{ kind }}_rank is not null then 1.0 / {{ kind }}_rank
                when not is_top{{ deepest_list() }}_{{ kind }} then 0
            end::double as reciprocal_rank_{{ kind }},
        {%- endfor %}
        n_judged_ranks,
        {%- for name, condition in scored_ranks %}
            {{ name }},
        {%- endfor %}
        {%- for depth in list_depths().split() %}
            is_top{{ depth }}_strict,
            is_top{{ depth }}_broad,
        {%- endfor %}
        is_failure,
        is_asked,
        is_counted,
        is_unlabelled,
        is_counted and asked.score_key is not null as is_scored,
    from scored
    left join asked using (configuration_id, judge_id)
)

select * from final
