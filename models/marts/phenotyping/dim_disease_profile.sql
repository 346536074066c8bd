with final as (
    select
        disease_id,
        disease_name,
        gene_twin_id,
        source_disease_ids,
        inheritance_names,
        onset_names,
        gene_symbols,
        top_hpo_ids,
        top_phenotypes,
        release,
        n_phenotypes,
        profile_information,
        onset_low_years,
        onset_high_years,
        female_probability,
        male_probability,
    from {{ ref('int_phenotyping__disease_profiles') }}
)

select * from final
