with lists as (
    select * from {{ ref('int_experiments__judged_lists') }}
    where is_judged
),

by_rules as (
    select
        lists.configuration_id,
        lists.case_id,
        lists.probe,
        lists.diagnosis_rank,
        judges.judge_id,
        relations.semantic_relation,
        relations.semantic_rule,
        relations.semantic_reason,
        -- one disease has one severity, whoever names it
        if(same_disease.case_id is null, severities.severity, same_disease.gold_severity)
            as severity,
        if(same_disease.case_id is null, severities.severity_rule, 'same_disease')
            as severity_rule,
        if(same_disease.case_id is null, severities.severity_reason, 'the gold diagnosis')
            as severity_reason,
        if(same_disease.case_id is null, severities.acuity, same_disease.gold_acuity) as acuity,
        if(same_disease.case_id is null, severities.is_rare, same_disease.is_gold_rare) as is_rare,
        1 as n_votes,
    from lists
    inner join {{ ref('judges') }} as judges on judges.kind = 'terminology'
    left join {{ ref('int_experiments__case_golds') }} as golds on lists.case_id = golds.case_id
    left join {{ ref('int_experiments__reading_keys') }} as keys
        on lists.diagnosis = keys.diagnosis
    left join {{ ref('int_experiments__terminology_relations') }} as relations
        on
            golds.gold_key = relations.gold_key
            and keys.reading_key = relations.reading_key
    left join {{ ref('int_experiments__terminology_severities') }} as severities
        on keys.reading_key = severities.reading_key
    left join {{ ref('int_experiments__gold_severities') }} as same_disease
        on
            case when relations.semantic_relation = 'Exact Synonym' then lists.case_id end
            = same_disease.case_id
            and judges.judge_id = same_disease.judge_id
),

-- a rank that was not in the list belongs to no diagnosis
votes as (
    select * from {{ ref('fct_judge_vote') }}
    where outcome != 'not_in_list'
),

asked as (
    select distinct
        configuration_id,
        case_id,
        judge_id,
    from votes
    where probe = 'none' and scale = 'semantic'
),

asked_judges as (
    select distinct
        asked.configuration_id,
        asked.judge_id,
        models.is_phi_approved,
    from asked
    inner join {{ ref('judges') }} as judges on asked.judge_id = judges.judge_id
    inner join {{ ref('stg_registry__llm_model') }} as models
        on judges.model_alias = models.model_alias
),

-- each list that a judge may see, in the random order of samples
positions as (
    select
        cells.configuration_id,
        asked_judges.judge_id,
        cells.case_id,
        cells.sample_order,
        asked.case_id is not null as is_asked,
        count(asked.case_id) over of_judge as n_asked,
        count(*) over of_judge as n_lists,
    from {{ ref('int_experiments__expected_cells') }} as cells
    inner join asked_judges on cells.configuration_id = asked_judges.configuration_id
    inner join {{ ref('dim_case') }} as cases on cells.case_id = cases.case_id
    semi join lists
        on
            cells.configuration_id = lists.configuration_id
            and cells.case_id = lists.case_id
            and lists.probe = 'none'
    left join asked
        on
            cells.configuration_id = asked.configuration_id
            and cells.case_id = asked.case_id
            and asked_judges.judge_id = asked.judge_id
    where asked_judges.is_phi_approved or not cases.contains_phi
    window
        of_judge as (
            partition by cells.configuration_id, asked_judges.judge_id
            order by cells.sample_order
        )
),

-- a judge may have been asked about the first lists of that order alone. A list behind them that
-- asks the same as one of them has votes by chance, and a run that was stopped leaves gaps
samples as (
    select
        configuration_id,
        judge_id,
        max(sample_order) filter (
            where is_asked and n_asked >= {{ least_share_of_sample() }} * n_lists
        ) as sample_end,
    from positions
    group by all
),

in_sample as (
    select
        positions.configuration_id,
        positions.case_id,
        positions.judge_id,
        true as is_in_sample,
    from positions
    inner join samples
        on
            positions.configuration_id = samples.configuration_id
            and positions.judge_id = samples.judge_id
            and positions.sample_order <= samples.sample_end
    where positions.is_asked
),

tallies as (
    select
        scale,
        configuration_id,
        case_id,
        probe,
        diagnosis_rank,
        judge_id,
        label,
        label_position,
        arg_min(reason, vote) as reason,
        count(*) as n_votes_for,
    from votes
    group by all
),

turnout as (
    select
        scale,
        configuration_id,
        case_id,
        probe,
        diagnosis_rank,
        judge_id,
        count(*)::integer as n_votes,
        round(var_pop(label_position), 12) as vote_variance,
    from votes
    group by all
),

-- the majority decides; a tie goes to the label further up its scale: the more distant relation, so
-- that doubt never flatters, and the graver severity, because a judge of severities does not know
-- the gold one and errs as triage does, on the safe side. The same holds for juries and for the
-- rules of int_experiments__terminology_severities
decisions as (
    select
        scale,
        configuration_id,
        case_id,
        probe,
        diagnosis_rank,
        judge_id,
        first(
            { label: label, reason: reason }
            order by label is null asc, n_votes_for desc, label_position desc, label asc
        ) as winner,
        string_agg(
            coalesce(label, if(scale = 'semantic', 'unlabelled', 'unknown')) || ' ' || n_votes_for,
            ', '
            order by n_votes_for desc, label_position desc nulls last
        ) as vote_split,
    from tallies
    group by all
),

labelled as (
    select
        decisions.*,
        decisions.winner.label,
        decisions.winner.reason,
        if(decisions.winner.label is null, 'no_valid_label', 'majority_vote') as rule,
        turnout.n_votes,
        turnout.vote_variance,
    from decisions
    inner join turnout using (scale, configuration_id, case_id, probe, diagnosis_rank, judge_id)
),

by_models as (
    select
        configuration_id,
        case_id,
        probe,
        diagnosis_rank,
        judge_id,
        {{ columns_of_scales() }}
        coalesce(
            max(n_votes) filter (where scale = 'semantic'),
            max(n_votes) filter (where scale = 'severity')
        ) as n_votes,
    from labelled
    left join in_sample using (configuration_id, case_id, judge_id)
    where labelled.probe != 'none' or in_sample.is_in_sample
    group by configuration_id, case_id, probe, diagnosis_rank, judge_id
    -- judges that share a prompt share its requests: a judge with severities alone, requested in
    -- another judge's name, has not judged
    having bool_or(scale = 'semantic')
),

everybody as (
    select * from by_models
    union all by name
    select * from by_rules
    union all by name
    -- imported labels apply to unchanged lists
    select
        *,
        'none' as probe,
        1 as n_votes,
    from {{ ref('int_experiments__imported_judgements') }}
),

final as (
    select
        configuration_id,
        case_id,
        probe,
        diagnosis_rank,
        judge_id,
        semantic_relation,
        semantic_rule,
        semantic_reason,
        semantic_votes,
        severity,
        severity_rule,
        severity_reason,
        severity_votes,
        -- of other judges, as far as their severity says it
        coalesce(acuity, if(severity in ('rare', 'unknown'), null, severity)) as acuity,
        coalesce(is_rare, if(severity = 'unknown', null, severity = 'rare')) as is_rare,
        semantic_vote_variance,
        severity_vote_variance,
        n_votes,
    from everybody
)

select * from final
