-- two files may ask the same
with final as (
    select * from {{ ref('configurations') }}
    union by name
    select * from {{ source('experiment_files', 'configuration') }}
)

select * from final
