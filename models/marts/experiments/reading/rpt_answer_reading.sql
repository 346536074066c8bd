-- Starts from the cells, not from the diagnoses: an answer nobody could read still has a row, and
-- the items add up for every cell.
with outcomes as (
    select * from {{ ref('int_experiments__cell_outcomes') }}
),

ranked as (
    select
        configuration_id,
        case_id,
        min(diagnosis_rank) as first_rank,
        max(diagnosis_rank) as last_rank,
    from {{ ref('int_experiments__ranked_diagnoses') }}
    group by all
),

issues as (
    select
        configuration_id,
        case_id,
        count(*) filter (where effect = 'cut')::integer as n_cut,
        count(*) filter (where effect = 'merged')::integer as n_merged,
        count(*) filter (where effect = 'left')::integer as n_left,
        bool_or(rule = 'renumbered') as is_renumbered,
    from {{ ref('rpt_answer_issue') }}
    group by all
),

final as (
    select
        outcomes.configuration_id,
        outcomes.case_id,
        outcomes.status,
        outcomes.parse_status,
        outcomes.read_as,
        outcomes.n_items,
        outcomes.n_diagnoses as n_read,
        coalesce(issues.n_cut, 0) as n_cut,
        coalesce(issues.n_merged, 0) as n_merged,
        coalesce(issues.n_left, 0) as n_left,
        ranked.first_rank,
        ranked.last_rank,
        coalesce(issues.is_renumbered, false) as is_renumbered,
    from outcomes
    left join ranked using (configuration_id, case_id)
    left join issues using (configuration_id, case_id)
)

select * from final
