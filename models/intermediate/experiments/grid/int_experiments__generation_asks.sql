{%- set values = [
    ("similar_cases", "coalesce(examples.similar_cases, 'none')"),
    ("case_narrative", "cases.narrative"),
] -%}

with cells as (
    select
        configuration_id,
        case_id,
        model_alias,
        prompt_alias,
        test_set,
        model_kind,
        sample_order,
        is_blocked_by_policy,
    from {{ ref('int_experiments__expected_cells') }}
    where model_kind = 'llm'
),

cases as (
    select * from {{ ref('dim_case') }}
),

{{ composed_prompts() }},

-- solved cases that a prompt may show, as one text
examples as (
    select
        case_id,
        string_agg(
            'Case: ' || narrative || e'\nDiagnosis: ' || gold_name,
            e'\n\n' order by example_rank
        ) as similar_cases,
    from {{ ref('int_experiments__similar_cases') }}
    group by all
),

{{ models_to_call() }},

asked as (
    select
        cells.configuration_id,
        cells.case_id,
        cells.model_alias,
        prompts.output_format,
        {{ fill_template("prompts.system_template", values) }} as system_text,
        {{ fill_template("prompts.user_template", values) }} as user_text,
        prompts.response_schema,
        1 as repeat_number,
        {{ is_chosen("cells.model_alias", "models") }} and {{ is_in_run("cells") }} as is_selected,
        cells.is_blocked_by_policy,
    from cells
    inner join cases on cells.case_id = cases.case_id
    inner join prompts on cells.prompt_alias = prompts.prompt_alias
    left join examples on cells.case_id = examples.case_id
),

final as (
    select
        asked.configuration_id,
        asked.case_id,
        asked.model_alias,
        asked.output_format,
        {{ request_columns("asked.response_schema") }},
    from asked
    inner join models on asked.model_alias = models.model_alias
)

select * from final
