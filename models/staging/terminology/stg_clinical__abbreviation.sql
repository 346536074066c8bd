with final as (
    select
        abbreviation,
        {{ abbreviation_key("abbreviation") }} as abbreviation_key,
        language,
        expansion,
        icd10_code,
        source,
    from {{ ref('clinical_abbreviation') }}
)

select * from final
