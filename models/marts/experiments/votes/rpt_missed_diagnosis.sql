with errors as (
    select
        *,
        semantic_error in ('gold diagnosis first', 'gold diagnosis lower in the list') as is_found,
    from {{ ref('fct_case_error') }}
    where is_asked
),

first_instead as (
    select
        gold_name,
        test_set,
        judge_id,
        terminology_release,
        first_diagnosis,
        rank() over (
            partition by gold_name, test_set, judge_id, terminology_release
            order by count(*) desc
        ) as frequency_rank,
    from errors
    where not is_found and first_diagnosis is not null
    group by gold_name, test_set, judge_id, terminology_release, first_diagnosis
),

-- of several that come equally often none is the usual one
usual_first as (
    select
        gold_name,
        test_set,
        judge_id,
        terminology_release,
        max(first_diagnosis) as first_diagnosis,
    from first_instead
    where frequency_rank = 1
    group by all
    having count(*) = 1
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
        max(usual_first.first_diagnosis) as usual_first_diagnosis,
        count(distinct errors.case_id)::integer as n_cases,
        count(distinct errors.configuration_id)::integer as n_configurations,
        count(*)::integer as n_answers,
        count(*) filter (where errors.is_failure)::integer as n_failures,
        count(*) filter (where not errors.is_found)::integer as n_missed,
        round(count(*) filter (where not errors.is_found) / count(*), 12) as share_missed,
    from errors
    inner join cases on errors.case_id = cases.case_id
    left join usual_first
        on
            errors.gold_name = usual_first.gold_name
            and errors.test_set = usual_first.test_set
            and errors.judge_id = usual_first.judge_id
            and errors.terminology_release = usual_first.terminology_release
    group by all
)

select * from final
