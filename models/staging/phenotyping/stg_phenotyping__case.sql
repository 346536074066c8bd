with source as (
    select
        -- a note is edited as text; lists and numbers get their types here, once
        * replace (
            case_number::integer as case_number,
            age_years::double as age_years,
            {{ listed("hpo_terms") }} as hpo_terms,
            {{ listed("excluded_hpo_terms") }} as excluded_hpo_terms,
            {{ listed("gold_disease_ids") }} as gold_disease_ids
        )
    from {{ ref('phenotyping_cases') }}
)

select * from source
