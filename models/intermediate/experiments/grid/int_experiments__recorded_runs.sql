with answers as (
    select * from {{ ref('stg_runs__answer') }}
),

models as (
    select
        model_alias,
        family,
    from {{ ref('stg_registry__llm_model') }}
    where kind = 'llm'
),

families as (
    select distinct family
    from models
),

runs as (
    select
        configuration_id,
        any_value(model_alias) as model_alias,
        max(model_family) as family_said,
        any_value(prompt_alias) as prompt_alias,
        max(prompt_version) as prompt_version,
        max(output_format) as output_format,
        any_value(test_set) as test_set,
        string_agg(distinct source_file, ', ' order by source_file) as source_files,
        count(*)::integer as n_rows,
    from answers
    group by configuration_id
),

-- gpt4_0613 belongs to the family gpt, whatever the registry calls its models
named_after as (
    select
        runs.configuration_id,
        max_by(families.family, length(families.family)) as family,
    from runs
    inner join families on starts_with(lower(runs.model_alias), families.family)
    group by runs.configuration_id
),

final as (
    select
        runs.configuration_id,
        runs.model_alias,
        -- an import without a family stores the alias: a judge must still recognise its own family
        if(
            runs.family_said is distinct from runs.model_alias,
            runs.family_said,
            coalesce(models.family, named_after.family, runs.model_alias)
        ) as model_family,
        runs.prompt_alias,
        runs.prompt_version,
        runs.output_format,
        runs.test_set,
        runs.source_files,
        runs.n_rows,
    from runs
    left join models on runs.model_alias = models.model_alias
    left join named_after on runs.configuration_id = named_after.configuration_id
)

select * from final
