with final as (
    select
        phenotypes.case_id,
        phenotypes.hpo_id,
        terms.hpo_name,
        phenotypes.onset_stage,
        phenotypes.progression,
        phenotypes.method,
        phenotypes.onset_years,
        phenotypes.confidence,
        phenotypes.is_excluded,
        phenotypes.is_ongoing,
        phenotypes.is_contradicted,
    from {{ ref('int_phenotyping__case_phenotypes') }} as phenotypes
    semi join {{ ref('int_phenotyping__packet_cases') }} as cases
        on phenotypes.case_id = cases.case_id
    inner join {{ ref('dim_hpo_term') }} as terms on phenotypes.hpo_id = terms.hpo_id
)

select * from final
