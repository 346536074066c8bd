{{ config(severity='warn', meta={'holds_of': 'data'}) }}

{#- The two specified examples (docs/specification.md#excluded-findings): three exclusions, none of
    the family and none of the milestones; four onsets, the gait progressive. Absent reflexes are
    excluded as a finding and present as Areflexia. -#}
with expected (case_id, hpo_id, is_excluded, onset_years, progression) as (
    values
    ('kernel29_notes/0005', 'HP:0001250', true, null, null),
    ('kernel29_notes/0005', 'HP:0000365', true, null, null),
    ('kernel29_notes/0005', 'HP:0001284', false, null, null),
    ('kernel29_notes/0006', 'HP:0001252', false, 0.0, null),
    ('kernel29_notes/0006', 'HP:0001250', false, 0.3333, null),
    ('kernel29_notes/0006', 'HP:0000750', false, 1.5, null),
    ('kernel29_notes/0006', 'HP:0001288', false, 2.3333, 'progressive')
),

found as (
    select
        case_id,
        hpo_id,
        is_excluded,
        round(onset_years, 4) as onset_years,
        progression,
    from {{ ref('fct_case_phenotype') }}
    where case_id in ('kernel29_notes/0005', 'kernel29_notes/0006')
),

differences as (
    select
        coalesce(expected.case_id, found.case_id) as case_id,
        coalesce(expected.hpo_id, found.hpo_id) as hpo_id,
    from expected
    full outer join found
        on
            expected.case_id = found.case_id
            and expected.hpo_id = found.hpo_id
            and expected.is_excluded = found.is_excluded
            and expected.onset_years is not distinct from found.onset_years
            and (
                expected.progression is null or expected.progression = found.progression
            )
    where expected.case_id is null or found.case_id is null
),

excluded as (
    select
        count(*) as n_excluded,
        count(*) filter (where finding = 'deep tendon reflexes' and hpo_id is null) as n_reflexes,
    from {{ ref('fct_excluded_finding') }}
    where case_id = 'kernel29_notes/0005'
)

select case_id || ' ' || hpo_id as difference
from differences
union all
select 'excluded findings: ' || n_excluded as difference
from excluded
where n_excluded != 3 or n_reflexes != 1
