with patients as (
    select * from {{ ref('int_phenotyping__patients') }}
),

phenotypes as (
    select * from {{ ref('fct_case_phenotype') }}
),

picture_tests as (
    select * from {{ ref('picture_tests') }}
),

ancestors as (
    select * from {{ ref('bridge_hpo_ancestor') }}
),

-- what each case has, and everything above it
implied as (
    select distinct
        phenotypes.case_id,
        ancestors.ancestor_hpo_id as hpo_id,
    from phenotypes
    inner join ancestors on phenotypes.hpo_id = ancestors.hpo_id
    where not phenotypes.is_excluded
),

features as (
    select
        picture,
        unnest(string_split(coalesce(hpo_ids, ''), ';')) as hpo_id,
        false as is_needed,
    from picture_tests
    union all
    select
        picture,
        unnest(string_split(needed_hpo_ids, ';')),
        true,
    from picture_tests
    where needed_hpo_ids is not null
),

counts as (
    select
        implied.case_id,
        features.picture,
        count(*) filter (where not features.is_needed) as n_features,
        bool_or(features.is_needed) as has_needed,
    from features
    inner join implied on features.hpo_id = implied.hpo_id
    group by all
),

final as (
    select
        counts.case_id,
        counts.picture,
        picture_tests.condition,
        picture_tests.action_type,
        picture_tests.action,
        picture_tests.done_words,
        picture_tests.source,
        counts.n_features,
    from counts
    inner join picture_tests on counts.picture = picture_tests.picture
    inner join patients on counts.case_id = patients.case_id
    where
        counts.n_features >= picture_tests.at_least
        and (picture_tests.needed_hpo_ids is null or counts.has_needed)
        and (picture_tests.sex is null or coalesce(patients.sex = picture_tests.sex, true))
        -- without an age no picture of one age of life is drawn, but that of adults
        and coalesce(patients.age_years, 30) >= coalesce(picture_tests.from_years, 0)
        and coalesce(patients.age_years, 30) < coalesce(picture_tests.below_years, 999)
)

select * from final
