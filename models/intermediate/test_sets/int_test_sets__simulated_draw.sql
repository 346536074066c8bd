with definitions as (
    select * from {{ ref('generated_test_sets') }}
    where kind = 'simulated'
),

-- inheritance and course are annotated too, but no patient presents with them
abnormalities as (
    select *
    from {{ ref('bridge_hpo_ancestor') }}
    where ancestor_hpo_id = '{{ hpo_phenotypic_abnormality() }}'
),

-- what a newer release adds has no frequencies to draw by
drawn_release as (
    select min(release) as release,
    from {{ ref('bridge_disease_phenotype') }}
),

diseases as (
    select
        annotations.disease_id,
        count(*) as n_annotations,
    from {{ ref('bridge_disease_phenotype') }} as annotations
    inner join abnormalities on annotations.hpo_id = abnormalities.hpo_id
    inner join drawn_release on annotations.release = drawn_release.release
    where not annotations.is_excluded
    group by all
),

shuffled as (
    select
        definitions.*,
        diseases.disease_id,
        row_number() over (
            partition by definitions.test_set
            order by {{ uniform("definitions.seed || ':disease:' || diseases.disease_id") }}
        ) as case_number,
    from definitions
    inner join diseases on definitions.min_annotations <= diseases.n_annotations
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
