-- the text of a shared prompt is in its folder, that of an experiment's prompt in a file beside it
with final as (
    select
        *,
        true as is_shared,
    from {{ ref('prompt_registry') }}
    union all by name
    select
        *,
        false as is_shared,
    from {{ source('experiment_files', 'prompt') }}
)

select * from final
