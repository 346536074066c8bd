with cases as (
    select * from {{ ref('int_recommendations__evaluated_cases') }}
),

texts as (
    select
        document_id || '#' || chunk_number as document,
        '--- ' || document_id || '#' || chunk_number || ' (' || source_type || ') '
        || title || e'\n' || document_text as shown,
    from {{ ref('clinical_documents') }}
),

retrieved as (
    select
        tenant_id,
        case_id,
        unnest(documents) as document,
        unnest(range(1, len(documents) + 1)) as document_rank,
    from {{ ref('int_recommendations__rule_recommendations') }}
),

shown as (
    select
        retrieved.tenant_id,
        retrieved.case_id,
        string_agg(texts.shown, e'\n\n' order by retrieved.document_rank) as documents,
    from retrieved
    inner join texts on retrieved.document = texts.document
    group by all
),

{{ prompts_and_models() }},

asked as (
    select
        cases.tenant_id,
        cases.case_id,
        registered.model_alias,
        prompts.prompt_version,
        prompts.output_format,
        prompts.system_template as system_text,
        {{ fill_template("prompts.user_template", [
            ("patient", sanitize_untrusted_text("cases.patient_json")),
            ("documents", "coalesce(shown.documents, '(none)')"),
        ]) }} as user_text,
        prompts.response_schema,
        1 as repeat_number,
        true as is_selected,
        -- synthetic patients, and cases written for the project: nobody's health information
        false as is_blocked_by_policy,
    from cases
    inner join {{ ref('stg_registry__llm_model') }} as registered
        on registered.model_alias = '{{ var("recommender") }}' and registered.kind = 'llm'
    inner join prompts on prompts.prompt_alias = 'recommendation'
    left join shown on cases.tenant_id = shown.tenant_id and cases.case_id = shown.case_id
),

final as (
    select
        asked.tenant_id,
        asked.case_id,
        asked.model_alias,
        asked.prompt_version,
        asked.output_format,
        {{ request_columns("asked.response_schema") }},
    from asked
    inner join models on asked.model_alias = models.model_alias
)

select * from final
