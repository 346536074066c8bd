with ranges as (
    select
        rule_id,
        string_split(pattern, '..')[1] as first_code,
        string_split(pattern, '..')[2] as last_code,
    from {{ ref('severity_rules') }}
    where kind = 'icd10_range'
),

final as (
    select
        ranges.rule_id,
        ranges.first_code,
        ranges.last_code,
    from ranges
    left join {{ ref('dim_icd10_code') }} as codes
        on
            left(codes.code, length(ranges.first_code))
            between ranges.first_code and ranges.last_code
    group by all
    having count(codes.code) = 0 or length(ranges.first_code) != length(ranges.last_code)
)

select * from final
