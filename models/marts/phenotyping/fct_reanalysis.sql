with final as (
    select
        case_id,
        test_type,
        new_genes,
        reasons,
        test_number,
        n_new_phenotypes,
        years_since,
        reanalysis_score,
        is_recommended,
        tested_on,
    from {{ ref('int_phenotyping__reanalysis') }}
)

select * from final
