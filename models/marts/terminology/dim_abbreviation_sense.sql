with abbreviations as (
    select
        *,
        {{ abbreviation_key("abbreviation") }} as abbreviation_key,
    from {{ ref('clinical_abbreviation') }}
),

codes as (
    select * from {{ ref('dim_icd10_code') }}
),

final as (
    select
        abbreviations.abbreviation_key,
        abbreviations.language,
        abbreviations.expansion,
        abbreviations.abbreviation,
        abbreviations.icd10_code,
        codes.title as icd10_title,
        abbreviations.source,
        -- within a language: an abbreviation may be clear in Spanish notes and ambiguous in English
        -- ones
        count(*) over (partition by abbreviations.abbreviation_key, abbreviations.language)
            as n_senses,
        n_senses > 1 as is_ambiguous,
        abbreviations.icd10_code is not null as is_diagnosis,
        -- a release may drop a code written by hand; the sense stays and says so
        abbreviations.icd10_code is null or codes.code is not null as is_code_known,
    from abbreviations
    left join codes on abbreviations.icd10_code = codes.code
)

select * from final
