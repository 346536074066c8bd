with asks as (
    select * from {{ ref('int_recommendations__generation_asks') }}
),

responses as (
    select * from {{ ref('int_recommendations__generation_responses') }}
),

retrievals as (
    select * from {{ ref('int_recommendations__rule_recommendations') }}
),

patients as (
    select
        tenant_id,
        case_id,
        json_extract_string(patient_json, '$.patient_id') as patient_id,
    from {{ ref('int_recommendations__evaluated_cases') }}
),

final as (
    select
        asks.tenant_id,
        asks.case_id,
        patients.patient_id,
        asks.model_alias,
        retrievals.configuration,
        responses.status,
        responses.answer_text,
        retrievals.documents,
        retrievals.retrieve_ms,
        responses.latency_ms as generate_ms,
        responses.n_attempts::integer as n_calls,
    from asks
    inner join responses on asks.request_key = responses.request_key
    -- the documents that went into the prompt, so that citations are checked against them
    inner join retrievals
        on asks.tenant_id = retrievals.tenant_id and asks.case_id = retrievals.case_id
    inner join patients
        on asks.tenant_id = patients.tenant_id and asks.case_id = patients.case_id
)

select * from final
