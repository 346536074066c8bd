with labels as (
    select
        *,
        row_number() over (
            order by judge_id, source_file, source_line, scale, case_ref, diagnosis
        ) as label_number,
        {{ normalise_name("diagnosis") }} as diagnosis_normalised,
        {{ is_list_scale("scale") }} as is_of_list,
    from {{ ref('stg_labels__label') }}
),

-- a set may hold cases that came with another set: each has its own number there
cases as (
    select
        members.test_set,
        members.case_number,
        cases.case_id,
        cases.record_id,
        cases.contains_phi,
    from {{ ref('bridge_test_set_case') }} as members
    inner join {{ ref('dim_case') }} as cases on members.case_id = cases.case_id
),

-- an id takes precedence over the source's name for the case, and that over the number of another
candidates as (
    select
        labels.label_number,
        cases.case_id,
        1 as precedence,
    from labels
    inner join cases on labels.case_ref = cases.case_id
    union all
    select
        labels.label_number,
        cases.case_id,
        2 as precedence,
    from labels
    inner join cases on labels.test_set || '/' || labels.case_ref = cases.case_id
    union all
    select
        labels.label_number,
        cases.case_id,
        3 as precedence,
    from labels
    inner join cases
        on labels.test_set = cases.test_set and labels.case_ref = cases.record_id
    union all
    select
        labels.label_number,
        cases.case_id,
        4 as precedence,
    from labels
    inner join cases
        on
            labels.test_set = cases.test_set
            and try_cast(labels.case_ref as integer) = cases.case_number
    -- the ids of patients are in no table: what looks like a number may be the id of another case,
    -- so the import names these cases by case_id
    where not cases.contains_phi
),

-- a name that several cases share is of none of them
matched as (
    select
        label_number,
        case when count(distinct case_id) = 1 then min(case_id) end as case_id,
    from candidates
    group by label_number, precedence
    qualify row_number() over (partition by label_number order by precedence) = 1
),

ranked as (
    select * from {{ ref('int_experiments__ranked_diagnoses') }}
    where is_judged
),

-- a name identifies what was labelled; a rank, or a grading of a whole list, does so only for the
-- list of one configuration, whether or not a diagnosis could be read in it
attached as (
    select
        matched.label_number,
        ranked.configuration_id,
        ranked.diagnosis_rank,
    from matched
    inner join labels on matched.label_number = labels.label_number
    inner join ranked
        on
            matched.case_id = ranked.case_id
            and labels.diagnosis_normalised = ranked.diagnosis_normalised
    where coalesce(labels.configuration_id = ranked.configuration_id, true)
    union all
    select
        matched.label_number,
        ranked.configuration_id,
        ranked.diagnosis_rank,
    from matched
    inner join labels on matched.label_number = labels.label_number
    inner join ranked
        on
            labels.configuration_id = ranked.configuration_id
            and matched.case_id = ranked.case_id
            and labels.diagnosis_rank = ranked.diagnosis_rank
    where labels.diagnosis_normalised is null
    union all
    select
        matched.label_number,
        cells.configuration_id,
        cast(null as integer) as diagnosis_rank,
    from matched
    inner join labels on matched.label_number = labels.label_number
    inner join {{ ref('int_experiments__expected_cells') }} as cells
        on
            labels.configuration_id = cells.configuration_id
            and matched.case_id = cells.case_id
    where labels.is_of_list
),

final as (
    select
        labels.label_number,
        labels.judge_id,
        labels.panel,
        labels.kind,
        labels.scale,
        labels.label,
        labels.label_written,
        labels.source_file,
        labels.source_line,
        labels.source_file || ', line ' || labels.source_line as source,
        matched.case_id,
        row_number() over (
            partition by labels.label_number
            order by attached.configuration_id, attached.diagnosis_rank
        ) as place_number,
        attached.configuration_id,
        attached.diagnosis_rank,
        case
            when matched.label_number is not null and matched.case_id is null
                then 'several cases have this id'
            when matched.case_id is null then 'there is no such case'
            when labels.configuration_id is not null and configurations.configuration_id is null
                then 'there is no such configuration'
            when attached.configuration_id is null and labels.is_of_list
                then 'the case is not in the test set of the configuration'
            when attached.configuration_id is null
                then 'no list of the case has this diagnosis in its first ranks'
        end as unattached_reason,
    from labels
    left join matched on labels.label_number = matched.label_number
    left join attached on labels.label_number = attached.label_number
    left join {{ ref('int_experiments__configurations') }} as configurations
        on labels.configuration_id = configurations.configuration_id
)

select * from final
