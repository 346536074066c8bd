with source as (
    select
        action,
        phrase,
    from {{ ref('action_phrases') }}
)

select * from source
