with source as (
    select
        cast(case_number as integer) as case_number,
        language,
        note,
        cast(age_years as double) as age_years,
        sex,
        {{ listed("hpo_terms") }} as hpo_terms,
        {{ listed("excluded_hpo_terms") }} as excluded_hpo_terms,
        prior_tests,
        family_history,
        {{ listed("gold_disease_ids") }} as gold_disease_ids,
        tries,
    from {{ ref('phenotyping_cases') }}
)

select * from source
