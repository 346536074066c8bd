-- A gold severity that nobody gave is that of the rules, for every judge: a stratum has the same
-- cases by all of them, as comparing judges needs.
with severities as (
    select
        severities.case_id,
        severities.gold_severity as severity,
        severities.is_gold_rare,
        severities.gold_severity_rule != 'given' as is_graded,
    from {{ ref('int_experiments__gold_severities') }} as severities
    inner join {{ ref('judges') }} as judges
        on severities.judge_id = judges.judge_id and judges.kind = 'terminology'
),

cases as (
    select
        cases.*,
        severities.severity,
        severities.is_gold_rare,
        coalesce(severities.is_graded, false) as is_graded,
    from {{ ref('dim_case') }} as cases
    left join severities on cases.case_id = severities.case_id
),

pairs as (
    select * from {{ ref('stratum_pairs') }}
),

-- a missing value is a stratum too: the strata of a kind add up to all cases
single as (
    select
        case_id,
        is_graded,
        unnest([
            { stratum_kind: 'test_set', stratum: test_set },
            { stratum_kind: 'language', stratum: coalesce(language, 'unknown') },
            { stratum_kind: 'icd10_chapter', stratum: coalesce(icd10_chapter_code, 'no code') },
            { stratum_kind: 'organ_system', stratum: coalesce(organ_system, 'unknown') },
            { stratum_kind: 'icd10_block', stratum: coalesce(icd10_block_code, 'no code') },
            { stratum_kind: 'icd10_category', stratum: coalesce(icd10_category_code, 'no code') },
            { stratum_kind: 'gold_severity', stratum: coalesce(severity, 'unknown') },
            { stratum_kind: 'rarity', stratum: {{ rarity("is_gold_rare", "gold_codes") }} },
            { stratum_kind: 'age_band', stratum: coalesce(age_band, 'unknown') },
            {
                stratum_kind: 'pediatric',
                stratum: case is_pediatric
                    when true then 'pediatric' when false then 'adult' else 'unknown'
                end
            },
            { stratum_kind: 'sex', stratum: coalesce(sex, 'unknown') },
            { stratum_kind: 'holdout', stratum: if(is_holdout, 'held out', 'open') }
        ], recursive := true),
    from cases
),

paired as (
    select
        first_side.case_id,
        first_side.is_graded,
        {{ pair_kind("pairs") }} as stratum_kind,
        {{ stratum_pair("first_side.stratum", "second_side.stratum") }} as stratum,
    from pairs
    inner join single as first_side on pairs.first_kind = first_side.stratum_kind
    inner join single as second_side
        on
            pairs.second_kind = second_side.stratum_kind
            and first_side.case_id = second_side.case_id
),

together as (
    select * from single
    union all by name
    select * from paired
),

strata as (
    select
        stratum_kind,
        stratum,
        row_number() over (order by stratum_kind, stratum)::integer as stratum_key,
    from together
    group by stratum_kind, stratum
),

final as (
    select
        together.case_id,
        together.is_graded,
        strata.stratum_key,
        together.stratum_kind,
        together.stratum,
    from together
    inner join strata
        on together.stratum_kind = strata.stratum_kind and together.stratum = strata.stratum
)

select * from final
