with hierarchy as (
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
    from {{ ref('int_terminology__icd10_hierarchy') }}
),

release as (
    select release
    from {{ ref('terminology_manifest') }}
    where seed = 'icd10cm_code'
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
