with source as (
    select
        finding,
        kind,
        name,
        operator,
        threshold,
        source,
    from {{ ref('clinical_findings') }}
)

select * from source
