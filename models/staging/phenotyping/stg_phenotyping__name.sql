with source as (
    select
        name,
        language,
        hpo_id,
        source,
    from {{ ref('phenotype_names') }}
)

select * from source
