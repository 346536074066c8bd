-- Everything in a recorded run's files that did not enter its scores unchanged.
with answers as (
    select * from {{ ref('stg_runs__answer') }}
),

set_aside as (
    select
        configuration_id,
        null::varchar as case_id,
        case_ref,
        source_file,
        source_row,
        rule,
        reason,
        remedy,
        null::varchar as gold_written,
        true as is_left_out,
    from {{ ref('stg_runs__reject') }}
),

of_no_case as (
    select
        answers.configuration_id,
        answers.case_id,
        answers.case_ref,
        answers.source_file,
        answers.source_row,
        case when answers.case_id is null then 'stored_without_case' else 'case_gone' end as rule,
        case
            when answers.case_id is null
                then 'stored by an earlier version, which did not say of which case it is'
            else 'the test set has this case no more'
        end as reason,
        'import the run again, with --replace' as remedy,
        answers.gold_written,
        true as is_left_out,
    from answers
    anti join {{ ref('bridge_test_set_case') }} as members
        on answers.test_set = members.test_set and answers.case_id = members.case_id
),

other_golds as (
    select
        configuration_id,
        case_id,
        case_ref,
        source_file,
        source_row,
        'gold_' || gold_agreement as rule,
        case gold_agreement
            when 'other' then 'the gold diagnosis in the file is that of another case of the set'
            else 'the gold diagnosis in the file reads otherwise than that of the case'
        end as reason,
        'compare gold_written with the gold diagnosis of the case; if another case is meant, '
        || 'correct its id and import again' as remedy,
        gold_written,
        false as is_left_out,
    from answers
    where gold_agreement in ('other', 'unlike')
),

issues as (
    {%- for part in ["set_aside", "of_no_case", "other_golds"] %}
        select
            configuration_id,
            case_id,
            case_ref,
            source_file,
            source_row,
            rule,
            reason,
            remedy,
            gold_written,
            is_left_out,
        from {{ part }}
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
),

final as (
    select
        configuration_id,
        row_number() over (
            partition by configuration_id
            order by source_file, source_row, rule, case_ref, reason
        )::integer as issue_number,
        case_id,
        case_ref,
        source_file,
        source_row::integer as source_row,
        rule,
        reason,
        remedy,
        nullif(gold_written, '') as gold_written,
        is_left_out,
    from issues
)

select * from final
