with senses as (
    select * from {{ ref('stg_clinical__abbreviation') }}
),

codes as (
    select * from {{ ref('dim_icd10_code') }}
),

final as (
    select
        senses.abbreviation_key,
        senses.language,
        senses.expansion,
        senses.abbreviation,
        senses.icd10_code,
        codes.title as icd10_title,
        senses.source,
        count(*) over (partition by senses.abbreviation_key, senses.language) as n_senses,
        n_senses > 1 as is_ambiguous,
        senses.icd10_code is not null as is_diagnosis,
        senses.icd10_code is null or codes.code is not null as is_code_known,
    from senses
    left join codes on senses.icd10_code = codes.code
)

select * from final
