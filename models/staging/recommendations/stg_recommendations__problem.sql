with source as (
    select
        problem,
        label,
        condition,
        holds_when,
        severity,
        severity_when,
        is_scoped,
        differential,
        source,
    from {{ ref('clinical_problems') }}
)

select * from source
