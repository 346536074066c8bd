with final as (
    select
        population,
        code_template,
        cast(weight as double) as weight,
    from {{ ref('emergency_case_mix') }}
)

select * from final
