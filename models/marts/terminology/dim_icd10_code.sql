{#- From every chapter down: each step passes on the levels above and fills in its own. -#}
with recursive listed_codes as (
    select * from {{ ref('icd10cm_code') }}
    union all by name
    select * from {{ ref('icd10cm_extension_code') }}
),

codes as (
    select
        *,
        {{ icd10_level("kind", "code") }} as level,
    from listed_codes
),

release as (
    select release
    from {{ ref('terminology_manifest') }}
    where seed = 'icd10cm_code'
),

hierarchy as (
    select
        codes.*,
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
        codes.*,
        hierarchy.depth + 1 as depth,
        hierarchy.path || ' > ' || codes.code as path,
        {%- for level in icd10_levels() %}
            if(codes.level = '{{ level }}', codes.code, hierarchy.{{ level }}_code)
                as {{ level }}_code,
            if(codes.level = '{{ level }}', codes.title, hierarchy.{{ level }}_name)
                as {{ level }}_name,
        {%- endfor %}
    from hierarchy
    inner join codes on hierarchy.code = codes.parent_code
),

final as (
    select
        hierarchy.code,
        hierarchy.parent_code,
        hierarchy.title,
        hierarchy.kind,
        hierarchy.code_range,
        hierarchy.level,
        hierarchy.path,
        -- the first three levels again, under ICD-10-CM's own names
        hierarchy.specialty_code as chapter_code,
        hierarchy.specialty_name as chapter_title,
        hierarchy.subspecialty_code as block_code,
        hierarchy.subspecialty_name as block_title,
        hierarchy.disease_group_code as category_code,
        hierarchy.disease_group_name as category_title,
        {%- for level in icd10_levels() %}
            hierarchy.{{ level }}_code,
            hierarchy.{{ level }}_name,
        {%- endfor %}
        release.release,
        hierarchy.depth,
        hierarchy.is_billable,
    from hierarchy
    cross join release
)

select * from final
