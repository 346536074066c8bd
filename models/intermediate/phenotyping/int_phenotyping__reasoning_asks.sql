with {{ chosen_notes() }},

cases as (
    select
        packets.case_id,
        packets.packet,
        patients.contains_phi,
    from {{ ref('int_phenotyping__packets') }} as packets
    inner join {{ ref('int_phenotyping__patients') }} as patients
        on packets.case_id = patients.case_id
    semi join chosen_notes on packets.case_id = chosen_notes.case_id
),

{{ prompts_and_models() }},

asked as (
    select
        cases.case_id,
        registered.model_alias,
        prompts.prompt_alias,
        prompts.prompt_version,
        prompts.output_format,
        prompts.system_template as system_text,
        {{ fill_template("prompts.user_template", [("packet", "cases.packet")]) }} as user_text,
        prompts.response_schema,
        1 as repeat_number,
        true as is_selected,
        -- a blocked request keeps its row, so that the case has a status and not a gap
        cases.contains_phi and not registered.is_phi_approved as is_blocked_by_policy,
        cases.contains_phi,
    from cases
    inner join {{ ref('stg_registry__llm_model') }} as registered
        on registered.model_alias = '{{ var("reasoner") }}' and registered.kind = 'llm'
    inner join prompts on prompts.prompt_alias = 'phenotype_reasoning'
),

final as (
    select
        asked.case_id,
        asked.model_alias,
        asked.prompt_alias,
        asked.prompt_version,
        asked.output_format,
        {{ request_columns("asked.response_schema") }},
    from asked
    inner join models on asked.model_alias = models.model_alias
)

select * from final
