with asks as (
    select
        configuration_id,
        case_id,
        request_key,
    from {{ ref('int_experiments__generation_asks') }}
),

parsed as (
    select
        answer_key,
        unnest(diagnoses) as item,
    from {{ ref('int_experiments__parsed_answers') }}
),

from_models as (
    select
        asks.configuration_id,
        asks.case_id,
        parsed.item.rank as diagnosis_rank,
        parsed.item.diagnosis,
        parsed.item.reasoning,
        parsed.item.in_favour,
        parsed.item.against,
        parsed.item.risk,
    from asks
    inner join parsed on asks.request_key = parsed.answer_key
),

recorded as (
    select
        configuration_id,
        case_id,
        answer_key,
        diagnoses,
    from {{ ref('int_experiments__recorded_answers') }}
),

recorded_items as (
    select
        recorded.configuration_id,
        recorded.case_id,
        parsed.item,
    from recorded
    inner join parsed on recorded.answer_key = parsed.answer_key
    union all
    select
        configuration_id,
        case_id,
        unnest(diagnoses) as item,
    from recorded
),

from_runs as (
    select
        configuration_id,
        case_id,
        item.rank as diagnosis_rank,
        item.diagnosis,
        item.reasoning,
        item.in_favour,
        item.against,
        item.risk,
    from recorded_items
),

from_baseline as (
    select
        cells.configuration_id,
        cells.case_id,
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
        diagnosis_rank,
        diagnosis,
        reasoning,
        in_favour,
        against,
        risk,
    from from_models
    union all
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        diagnosis,
        reasoning,
        in_favour,
        against,
        risk,
    from from_baseline
    union all
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        diagnosis,
        reasoning,
        in_favour,
        against,
        risk,
    from from_runs
),

final as (
    select
        configuration_id,
        case_id,
        diagnosis_rank::integer as diagnosis_rank,
        diagnosis,
        {{ normalise_name("diagnosis") }} as diagnosis_normalised,
        reasoning,
        in_favour,
        against,
        risk,
        diagnosis_rank <= {{ max_scored_rank() }} as is_scored,
    from everything
)

select * from final
