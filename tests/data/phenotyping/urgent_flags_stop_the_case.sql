with urgent as (
    select distinct case_id,
    from {{ ref('fct_red_flag') }}
    where severity = 'URGENT'
),

patients as (
    select
        case_id,
        is_stopped,
    from {{ ref('int_phenotyping__patients') }}
),

matches as (
    select distinct case_id,
    from {{ ref('int_phenotyping__disease_matches') }}
),

judged as (
    select
        patients.case_id,
        patients.is_stopped,
        urgent.case_id is not null as is_urgent,
        matches.case_id is not null as is_matched,
    from patients
    left join urgent on patients.case_id = urgent.case_id
    left join matches on patients.case_id = matches.case_id
)

select
    case_id,
    is_stopped,
    is_urgent,
    is_matched,
from judged
where is_stopped != is_urgent or (is_stopped and is_matched)
