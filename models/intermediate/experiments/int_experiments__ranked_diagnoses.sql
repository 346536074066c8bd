with asks as (
    select
        configuration_id,
        case_id,
        request_key,
    from {{ ref('int_experiments__generation_asks') }}
),

parsed as (
    select
        request_key,
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
    from asks
    inner join parsed on asks.request_key = parsed.request_key
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
    from from_baseline
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
        diagnosis_rank <= {{ max_scored_rank() }} as is_scored,
    from everything
)

select * from final
