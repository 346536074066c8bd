with source as (
    select
        status,
        outcome_class,
        cast(is_final as boolean) as is_final,
        description,
    from {{ ref('outcome_statuses') }}
)

select * from source
