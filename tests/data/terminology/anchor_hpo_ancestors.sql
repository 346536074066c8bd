with expected (hpo_id, ancestor_hpo_id, is_ancestor) as (
    values
    ('HP:0002133', 'HP:0001250', true),
    ('HP:0002133', 'HP:0000118', true),
    ('HP:0001166', 'HP:0040064', true),
    ('HP:0001166', 'HP:0001250', false),
    ('HP:0000006', 'HP:0000118', false),
    ('HP:0000006', 'HP:0000005', true)
),

final as (
    select
        expected.hpo_id,
        expected.ancestor_hpo_id,
        expected.is_ancestor,
    from expected
    left join {{ ref('bridge_hpo_ancestor') }} as found
        on
            expected.hpo_id = found.hpo_id
            and expected.ancestor_hpo_id = found.ancestor_hpo_id
    where expected.is_ancestor != (found.hpo_id is not null)
)

select * from final
