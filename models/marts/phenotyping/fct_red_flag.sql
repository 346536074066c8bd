with phenotypes as (
    select * from {{ ref('fct_case_phenotype') }}
),

flagged_terms as (
    select * from {{ ref('dim_red_flag') }}
),

final as (
    select
        phenotypes.case_id,
        flagged_terms.* exclude (hpo_name, words, is_event),
    from phenotypes
    inner join flagged_terms on phenotypes.hpo_id = flagged_terms.hpo_id
    -- what is absent or over raises no alarm
    where
        phenotypes.status = 'present'
        and (
            flagged_terms.words is null
            or regexp_matches(lower(strip_accents(phenotypes.evidence)), flagged_terms.words)
        )
)

select * from final
