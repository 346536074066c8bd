with final as (
    select
        disease_id,
        hpo_id,
        frequency,
        frequency_source,
        n_observed,
        n_total,
        is_excluded,
    from {{ ref('bridge_disease_phenotype') }}
    where
        frequency not between 0 and 1
        or is_excluded != (frequency = 0)
        or n_observed > n_total
        or n_total = 0
        or (n_observed is null) != (n_total is null)
        or (frequency_source = 'count' and frequency is distinct from n_observed::double / n_total)
        or len(sources) = 0
)

select * from final
