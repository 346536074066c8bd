with definitions as (
    select * from {{ ref('simulated_test_sets') }}
),

diseases as (
    select * from {{ ref('dim_disease') }}
),

findings as (
    select
        annotations.disease_id,
        count(*) as n_annotations,
    from {{ ref('bridge_disease_phenotype') }} as annotations
    inner join {{ ref('dim_hpo_term') }} as terms
        on annotations.hpo_id = terms.hpo_id
    where terms.is_phenotypic_abnormality and not annotations.is_excluded
    group by all
),

shuffled as (
    select
        definitions.test_set,
        definitions.seed,
        diseases.disease_id,
        definitions.n_cases,
        row_number() over (
            partition by definitions.test_set
            order by {{ uniform("definitions.seed || ':disease:' || diseases.disease_id") }}
        ) as case_number,
    from definitions
    inner join findings on definitions.min_annotations <= findings.n_annotations
    inner join diseases on findings.disease_id = diseases.disease_id
),

final as (
    select
        {{ case_id("test_set", "case_number") }} as case_id,
        test_set,
        disease_id,
        seed,
        case_number,
    from shuffled
    where case_number <= n_cases
)

select * from final
