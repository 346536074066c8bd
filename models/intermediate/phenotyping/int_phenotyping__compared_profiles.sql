with compared as (
    select distinct disease_id,
    from {{ ref('int_phenotyping__candidates') }}
    where is_compared
),

final as (
    select
        profiles.disease_id,
        profiles.inheritance_names,
        profiles.onset_names,
        profiles.gene_symbols,
        profiles.top_phenotypes,
    from {{ ref('int_phenotyping__disease_profiles') }} as profiles
    semi join compared on profiles.disease_id = compared.disease_id
)

select * from final
