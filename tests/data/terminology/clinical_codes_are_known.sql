{{ config(severity='warn', meta={'holds_of': 'data'}) }}

with written as (
    select
        abbreviation as written_name,
        icd10_code,
    from {{ ref('clinical_abbreviation') }}
    where icd10_code is not null
    union all
    select
        name as written_name,
        icd10_code,
    from {{ ref('clinical_name') }}
    where known_name is null or icd10_code is not null
),

known_names as (
    select alias_normalised,
    from {{ ref('dim_concept_alias') }}
    where
        vocabulary != 'hpo'
        and language = 'en'
        and scope in ('preferred', 'exact', 'inclusion')
)

select
    written.written_name,
    written.icd10_code as said_to_mean,
from written
anti join {{ ref('dim_icd10_code') }} as codes on written.icd10_code = codes.code
union all
select
    names.name as written_name,
    names.known_name as said_to_mean,
from {{ ref('clinical_name') }} as names
anti join known_names on {{ normalise_name("names.known_name") }} = known_names.alias_normalised
where names.known_name is not null
