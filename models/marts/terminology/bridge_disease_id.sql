-- The ids of the diseases themselves, and those that an imported mapping matches exactly (MONDO,
-- GARD …) to one disease: a gold diagnosis may be given by any of them.
with own_ids as (
    select
        source_disease_id,
        disease_id,
    from {{ ref('int_terminology__disease_canonical') }}
),

mappings as (
    select *
    from {{ ref('bridge_disease_relation') }}
    where relation = 'exact'
),

mapped_ids as (
    select
        subject_id as source_disease_id,
        other_disease_id as disease_id,
    from mappings
    union
    select
        object_id as source_disease_id,
        disease_id,
    from mappings
),

foreign_ids as (
    select
        mapped_ids.source_disease_id,
        min(mapped_ids.disease_id) as disease_id,
    from mapped_ids
    anti join own_ids on mapped_ids.source_disease_id = own_ids.source_disease_id
    where mapped_ids.disease_id is not null
    group by all
    having count(distinct mapped_ids.disease_id) = 1
),

final as (
    select
        source_disease_id,
        disease_id,
        false as is_mapped,
    from own_ids
    union all
    select
        source_disease_id,
        disease_id,
        true as is_mapped,
    from foreign_ids
)

select * from final
