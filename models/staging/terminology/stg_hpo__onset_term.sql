with final as (
    select
        hpo_id,
        label,
        low_years::double as low_years,
        high_years::double as high_years,
        source,
    from {{ ref('hpo_onset_term') }}
)

select * from final
