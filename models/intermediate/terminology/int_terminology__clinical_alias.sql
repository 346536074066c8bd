with abbreviations as (
    select *
    from {{ ref('clinical_abbreviation') }}
    where icd10_code is not null
),

names as (
    select * from {{ ref('clinical_name') }}
),

-- an English name that ICD-10-CM itself has stands for the code ICD-10-CM gives it
official_names as (
    select distinct {{ normalise_name("alias") }} as alias_normalised,
    from {{ ref('int_terminology__icd10_alias') }}
),

expansions as (
    select abbreviations.*
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
        name as alias,
        'exact' as scope,
        language,
        source,
    from names
),

codes as (
    select * from {{ ref('dim_icd10_code') }}
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
