-- A toy ontology with two ways up. root: all 8 diseases, IC 0. limb: 4 of 8, ln 2. skin: 2 of 8, ln
-- 4. hand is below limb, web below hand and skin, foot below limb; each in one disease, ln 8. No
-- disease has blue, below skin.
with is_a_ancestors (hpo_id, ancestor_hpo_id, distance) as (
    values
    ('root', 'root', 0),
    ('limb', 'limb', 0), ('limb', 'root', 1),
    ('skin', 'skin', 0), ('skin', 'root', 1),
    ('hand', 'hand', 0), ('hand', 'limb', 1), ('hand', 'root', 2),
    ('foot', 'foot', 0), ('foot', 'limb', 1), ('foot', 'root', 2),
    ('blue', 'blue', 0), ('blue', 'skin', 1), ('blue', 'root', 2),
    ('web', 'web', 0), ('web', 'hand', 1), ('web', 'skin', 1), ('web', 'limb', 2),
    ('web', 'root', 2)
),

informative_terms (hpo_id, information_content) as (
    values
    ('root', 0.0),
    ('limb', ln(2)),
    ('skin', ln(4)),
    ('hand', ln(8)),
    ('foot', ln(8)),
    ('web', ln(8)),
    ('blue', null)
),

expected (hpo_id, other_hpo_id, distance, ancestor, similarity) as (
    values
    ('hand', 'hand', 0, 'hand', 1.0),
    ('hand', 'foot', 2, 'limb', 1.0 / 3),
    ('web', 'foot', 3, 'limb', 1.0 / 3),
    -- the most informative ancestor (skin, ln 4) is not on every shortest way
    ('web', 'skin', 1, 'skin', 0.8),
    ('hand', 'skin', 3, 'root', 0.0),
    ('blue', 'web', 2, 'skin', null),
    ('blue', 'blue', 0, 'skin', 1.0),
    ('root', 'root', 0, 'root', 1.0)
),

found as (
    {{ hpo_pair_similarity("expected", "is_a_ancestors", "informative_terms") }}
)

select
    expected.hpo_id,
    expected.other_hpo_id,
    found.distance,
    found.common_ancestor_hpo_id,
    found.similarity,
from expected
left join found
    on expected.hpo_id = found.hpo_id and expected.other_hpo_id = found.other_hpo_id
where
    found.distance is distinct from expected.distance
    or found.common_ancestor_hpo_id is distinct from expected.ancestor
    or (found.similarity is null) != (expected.similarity is null)
    or abs(found.similarity - expected.similarity) > 1e-9
