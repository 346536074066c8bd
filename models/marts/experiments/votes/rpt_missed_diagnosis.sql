with errors as (
    select
        *,
        semantic_error in ('gold diagnosis first', 'gold diagnosis lower in the list') as is_found,
    from {{ ref('fct_case_error') }}
    where is_asked
),

cases as (
    select * from {{ ref('dim_case') }}
),

final as (
    select
        errors.gold_name,
        -- ordered, so that a tie gives the same wording in every build
        mode(gold_written order by gold_written) as gold_written,
        errors.test_set,
        errors.judge_id,
        string_agg(distinct errors.prompt_version, ', ' order by errors.prompt_version)
            as prompt_versions,
        errors.terminology_release,
        mode(errors.first_diagnosis order by errors.first_diagnosis)
        filter (where not errors.is_found) as usual_first_diagnosis,
        count(distinct errors.case_id)::integer as n_cases,
        count(distinct errors.configuration_id)::integer as n_configurations,
        count(*)::integer as n_answers,
        count(*) filter (where errors.is_failure)::integer as n_failures,
        count(*) filter (where not errors.is_found)::integer as n_missed,
        round(count(*) filter (where not errors.is_found) / count(*), 12) as share_missed,
    from errors
    inner join cases on errors.case_id = cases.case_id
    group by all
)

select * from final
