with abbreviations as (
    select
        abbreviation,
        language,
        expansion,
        icd10_code,
        source,
    from {{ ref('stg_clinical__abbreviation') }}
    where icd10_code is not null
),

names as (
    select
        name as clinical_name,
        language,
        icd10_code,
        source,
    from {{ ref('clinical_name') }}
),

-- an English name that ICD-10-CM itself has stands for the code ICD-10-CM gives it
official_names as (
    select distinct {{ normalise_name("alias") }} as alias_normalised,
    from {{ ref('int_terminology__icd10_alias') }}
),

expansions as (
    select
        abbreviations.expansion,
        abbreviations.language,
        abbreviations.icd10_code,
        abbreviations.source,
    from abbreviations
    left join official_names
        on {{ normalise_name("abbreviations.expansion") }} = official_names.alias_normalised
    where abbreviations.language != 'en' or official_names.alias_normalised is null
),

aliases as (
    select
        icd10_code as code,
        abbreviation as alias,
        'abbreviation' as scope,
        language,
        source,
    from abbreviations
    union
    select
        icd10_code as code,
        expansion as alias,
        'exact' as scope,
        language,
        source,
    from expansions
    union
    select
        icd10_code as code,
        clinical_name as alias,
        'exact' as scope,
        language,
        source,
    from names
),

codes as (
    select code,
    from {{ ref('int_terminology__icd10_hierarchy') }}
),

-- another release may lack a code that was written by hand
final as (
    select
        aliases.code,
        aliases.alias,
        aliases.scope,
        aliases.language,
        min(aliases.source) as source,
    from aliases
    inner join codes on aliases.code = codes.code
    group by all
)

select * from final
