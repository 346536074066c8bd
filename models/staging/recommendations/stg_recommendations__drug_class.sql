with source as (
    select
        drug_class,
        drug,
        source,
    from {{ ref('drug_classes') }}
)

select * from source
