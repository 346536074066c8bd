with codes as (
    select
        code,
        parent_code,
        title,
        kind,
        code_range,
        is_billable,
    from {{ ref('icd10cm_code') }}
    union all
    select
        code,
        parent_code,
        title,
        kind,
        code_range,
        is_billable,
    from {{ ref('icd10cm_extension_code') }}
),

final as (
    select
        code,
        parent_code,
        title,
        kind,
        code_range,
        is_billable::boolean as is_billable,
    from codes
)

select * from final
