with source as (
    select
        action,
        category,
        drug_class,
        instruction,
        source,
    from {{ ref('clinical_actions') }}
)

select * from source
