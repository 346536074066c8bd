with phenotypes as (
    select
        case_id,
        hpo_id,
        origin,
    from {{ ref('int_test_sets__simulated_phenotypes') }}
),

terms as (
    select
        hpo_id,
        hpo_name,
    from {{ ref('dim_hpo_term') }}
),

final as (
    select
        phenotypes.case_id,
        phenotypes.hpo_id,
        terms.hpo_name,
        phenotypes.origin,
    from phenotypes
    inner join terms on phenotypes.hpo_id = terms.hpo_id
)

select * from final
