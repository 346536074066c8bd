with pairs (path, other_path, distance, ancestor, similarity) as (
    values
    ('IX > I30-I5A > I50 > I50.9', 'IX > I30-I5A > I50 > I50.9', 0, 'I50.9', 1.0),
    ('IX > I30-I5A > I50', 'IX > I30-I5A > I50 > I50.9', 1, 'I50', 6.0 / 7),
    ('IX > I30-I5A > I50 > I50.9', 'IX > I30-I5A > I50 > I50.2', 2, 'I50', 0.75),
    ('IX > I30-I5A > I50 > I50.9', 'IX > I20-I25 > I21 > I21.9', 6, 'IX', 0.25),
    ('IX > I30-I5A > I50 > I50.9', 'X > J09-J18 > J18 > J18.9', 8, null, 0.0),
    ('IX', 'X', 2, null, 0.0),
    ('XIX > T07-T07 > T07 > T07.XXXA', 'XIX > T07-T07 > T07 > T07.XXXD', 2, 'T07', 0.75),
    -- the same word at another place of the path is not a common ancestor
    ('I > A > B', 'II > A > B', 6, null, 0.0),
    (null, 'X', null, null, null)
)

select
    path,
    other_path,
    {{ icd10_path_distance("path", "other_path") }} as found_distance,
    {{ icd10_common_ancestor("path", "other_path") }} as found_ancestor,
    {{ icd10_similarity("path", "other_path") }} as found_similarity,
from pairs
where
    {{ icd10_path_distance("path", "other_path") }} is distinct from distance
    or {{ icd10_common_ancestor("path", "other_path") }} is distinct from ancestor
    or (similarity is null) != ({{ icd10_similarity("path", "other_path") }} is null)
    or abs({{ icd10_similarity("path", "other_path") }} - similarity) > 1e-9
