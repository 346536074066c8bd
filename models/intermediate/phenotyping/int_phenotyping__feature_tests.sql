with features as (
    select distinct hpo_id,
    from {{ ref('int_phenotyping__features') }}
),

tests as (
    select * from {{ ref('diagnostic_tests') }}
),

final as (
    select distinct
        features.hpo_id,
        tests.test_id,
    from features
    inner join {{ ref('bridge_hpo_ancestor') }} as ancestors on features.hpo_id = ancestors.hpo_id
    inner join tests on ancestors.ancestor_hpo_id = tests.hpo_id
)

select * from final
