with runs as (
    select
        configuration_id,
        model_alias,
        prompt_alias,
        test_set,
        source_files,
        n_rows,
    from {{ ref('int_experiments__recorded_runs') }}
),

answers as (
    select
        configuration_id,
        case_id,
        case_ref,
        is_gold_worded_differently,
    from {{ ref('int_experiments__recorded_answers') }}
),

matched as (
    select
        configuration_id,
        count(*)::integer as n_answers,
        count(*) filter (where is_gold_worded_differently)::integer as n_gold_worded_differently,
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
        recorded.configuration_id,
        recorded.source_file || ', row ' || recorded.source_row as recorded_in,
        row_number() over (
            partition by recorded.configuration_id
            order by recorded.source_file, recorded.source_row
        ) as place,
    from {{ ref('stg_runs__answer') }} as recorded
    anti join answers
        on
            recorded.configuration_id = answers.configuration_id
            and recorded.case_ref = answers.case_ref
),

unmatched as (
    select
        configuration_id,
        string_agg(recorded_in, '; ' order by place) filter (where place <= 10) as unmatched_rows,
        count(*)::integer as n_unmatched,
    from strangers
    group by all
),

labels as (
    select
        labels.configuration_id,
        string_agg(distinct labels.judge_id, ', ' order by labels.judge_id) as judges,
        count(*)::integer as n_labels,
        count(*) filter (where labels.diagnosis_rank > 0 and ranked.case_id is null)::integer
            as n_labels_without_rank,
    from {{ ref('stg_runs__label') }} as labels
    left join answers
        on
            labels.configuration_id = answers.configuration_id
            and labels.case_ref = answers.case_ref
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
        unmatched.unmatched_rows,
        test_sets.n_cases,
        runs.n_rows,
        coalesce(matched.n_answers, 0)::integer as n_answers,
        coalesce(missing.n_missing, 0)::integer as n_missing,
        coalesce(unmatched.n_unmatched, 0)::integer as n_unmatched,
        coalesce(matched.n_gold_worded_differently, 0)::integer as n_gold_worded_differently,
        coalesce(labels.n_labels, 0)::integer as n_labels,
        coalesce(labels.n_labels_without_rank, 0)::integer as n_labels_without_rank,
    from runs
    left join {{ ref('dim_test_set') }} as test_sets on runs.test_set = test_sets.test_set
    left join matched on runs.configuration_id = matched.configuration_id
    left join missing on runs.configuration_id = missing.configuration_id
    left join unmatched on runs.configuration_id = unmatched.configuration_id
    left join labels on runs.configuration_id = labels.configuration_id
)

select * from final
