-- every attempt's request is here, with or without a record, so that fct_llm_call always finds it
with attempts as (
    select * from {{ ref('stg_ledger__attempt') }}
),

requests as (
    select * from {{ ref('stg_ledger__request') }}
),

sent as (
    select
        request_key,
        arg_min(model_alias, started_at) as model_alias,
        any_value(provider) as provider,
        any_value(api_model) as api_model,
        count(*)::integer as n_attempts,
        min(started_at) as first_sent_at,
        max(started_at) as last_sent_at,
    from attempts
    group by all
),

final as (
    select
        sent.request_key,
        coalesce(requests.domain, 'unknown') as domain,
        coalesce(requests.task, 'unknown') as task,
        sent.model_alias,
        sent.provider,
        sent.api_model,
        case when not requests.contains_phi then requests.system_text end as system_text,
        case when not requests.contains_phi then requests.user_text end as user_text,
        case
            when requests.request_key is null
                then 'not on record: sent before the words of requests were kept'
            when requests.contains_phi then 'personal health information'
        end as text_withheld,
        requests.parameters,
        requests.response_schema,
        requests.repeat_number::integer as repeat_number,
        sent.n_attempts,
        sent.first_sent_at,
        sent.last_sent_at,
    from sent
    left join requests on sent.request_key = requests.request_key
)

select * from final
