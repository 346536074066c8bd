with judgements as (
    select * from {{ ref('int_experiments__judgements') }}
    where probe = 'none'
),

juries as (
    select
        judge_id,
        method,
        unnest(string_split(members, ';')) as member,
    from {{ ref('judges') }}
    where kind = 'jury'
),

labels as (
    {{ scale_labels() }}
),

-- a single member is not a jury
sittings as (
    select
        judgements.configuration_id,
        judgements.case_id,
        judgements.diagnosis_rank,
        juries.judge_id,
        juries.method,
        unnest(['semantic', 'severity']) as scale,
        string_agg(juries.member, ', ' order by juries.member) as reason,
        count(*)::integer as n_votes,
    from judgements
    inner join juries on judgements.judge_id = juries.member
    group by all
    having count(*) >= 2
),

-- a member without a valid label does not vote on that scale
votes as (
    {%- for scale, column in [("semantic", "semantic_relation"), ("severity", "severity")] %}
        select
            judgements.configuration_id,
            judgements.case_id,
            judgements.diagnosis_rank,
            juries.judge_id,
            labels.*,
        from judgements
        inner join juries on judgements.judge_id = juries.member
        inner join labels
            on labels.scale = '{{ scale }}' and judgements.{{ column }} = labels.label
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
),

tallies as (
    select
        *,
        count(*) as n_votes_for,
    from votes
    group by all
),

-- of two equally good positions the larger one: the greater distance, the graver severity
majorities as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        scale,
        arg_max(label_position, (n_votes_for, label_position)) as majority,
        string_agg(label || ' ' || n_votes_for, ', ' order by n_votes_for desc, label_position desc)
            as vote_split,
    from tallies
    group by all
),

middles as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        scale,
        -quantile_disc(-label_position, 0.5) as median,
        floor(avg(label_position) + 0.5)::integer as mean,
        round(var_pop(label_position), 12) as vote_variance,
    from votes
    group by all
),

decisions as (
    select
        sittings.*,
        labels.label,
        if(labels.label is null, 'no_valid_label', 'jury') as rule,
        majorities.vote_split,
        middles.vote_variance,
    from sittings
    left join majorities using (configuration_id, case_id, diagnosis_rank, judge_id, scale)
    left join middles using (configuration_id, case_id, diagnosis_rank, judge_id, scale)
    left join labels
        on
            sittings.scale = labels.scale
            and labels.label_position = case sittings.method
                when 'majority' then majorities.majority
                when 'median' then middles.median
                when 'mean' then middles.mean
            end
),

final as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        {{ columns_of_scales() }}
        max(n_votes) as n_votes,
    from decisions
    group by all
)

select * from final
