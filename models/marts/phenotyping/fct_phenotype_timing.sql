with timings as (
    select * from {{ ref('int_phenotyping__timings') }}
    -- a row says something of time; that a finding goes on is in fct_case_phenotype
    where onset_text is not null or resolution_text is not null or progression is not null
),

phenotypes as (
    select * from {{ ref('fct_case_phenotype') }}
    where not is_excluded
),

final as (
    select
        timings.case_id,
        timings.hpo_id,
        phenotypes.hpo_name,
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
)

select * from final
