{{ config(severity='warn', meta={'holds_of': 'data'}) }}

with mentions as (
    select
        example_id as mention_id,
        mention,
        language,
        context,
        section,
        sex,
        age_years,
        specialty,
    from {{ ref('clinical_abbreviation_example') }}
),

readings as (
    {{ resolve_terms("mentions") }}
)

select
    examples.example_id,
    examples.expected_status,
    readings.status,
    readings.rule,
    readings.reason,
    examples.expected_concept_id,
    readings.concept_id,
from {{ ref('clinical_abbreviation_example') }} as examples
left join readings on examples.example_id = readings.mention_id
where
    readings.status is distinct from examples.expected_status
    or readings.concept_id is distinct from examples.expected_concept_id
