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
)

select
    written.written_name,
    written.icd10_code,
from written
anti join {{ ref('dim_icd10_code') }} as codes on written.icd10_code = codes.code
