with source as (
    select
        prompt_alias,
        task,
        language,
        output_format,
        placeholders,
        description,
    from {{ ref('prompt_registry') }}
)

select * from source
