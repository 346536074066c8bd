-- one disease twice in a list is merged here, whoever made the list
with answers as (
    select
        configuration_id,
        case_id,
        request_key as answer_key,
    from {{ ref('int_experiments__generation_asks') }}
    union all
    select
        configuration_id,
        case_id,
        answer_key,
    from {{ ref('int_experiments__recorded_answers') }}
),

parsed as (
    select
        answer_key,
        unnest(diagnoses) as item,
    from {{ ref('int_experiments__parsed_answers') }}
),

from_answers as (
    select
        answers.configuration_id,
        answers.case_id,
        parsed.item.place,
        parsed.item.rank as diagnosis_rank,
        parsed.item.diagnosis,
        parsed.item.reasoning,
        parsed.item.in_favour,
        parsed.item.against,
        parsed.item.risk,
    from answers
    inner join parsed on answers.answer_key = parsed.answer_key
),

from_baseline as (
    select
        cells.configuration_id,
        cells.case_id,
        ranking.diagnosis_rank as place,
        ranking.diagnosis_rank,
        ranking.diagnosis,
        ranking.reasoning,
        ranking.in_favour,
        ranking.against,
        cast(null as varchar) as risk,
    from {{ ref('int_experiments__expected_cells') }} as cells
    inner join {{ ref('int_experiments__baseline_ranking') }} as ranking
        on cells.case_id = ranking.case_id
    where cells.model_kind = 'sql'
),

everything as (
    select
        configuration_id,
        case_id,
        place,
        diagnosis_rank,
        diagnosis,
        {{ normalise_name("diagnosis") }} as diagnosis_normalised,
        reasoning,
        in_favour,
        against,
        risk,
    from from_answers
    union all
    select
        configuration_id,
        case_id,
        place,
        diagnosis_rank,
        diagnosis,
        {{ normalise_name("diagnosis") }} as diagnosis_normalised,
        reasoning,
        in_favour,
        against,
        risk,
    from from_baseline
),

final as (
    select
        configuration_id,
        case_id,
        place::integer as place,
        diagnosis_rank::integer as diagnosis_rank,
        min(diagnosis_rank) over (
            partition by configuration_id, case_id, diagnosis_normalised
        )::integer as first_rank,
        diagnosis,
        diagnosis_normalised,
        reasoning,
        in_favour,
        against,
        risk,
    from everything
)

select * from final
