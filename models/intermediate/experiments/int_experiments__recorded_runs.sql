with answers as (
    select
        configuration_id,
        model_alias,
        model_family,
        prompt_alias,
        prompt_version,
        output_format,
        test_set,
        source_file,
    from {{ ref('stg_runs__answer') }}
),

final as (
    select
        configuration_id,
        any_value(model_alias) as model_alias,
        max(model_family) as model_family,
        any_value(prompt_alias) as prompt_alias,
        max(prompt_version) as prompt_version,
        max(output_format) as output_format,
        any_value(test_set) as test_set,
        string_agg(distinct source_file, ', ' order by source_file) as source_files,
        count(*)::integer as n_rows,
    from answers
    group by configuration_id
)

select * from final
