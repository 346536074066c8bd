{{ config(materialized='view') }}

with final as (
    select
        case_id,
        reasoner,
        rule,
        place,
        detail,
        violation_number,
    from {{ ref('int_phenotyping__violations') }}
)

select * from final
