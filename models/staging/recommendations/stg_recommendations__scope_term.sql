with source as (
    select
        term,
        scope,
        field,
        source,
    from {{ ref('scope_terms') }}
)

select * from source
