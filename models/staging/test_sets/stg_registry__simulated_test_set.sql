with final as (
    select
        test_set,
        seed,
        cast(n_cases as integer) as n_cases,
        cast(min_annotations as integer) as min_annotations,
        cast(min_phenotypes as integer) as min_phenotypes,
        cast(max_phenotypes as integer) as max_phenotypes,
        cast(omission_probability as double) as omission_probability,
        cast(parent_probability as double) as parent_probability,
        cast(max_noise_terms as integer) as max_noise_terms,
        description,
    from {{ ref('simulated_test_sets') }}
)

select * from final
