with final as (
    select
        name as clinical_name,
        language,
        icd10_code,
        source,
    from {{ ref('clinical_name') }}
)

select * from final
