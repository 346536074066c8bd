-- Every anchor pair is judged as stated: the same, broader or narrower, or neither, with a distance
-- within one step. Known gaps must still be there; otherwise the gap is closed and its note out of
-- date.
with anchors as (
    select
        anchor_id,
        gold_diagnosis,
        diagnosis,
        semantic_relation,
        known_gap,
        {{ gold_key("[gold_diagnosis]") }} as gold_key,
    from {{ ref('judge_anchors') }}
),

relations as (
    select
        semantic_relation,
        distance,
    from {{ ref('semantic_relations') }}
),

judged as (
    select
        anchors.anchor_id,
        anchors.gold_diagnosis,
        anchors.diagnosis,
        anchors.semantic_relation as expected_relation,
        given.semantic_relation,
        given.semantic_rule,
        anchors.known_gap is not null as is_known_gap,
        expected_distances.distance as expected_distance,
        given_distances.distance,
    from anchors
    left join {{ ref('int_experiments__reading_keys') }} as keys
        on anchors.diagnosis = keys.diagnosis
    left join {{ ref('int_experiments__terminology_relations') }} as given
        on
            anchors.gold_key = given.gold_key
            and keys.reading_key = given.reading_key
    left join relations as expected_distances
        on anchors.semantic_relation = expected_distances.semantic_relation
    left join relations as given_distances
        on given.semantic_relation = given_distances.semantic_relation
),

-- an imported terminology is the user's and may know more than the anchors assume
imports as (
    select count(*) as n_files,
    from {{ ref('stg_import__file') }}
),

final as (
    select
        anchor_id,
        gold_diagnosis,
        diagnosis,
        expected_relation,
        semantic_relation,
        semantic_rule,
    from judged
    cross join imports
    where
        imports.n_files = 0
        and (
            coalesce(least(distance, 3) = least(expected_distance, 3), false)
            and abs(distance - expected_distance) <= 1
        ) = is_known_gap
)

select * from final
