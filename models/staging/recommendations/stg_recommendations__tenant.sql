with source as (
    select
        tenant_id,
        description,
        cast(n_patients as integer) as n_patients,
        holdout_share,
        mean_age,
        sd_age,
        female_share,
        seed,
        source,
    from {{ ref('patient_tenants') }}
)

select * from source
