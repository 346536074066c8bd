{{ config(severity='warn', meta={'holds_of': 'data'}) }}

with cases as (
    select
        case_id,
        case_id = 'kernel29_notes/0001' as is_ids_only,
        case_id = 'kernel29_notes/0002' as is_free_text,
        case_id = 'kernel29_notes/0003' as is_urgent,
        case_id = 'kernel29_notes/0004' as is_sparse,
        status,
        n_excluded,
        n_with_onset,
        completeness,
    from {{ ref('fct_phenotyped_case') }}
    where note_set = 'kernel29_notes' and case_id <= 'kernel29_notes/0004'
),

steps as (
    select
        case_id,
        count(*) as n_steps,
    from {{ ref('fct_next_step') }}
    where reasoner = 'rules'
    group by all
),

matches as (
    select
        case_id,
        count(*) as n_matches,
        min(excluded_score) as excluded_score,
    from {{ ref('fct_disease_match') }}
    group by all
),

judged as (
    select
        cases.case_id,
        case
            when cases.is_ids_only
                then cases.completeness between 0.2 and 0.5 and steps.n_steps > 0
            when cases.is_free_text
                then
                    cases.n_excluded > 0 and cases.n_with_onset > 0 and matches.n_matches >= 10
            when cases.is_urgent
                then cases.status = 'stopped' and matches.case_id is null and steps.case_id is null
            when cases.is_sparse then cases.completeness < 0.4 and matches.n_matches >= 10
        end as holds,
    from cases
    left join steps on cases.case_id = steps.case_id
    left join matches on cases.case_id = matches.case_id
)

select case_id,
from judged
where not coalesce(holds, false)
union all
select 'a case is missing' as case_id,
from judged
having count(*) != 4
