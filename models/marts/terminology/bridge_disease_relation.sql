with mappings as (
    select * from {{ ref('stg_import__disease_mapping') }}
),

canonical_diseases as (
    select * from {{ ref('int_terminology__disease_canonical') }}
),

final as (
    select
        mappings.subject_id,
        mappings.object_id,
        mappings.relation,
        mappings.object_vocabulary,
        min(subjects.disease_id) as disease_id,
        min(objects.disease_id) as other_disease_id,
        list_sort(list(distinct mappings.source || ' ' || mappings.release)) as sources,
        bool_or(mappings.is_validated) as is_validated,
        -- ids outside the corpus have no canonical disease and are not joined
        coalesce(min(subjects.disease_id) = min(objects.disease_id), false) as is_joined,
    from mappings
    left join canonical_diseases as subjects
        on mappings.subject_id = subjects.source_disease_id
    left join canonical_diseases as objects
        on mappings.object_id = objects.source_disease_id
    group by
        mappings.subject_id, mappings.object_id, mappings.relation, mappings.object_vocabulary
)

select * from final
