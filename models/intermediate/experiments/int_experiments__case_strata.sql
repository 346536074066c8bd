with cases as (
    select
        case_id,
        icd10_chapter_code,
        gold_severity,
        language,
        sex,
        age_band,
        is_holdout,
    from {{ ref('dim_case') }}
),

strata as (
    select
        case_id,
        unnest([
            { stratum_kind: 'all', stratum: 'all' },
            { stratum_kind: 'icd10_chapter', stratum: coalesce(icd10_chapter_code, 'no code') },
            { stratum_kind: 'gold_severity', stratum: coalesce(gold_severity, 'unknown') },
            { stratum_kind: 'language', stratum: language },
            { stratum_kind: 'sex', stratum: coalesce(sex, 'unknown') },
            { stratum_kind: 'age_band', stratum: age_band },
            { stratum_kind: 'holdout', stratum: if(is_holdout, 'held out', 'open') }
        ]) as stratum,
    from cases
),

final as (
    select
        case_id,
        stratum.stratum_kind,
        stratum.stratum,
    from strata
)

select * from final
