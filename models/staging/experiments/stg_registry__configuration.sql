with source as (
    select distinct
        model_alias,
        prompt_alias,
        test_set,
    from {{ ref('configurations') }}
)

select * from source
