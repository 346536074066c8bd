with final as (
    select
        hpo_id,
        label,
        low::double as low,
        high::double as high,
        point::double as point,
        source,
    from {{ ref('hpo_frequency_term') }}
)

select * from final
