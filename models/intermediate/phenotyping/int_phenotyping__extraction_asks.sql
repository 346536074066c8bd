with {{ chosen_notes() }},

cases as (
    select
        cases.case_id,
        -- the prompt fences the note with runs of =: a note must not be able to close the fence
        regexp_replace(cases.note, '={2,}', '=', 'g') as note,
        cases.contains_phi,
    from {{ ref('int_phenotyping__cases') }} as cases
    semi join chosen_notes on cases.case_id = chosen_notes.case_id
    where trim(cases.note) != ''
),

-- timing is asked of findings the case is known to have, so that a model adds none of its own
present as (
    select
        case_id,
        hpo_id,
    from {{ ref('int_phenotyping__mapped_inputs') }}
    where hpo_id is not null and not is_excluded
    union
    select
        case_id,
        hpo_id,
    from {{ ref('int_phenotyping__mentions') }}
    where hpo_id is not null and status in ('present', 'past')
),

phenotype_lists as (
    select
        present.case_id,
        string_agg('- ' || terms.hpo_name, e'\n' order by terms.hpo_name) as phenotype_list,
    from present
    inner join {{ ref('dim_hpo_term') }} as terms on present.hpo_id = terms.hpo_id
    group by all
),

periods as (
    select
        string_agg(
            '- "' || phrase || '": ' || onset_years::varchar, e'\n' order by onset_years, phrase
        ) as period_table,
    from {{ ref('relative_times') }}
    -- the specified periods; more of them would change the prompt and with it every paid request
    where source like 'Source document%'
),

{{ prompts_and_models() }},

tasks as (
    select
        cases.case_id,
        'excluded' as task,
        'phenotype_excluded' as prompt_alias,
        cases.note,
        '' as phenotype_list,
        cases.contains_phi,
    from cases
    union all
    select
        cases.case_id,
        'timing' as task,
        'phenotype_timing' as prompt_alias,
        cases.note,
        phenotype_lists.phenotype_list,
        cases.contains_phi,
    from cases
    inner join phenotype_lists on cases.case_id = phenotype_lists.case_id
),

asked as (
    select
        tasks.case_id,
        tasks.task,
        registered.model_alias,
        tasks.prompt_alias,
        prompts.prompt_version,
        prompts.output_format,
        prompts.system_template as system_text,
        {{ fill_template("prompts.user_template", [
            ("note", "tasks.note"),
            ("phenotype_list", "tasks.phenotype_list"),
            ("period_table", "periods.period_table"),
        ]) }} as user_text,
        prompts.response_schema,
        1 as repeat_number,
        true as is_selected,
        tasks.contains_phi and not registered.is_phi_approved as is_blocked_by_policy,
        tasks.contains_phi,
    from tasks
    cross join periods
    inner join {{ ref('stg_registry__llm_model') }} as registered
        on
            registered.model_alias = '{{ var("phenotype_reader") }}'
            and registered.kind = 'llm'
    inner join prompts on tasks.prompt_alias = prompts.prompt_alias
),

final as (
    select
        asked.case_id,
        asked.task,
        asked.model_alias,
        asked.prompt_alias,
        asked.prompt_version,
        asked.output_format,
        {{ request_columns("asked.response_schema") }},
    from asked
    inner join models on asked.model_alias = models.model_alias
)

select * from final
