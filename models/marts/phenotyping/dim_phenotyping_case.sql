with cases as (
    select * from {{ ref('int_phenotyping__cases') }}
),

phenotypes as (
    select
        case_id,
        count(*) filter (where not is_excluded) as n_present,
        count(*) filter (where is_excluded) as n_excluded,
        count(onset_years) as n_timed,
    from {{ ref('fct_case_phenotype') }}
    group by all
),

final as (
    select
        cases.*,
        -- a case without a phenotype was read and has none: 0, not null
        coalesce(phenotypes.n_present, 0) as n_present,
        coalesce(phenotypes.n_excluded, 0) as n_excluded,
        coalesce(phenotypes.n_timed, 0) as n_timed,
    from cases
    left join phenotypes on cases.case_id = phenotypes.case_id
)

select * from final
