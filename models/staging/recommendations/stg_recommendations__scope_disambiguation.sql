with source as (
    select
        term,
        out_of_scope_with,
        in_scope_with,
        source,
    from {{ ref('scope_disambiguation') }}
)

select * from source
