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
    where {{ raises_flag("phenotypes", "flagged_terms") }}
)

select * from final
