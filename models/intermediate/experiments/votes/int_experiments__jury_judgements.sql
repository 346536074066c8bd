with juries as (
    select
        judge_id,
        method,
        unnest(members) as member,
    from {{ ref('stg_registry__judge') }}
    where kind = 'jury'
),

relations as (
    select
        semantic_relation,
        distance,
    from {{ ref('semantic_relations') }}
    where is_label
),

levels as (
    select
        severity,
        severity_value,
    from {{ ref('severity_levels') }}
    where is_label
),

sittings as (
    select
        judgements.configuration_id,
        judgements.case_id,
        judgements.diagnosis_rank,
        juries.judge_id,
        juries.method,
        count(*)::integer as n_votes,
        string_agg(juries.member, ', ' order by juries.member) as voters,
    from {{ ref('int_experiments__judgements') }} as judgements
    inner join juries on judgements.judge_id = juries.member
    group by all
    having count(*) >= 2
),

-- a member without a valid label does not vote on that scale
votes as (
    select
        judgements.configuration_id,
        judgements.case_id,
        judgements.diagnosis_rank,
        juries.judge_id,
        'semantic' as scale,
        relations.semantic_relation as label,
        relations.distance as position,
    from {{ ref('int_experiments__judgements') }} as judgements
    inner join juries on judgements.judge_id = juries.member
    inner join relations on judgements.semantic_relation = relations.semantic_relation
    union all
    select
        judgements.configuration_id,
        judgements.case_id,
        judgements.diagnosis_rank,
        juries.judge_id,
        'severity' as scale,
        levels.severity as label,
        levels.severity_value as position,
    from {{ ref('int_experiments__judgements') }} as judgements
    inner join juries on judgements.judge_id = juries.member
    inner join levels on judgements.severity = levels.severity
),

tallies as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        scale,
        label,
        position,
        count(*) as n_votes_for,
    from votes
    group by all
),

splits as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        scale,
        string_agg(label || ' ' || n_votes_for, ', ' order by n_votes_for desc, position desc)
            as vote_split,
    from tallies
    group by all
),

-- where two positions are as good, the larger: the greater distance, the graver severity
majorities as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        scale,
        position as majority,
    from tallies
    qualify
        row_number() over (
            partition by configuration_id, case_id, diagnosis_rank, judge_id, scale
            order by n_votes_for desc, position desc
        ) = 1
),

middles as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        scale,
        -quantile_disc(-position, 0.5) as median,
        floor(avg(position) + 0.5)::integer as mean,
        round(var_pop(position), 12) as vote_variance,
    from votes
    group by all
),

decisions as (
    select
        sittings.configuration_id,
        sittings.case_id,
        sittings.diagnosis_rank,
        sittings.judge_id,
        majorities.scale,
        case sittings.method
            when 'majority' then majorities.majority
            when 'median' then middles.median
            when 'mean' then middles.mean
        end as position,
        splits.vote_split,
        middles.vote_variance,
    from sittings
    inner join majorities using (configuration_id, case_id, diagnosis_rank, judge_id)
    inner join middles using (configuration_id, case_id, diagnosis_rank, judge_id, scale)
    inner join splits using (configuration_id, case_id, diagnosis_rank, judge_id, scale)
),

final as (
    select
        sittings.configuration_id,
        sittings.case_id,
        sittings.diagnosis_rank,
        sittings.judge_id,
        coalesce(relations.semantic_relation, 'unlabelled') as semantic_relation,
        case when relations.distance is null then 'no_valid_label' else 'jury' end
            as semantic_rule,
        sittings.voters as semantic_reason,
        semantic.vote_split as semantic_votes,
        coalesce(levels.severity, 'unknown') as severity,
        case when levels.severity_value is null then 'no_valid_label' else 'jury' end
            as severity_rule,
        sittings.voters as severity_reason,
        severity.vote_split as severity_votes,
        semantic.vote_variance as semantic_vote_variance,
        severity.vote_variance as severity_vote_variance,
        sittings.n_votes,
    from sittings
    left join decisions as semantic
        on
            sittings.configuration_id = semantic.configuration_id
            and sittings.case_id = semantic.case_id
            and sittings.diagnosis_rank = semantic.diagnosis_rank
            and sittings.judge_id = semantic.judge_id
            and semantic.scale = 'semantic'
    left join decisions as severity
        on
            sittings.configuration_id = severity.configuration_id
            and sittings.case_id = severity.case_id
            and sittings.diagnosis_rank = severity.diagnosis_rank
            and sittings.judge_id = severity.judge_id
            and severity.scale = 'severity'
    left join relations on semantic.position = relations.distance
    left join levels on severity.position = levels.severity_value
)

select * from final
