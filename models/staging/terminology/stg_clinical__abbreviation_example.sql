with final as (
    select
        example_id,
        mention,
        language,
        context,
        section,
        sex,
        age_years::double as age_years,
        specialty,
        expected_status,
        expected_concept_id,
    from {{ ref('clinical_abbreviation_example') }}
)

select * from final
