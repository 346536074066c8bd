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

-- what a prompt may show of a case by the name of its column; a table's own columns come first
columns as (
    select
        cases.case_id,
        map_concat(
            map { 'age': cases.age_years::varchar, 'sex': cases.sex },
            from_json(coalesce(records.row_values, '{}'), '"MAP(VARCHAR, VARCHAR)"')
        ) as by_name,
    from cases
    left join {{ ref('stg_cases__record') }} as records
        on cases.case_id = {{ case_id("records.test_set", "records.record_number") }}
),

{{ models_to_call() }},

asked as (
    select
        cells.configuration_id,
        cells.case_id,
        cells.model_alias,
        prompts.output_format,
        {{ fill_template("prompts.system_template", values, "columns.by_name") }} as system_text,
        {{ fill_template("prompts.user_template", values, "columns.by_name") }} as user_text,
        prompts.response_schema,
        models.repeat_number,
        {{ is_chosen("cells.model_alias", "models") }} and {{ is_in_run("cells") }} as is_selected,
        cells.is_blocked_by_policy,
        cases.contains_phi,
    from cells
    inner join cases on cells.case_id = cases.case_id
    inner join prompts on cells.prompt_alias = prompts.prompt_alias
    inner join models on cells.model_alias = models.model_alias
    left join examples on cells.case_id = examples.case_id
    left join columns on cells.case_id = columns.case_id
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
