{{ config(tags=['tier1']) }}

with {{ recorded_or_asked() }},

parsed as (
    select
        answer_key,
        unnest(diagnoses) as item,
    from {{ ref('int_experiments__parsed_answers') }}
),

cells as (
    select * from {{ ref('int_experiments__expected_cells') }}
),

{{ keyless_rankings() }},

ranked as (
    select * from {{ ref('int_experiments__ranked_diagnoses') }}
),

repeated as (
    select
        *,
        unnest(repeats) as repeat,
    from ranked
),

listed as (
    select
        answers.configuration_id,
        answers.case_id,
        parsed.item.rank as diagnosis_rank,
        parsed.item.diagnosis,
    from answers
    inner join parsed using (answer_key)
    union all
    select
        cells.configuration_id,
        cells.case_id,
        keyless.diagnosis_rank,
        keyless.diagnosis,
    from cells
    inner join keyless on {{ is_ranked_by("cells", "keyless") }}
),

-- every item of a list is ranked, or repeats what is ranked before it
accounted as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        diagnosis,
    from ranked
    union all
    select
        configuration_id,
        case_id,
        repeat.diagnosis_rank,
        repeat.diagnosis,
    from repeated
    where repeat.diagnosis_rank > diagnosis_rank
)

select
    configuration_id,
    case_id,
    diagnosis_rank,
    listed.diagnosis as listed_diagnosis,
    accounted.diagnosis,
from listed
full join accounted using (configuration_id, case_id, diagnosis_rank, diagnosis)
where listed.diagnosis is null or accounted.diagnosis is null or diagnosis_rank < 1
