{{ config(tags=['tier1']) }}

with listed as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        diagnosis_normalised,
    from {{ ref('int_experiments__listed_diagnoses') }}
    where diagnosis_rank = first_rank
),

ranked as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        diagnosis_normalised,
    from {{ ref('int_experiments__ranked_diagnoses') }}
)

select
    coalesce(listed.configuration_id, ranked.configuration_id) as configuration_id,
    coalesce(listed.case_id, ranked.case_id) as case_id,
    listed.diagnosis_rank as listed_rank,
    ranked.diagnosis_rank,
from listed
full join ranked
    on
        listed.configuration_id = ranked.configuration_id
        and listed.case_id = ranked.case_id
        and listed.diagnosis_rank = ranked.diagnosis_rank
        and listed.diagnosis_normalised = ranked.diagnosis_normalised
where listed.case_id is null or ranked.case_id is null or ranked.diagnosis_rank < 1
