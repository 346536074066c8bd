{#- From every chapter down: each step hands on the levels it has and fills in its own. -#}
with recursive codes as (
    select
        code,
        parent_code,
        title,
        kind,
        code_range,
        is_billable,
        {{ icd10_level("kind", "code") }} as level,
    from {{ ref('stg_icd10cm__code') }}
),

hierarchy as (
    select
        code,
        parent_code,
        title,
        kind,
        code_range,
        is_billable,
        level,
        0 as depth,
        code as path,
        {%- for level in icd10_levels() %}
            case when level = '{{ level }}' then code end as {{ level }}_code,
            case when level = '{{ level }}' then title end as {{ level }}_name,
        {%- endfor %}
    from codes
    where parent_code is null
    union all
    select
        codes.code,
        codes.parent_code,
        codes.title,
        codes.kind,
        codes.code_range,
        codes.is_billable,
        codes.level,
        hierarchy.depth + 1 as depth,
        hierarchy.path || ' > ' || codes.code as path,
        {%- for level in icd10_levels() %}
            case
                when codes.level = '{{ level }}' then codes.code else hierarchy.{{ level }}_code
            end as {{ level }}_code,
            case
                when codes.level = '{{ level }}' then codes.title else hierarchy.{{ level }}_name
            end as {{ level }}_name,
        {%- endfor %}
    from hierarchy
    inner join codes on hierarchy.code = codes.parent_code
),

final as (
    select
        code,
        parent_code,
        title,
        kind,
        code_range,
        level,
        path,
        {%- for level in icd10_levels() %}
            {{ level }}_code,
            {{ level }}_name,
        {%- endfor %}
        depth,
        is_billable,
    from hierarchy
)

select * from final
