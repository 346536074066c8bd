with timings as (
    select
        case_id,
        hpo_id,
        origin,
        onset_text,
        onset_years,
        resolution_text,
        resolution_years,
        progression,
        is_ongoing,
        evidence,
    from {{ ref('int_phenotyping__timings') }}
    where onset_text is not null or resolution_text is not null or progression is not null
),

phenotypes as (
    select * from {{ ref('int_phenotyping__case_phenotypes') }}
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

final as (
    select
        timings.case_id,
        timings.hpo_id,
        terms.hpo_name,
        phenotypes.onset_stage,
        timings.onset_text,
        timings.resolution_text,
        timings.progression,
        timings.origin,
        timings.evidence,
        timings.onset_years,
        timings.resolution_years,
        timings.is_ongoing,
    from timings
    inner join phenotypes
        on timings.case_id = phenotypes.case_id and timings.hpo_id = phenotypes.hpo_id
    inner join terms on timings.hpo_id = terms.hpo_id
)

select * from final
