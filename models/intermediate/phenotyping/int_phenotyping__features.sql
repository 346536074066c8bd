with matches as (
    select * from {{ ref('int_phenotyping__disease_matches') }}
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

ancestors as (
    select * from {{ ref('bridge_hpo_ancestor') }}
),

tests as (
    select * from {{ ref('diagnostic_tests') }}
),

features as (
    select
        case_id,
        disease_id,
        unnest(range(1, len(features) + 1))::integer as feature_rank,
        unnest(features, recursive := true),
    from matches
),

-- a test for a general finding also looks for its descendants
test_lists as (
    select
        ancestors.hpo_id,
        list_sort(list(distinct tests.test_id)) as test_ids,
    from ancestors
    inner join tests on ancestors.ancestor_hpo_id = tests.hpo_id
    group by all
),

final as (
    select
        features.*,
        terms.hpo_name,
        coalesce(test_lists.test_ids, []) as test_ids,
    from features
    inner join terms on features.hpo_id = terms.hpo_id
    left join test_lists on features.hpo_id = test_lists.hpo_id
)

select * from final
