with phenotypes as (
    select * from {{ ref('int_phenotyping__case_phenotypes') }}
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

final as (
    select
        phenotypes.case_id,
        phenotypes.hpo_id,
        terms.hpo_name,
        terms.release,
        phenotypes.onset_stage,
        phenotypes.progression,
        phenotypes.method,
        phenotypes.evidence,
        phenotypes.onset_years,
        phenotypes.confidence,
        phenotypes.is_excluded,
        phenotypes.is_ongoing,
        phenotypes.is_contradicted,
    from phenotypes
    inner join terms on phenotypes.hpo_id = terms.hpo_id
)

select * from final
