with runs as (
    select * from {{ ref('int_experiments__recorded_runs') }}
),

answers as (
    select * from {{ ref('int_experiments__recorded_answers') }}
),

matched as (
    select
        configuration_id,
        string_agg(distinct matched_by, ', ' order by matched_by) as matched_by,
        count(*)::integer as n_answers,
        count(*) filter (where gold_agreement = 'same')::integer as n_gold_same,
        -- 'other' is another case's gold diagnosis, 'unlike' one in other words: either may be the
        -- sign of a wrong match
        count(*) filter (where gold_agreement in ('other', 'unlike'))::integer
            as n_gold_worded_differently,
    from answers
    group by all
),

cells as (
    select
        runs.configuration_id,
        members.case_id,
        row_number() over (partition by runs.configuration_id order by members.case_number)
            as place,
    from runs
    inner join {{ ref('bridge_test_set_case') }} as members on runs.test_set = members.test_set
    anti join answers
        on runs.configuration_id = answers.configuration_id and members.case_id = answers.case_id
),

-- ten names tell a reader what went wrong; n_missing has the whole count
missing as (
    select
        configuration_id,
        string_agg(case_id, ', ' order by place) filter (where place <= 10) as missing_cases,
        count(*)::integer as n_missing,
    from cells
    group by all
),

strangers as (
    select
        configuration_id,
        {{ place_in_file("source_file", "source_row") }} as recorded_in,
        row_number() over (
            partition by configuration_id
            order by issue_number
        ) as place,
    from {{ ref('rpt_run_issue') }}
    where is_left_out
),

unmatched as (
    select
        configuration_id,
        string_agg(recorded_in, '; ' order by place) filter (where place <= 10) as rows_left_out,
        count(*)::integer as n_left_out,
    from strangers
    group by all
),

readings as (
    select
        configuration_id,
        sum(n_items)::integer as n_items,
        sum(n_read)::integer as n_read,
        sum(n_cut)::integer as n_cut,
        sum(n_merged)::integer as n_merged,
        sum(n_left)::integer as n_left,
    from {{ ref('rpt_answer_reading') }}
    group by all
),

labels as (
    select
        labels.configuration_id,
        string_agg(distinct labels.judge_id, ', ' order by labels.judge_id) as judges,
        count(*)::integer as n_labels,
        count(*) filter (where not labels.is_gold_rank and ranked.case_id is null)::integer
            as n_labels_without_rank,
    from {{ ref('stg_runs__label') }} as labels
    left join answers
        on
            labels.configuration_id = answers.configuration_id
            and labels.case_id = answers.case_id
    left join {{ ref('int_experiments__ranked_diagnoses') }} as ranked
        on
            answers.configuration_id = ranked.configuration_id
            and answers.case_id = ranked.case_id
            and labels.diagnosis_rank = ranked.diagnosis_rank
    group by all
),

final as (
    select
        runs.configuration_id,
        runs.model_alias,
        runs.prompt_alias,
        runs.test_set,
        runs.source_files,
        labels.judges,
        missing.missing_cases,
        unmatched.rows_left_out,
        matched.matched_by,
        test_sets.n_cases,
        runs.n_rows,
        coalesce(matched.n_answers, 0)::integer as n_answers,
        coalesce(missing.n_missing, 0)::integer as n_missing,
        coalesce(unmatched.n_left_out, 0)::integer as n_left_out,
        coalesce(matched.n_gold_same, 0)::integer as n_gold_same,
        coalesce(matched.n_gold_worded_differently, 0)::integer as n_gold_worded_differently,
        coalesce(labels.n_labels, 0)::integer as n_labels,
        coalesce(labels.n_labels_without_rank, 0)::integer as n_labels_without_rank,
        coalesce(readings.n_items, 0) as n_items,
        coalesce(readings.n_read, 0) as n_read,
        coalesce(readings.n_cut, 0) as n_cut,
        coalesce(readings.n_merged, 0) as n_merged,
        coalesce(readings.n_left, 0) as n_left,
    from runs
    left join {{ ref('dim_test_set') }} as test_sets on runs.test_set = test_sets.test_set
    left join matched on runs.configuration_id = matched.configuration_id
    left join readings on runs.configuration_id = readings.configuration_id
    left join missing on runs.configuration_id = missing.configuration_id
    left join unmatched on runs.configuration_id = unmatched.configuration_id
    left join labels on runs.configuration_id = labels.configuration_id
)

select * from final
