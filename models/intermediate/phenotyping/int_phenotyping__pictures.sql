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
    select
        phenotypes.case_id,
        phenotypes.hpo_id as found_id,
        ancestors.ancestor_hpo_id as hpo_id,
        phenotypes.status = 'past' as is_past,
    from phenotypes
    inner join ancestors on phenotypes.hpo_id = ancestors.hpo_id
    where not phenotypes.is_excluded
),

-- what is over has a second id, for the pictures that follow it, and signs have no term
known as (
    select
        case_id,
        found_id,
        hpo_id,
        is_past,
    from implied
    union all
    select
        case_id,
        found_id,
        'past:' || hpo_id,
        false,
    from implied
    where is_past
    union
    select
        case_id,
        split_part(finding, '#', 1),
        if(status = 'past', 'past:', '') || split_part(finding, '#', 1),
        false,
    from {{ ref('int_phenotyping__mentions') }}
    where kind = 'sign' and status in ('present', 'past')
),

features as (
    select
        picture,
        unnest(string_split(coalesce(hpo_ids, ''), ';')) as hpo_id,
        'other' as role,
    from picture_tests
    union all
    select
        picture,
        unnest(string_split(needed_hpo_ids, ';')),
        'needed',
    from picture_tests
    where needed_hpo_ids is not null
    union all
    select
        picture,
        unnest(string_split(without_hpo_ids, ';')),
        'without',
    from picture_tests
    where without_hpo_ids is not null
),

counts as (
    select
        known.case_id,
        features.picture,
        count(distinct features.hpo_id) filter (
            where features.role = 'other' and not known.is_past
        ) as n_features,
        count(distinct known.found_id) filter (
            where features.role != 'without' and not known.is_past
        ) as n_findings,
        coalesce(bool_or(features.role = 'needed'), false) as has_needed,
        coalesce(bool_or(features.role = 'needed' and not known.is_past), false) as is_of_today,
        coalesce(bool_or(features.role = 'without' and not known.is_past), false) as is_another,
    from features
    inner join known on features.hpo_id = known.hpo_id
    group by all
),

-- what makes up a picture by the rules: enough of its findings, and what it needs
drawn as (
    select
        counts.case_id,
        counts.picture,
        counts.n_features,
        counts.n_findings,
    from counts
    inner join picture_tests on counts.picture = picture_tests.picture
    where
        counts.n_features >= picture_tests.at_least
        -- what is over makes up no picture alone
        and (
            picture_tests.needed_hpo_ids is null
            or counts.is_of_today
            or (counts.has_needed and counts.n_findings > 0)
        )
),

-- The picture of the illness that the note as a whole comes nearest to, all findings with it. A
-- note of few words reads like too many.
learnt as (
    select
        mentions.case_id,
        split_part(mentions.finding, ':', 2) as picture,
        1 as n_features,
        patients.n_present as n_findings,
    from {{ ref('int_phenotyping__mentions') }} as mentions
    inner join patients on mentions.case_id = patients.case_id
    inner join {{ ref('int_phenotyping__cases') }} as notes on mentions.case_id = notes.case_id
    where
        mentions.kind = 'impression'
        and starts_with(mentions.finding, 'illness:')
        and mentions.value >= {{ illness_margin() }}
        and length(string_split(notes.note, ' ')) >= 25
    qualify
        row_number() over (partition by mentions.case_id order by mentions.value desc) = 1
),

all_drawn as (
    select
        *,
        false as is_learnt,
    from drawn
    union all
    select
        *,
        true as is_learnt,
    from learnt
),

final as (
    select
        all_drawn.case_id,
        all_drawn.picture,
        picture_tests.condition,
        picture_tests.action_type,
        picture_tests.action,
        picture_tests.done_words,
        picture_tests.next_action,
        picture_tests.next_done_words,
        picture_tests.source,
        all_drawn.n_features,
        all_drawn.n_findings,
        picture_tests.leads,
    from all_drawn
    inner join picture_tests on all_drawn.picture = picture_tests.picture
    inner join patients on all_drawn.case_id = patients.case_id
    left join counts
        on all_drawn.case_id = counts.case_id and all_drawn.picture = counts.picture
    where
        not coalesce(counts.is_another, false)
        and (picture_tests.sex is null or coalesce(patients.sex = picture_tests.sex, true))
        -- without an age no picture of one age of life is drawn, but that of adults
        and coalesce(patients.age_years, 30) >= coalesce(picture_tests.from_years, 0)
        and coalesce(patients.age_years, 30) < coalesce(picture_tests.below_years, 999)
    -- where the rules draw anything, the note as a whole has no say
    qualify
        not all_drawn.is_learnt
        or not bool_or(not all_drawn.is_learnt) over (partition by all_drawn.case_id)
)

select * from final
