with final as (
    select
        case_id,
        step,
        status,
        input_hash,
        output,
        step_number,
        duration_ms,
    from {{ ref('int_phenotyping__work_up_steps') }}
)

select * from final
