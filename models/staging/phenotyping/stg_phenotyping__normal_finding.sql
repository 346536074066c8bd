with source as (
    select
        words,
        language,
        kind,
        hpo_id,
        source,
    from {{ ref('normal_findings') }}
)

select * from source
