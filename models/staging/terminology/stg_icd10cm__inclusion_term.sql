with final as (
    select
        code,
        term,
        kind,
    from {{ ref('icd10cm_inclusion_term') }}
)

select * from final
