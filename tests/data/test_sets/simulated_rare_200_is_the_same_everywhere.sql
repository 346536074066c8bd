with expected (release, content_hash) as (
    values ('2025-01-16', '974656c3f220')
),

releases as (
    select
        min(release) filter (where seed = 'hpo_term') as hpo_release,
        min(release) filter (where seed = 'disease') as annotation_release,
        count(*) filter (where starts_with(seed, 'data/terminology/')) as n_imports,
    from {{ ref('rpt_terminology_release') }}
)

select
    test_sets.test_set,
    test_sets.content_hash,
from {{ ref('dim_test_set') }} as test_sets
cross join releases
inner join expected
    on releases.hpo_release = expected.release and releases.annotation_release = expected.release
where
    releases.n_imports = 0
    and test_sets.test_set = 'simulated_rare_200'
    and left(test_sets.content_hash, 12) != expected.content_hash
