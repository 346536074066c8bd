with {{ given_labels(pooled=false) }},

labels as (
    select
        given.*,
        judges.kind,
        judges.panel,
    from given
    inner join {{ ref('dim_judge') }} as judges on given.judge_id = judges.judge_id
),

-- every pair of judges, in one order
pairs as (
    select
        'pair' as comparison,
        first_judge.judge_id as judge_a,
        second_judge.judge_id as judge_b,
        first_judge.test_set,
        first_judge.configuration_id,
        first_judge.scale,
        first_judge.case_id,
        first_judge.label_position as position_a,
        second_judge.label_position as position_b,
        sum(first_judge.n_units)::double as n,
    from labels as first_judge
    inner join labels as second_judge on first_judge.pattern_key = second_judge.pattern_key
    where first_judge.judge_id < second_judge.judge_id
    group by all
),

-- every judge, raters included, against the other raters of a panel, all in one table of counts
against_panel as (
    select
        'panel' as comparison,
        subject.judge_id as judge_a,
        rater.panel as judge_b,
        subject.test_set,
        subject.configuration_id,
        subject.scale,
        subject.case_id,
        subject.label_position as position_a,
        rater.label_position as position_b,
        sum(subject.n_units)::double as n,
    from labels as subject
    inner join labels as rater on subject.pattern_key = rater.pattern_key
    where
        rater.panel is not null
        and subject.judge_id != rater.judge_id
        and subject.configuration_id = 'all'
    group by all
),

-- more than two judges at once: the raters of a panel, and all independent judges
memberships as (
    select
        *,
        panel as judge_group,
    from labels
    where panel is not null and configuration_id = 'all'
    union all by name
    select
        *,
        'judges' as judge_group,
    from labels
    where
        panel is null
        and kind in ('terminology', 'llm', 'recorded')
        and configuration_id = 'all'
),

values_given as (
    select
        judge_group,
        pattern_key,
        test_set,
        configuration_id,
        scale,
        case_id,
        label_position,
        n_units,
        count(*) as n_values,
    from memberships
    group by all
),

values_of_unit as (
    select
        *,
        sum(n_values) over (partition by judge_group, pattern_key) as n_unit_values,
    from values_given
),

-- coincidences after Krippendorff: each unit counts as often as it has labels
coincidences as (
    select
        'group' as comparison,
        first_value.judge_group as judge_a,
        first_value.judge_group as judge_b,
        first_value.test_set,
        first_value.configuration_id,
        first_value.scale,
        first_value.case_id,
        first_value.label_position as position_a,
        second_value.label_position as position_b,
        sum(
            first_value.n_units
            * first_value.n_values
            * (
                second_value.n_values
                - (first_value.label_position = second_value.label_position)::integer
            )
            / (first_value.n_unit_values - 1.0)
        )::double as n,
    from values_of_unit as first_value
    inner join values_of_unit as second_value using (judge_group, pattern_key)
    where first_value.n_unit_values > 1
    group by all
),

-- a judge against itself on a probe of the same list, all test sets together
against_itself as (
    select
        'itself' as comparison,
        judge_id as judge_a,
        probe as judge_b,
        'all' as test_set,
        'all' as configuration_id,
        scale,
        case_id,
        position_before as position_a,
        position_after as position_b,
        count(*)::double as n,
    from {{ ref('int_experiments__probe_labels') }}
    where position_before is not null and position_after is not null
    group by all
),

counted_labels as (
    select * from pairs
    union all by name
    select * from against_panel
    union all by name
    select * from coincidences
    union all by name
    select * from against_itself
),

final as (
    select
        comparison,
        judge_a,
        judge_b,
        test_set,
        configuration_id,
        scale,
        case_id,
        position_a,
        position_b,
        n,
    from counted_labels
)

select * from final
