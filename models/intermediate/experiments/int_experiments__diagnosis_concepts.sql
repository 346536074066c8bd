with readings as (
    select
        diagnosis_normalised,
        reading,
        reading_order,
    from {{ ref('int_experiments__diagnosis_readings') }}
),

aliases as (
    select
        alias_normalised,
        concept_id,
        vocabulary,
        scope,
    from {{ ref('dim_concept_alias') }}
    where vocabulary in ('disease', 'icd10cm')
),

-- an abbreviation names a disease only where it means one thing
ambiguous_abbreviations as (
    select alias_normalised,
    from aliases
    where scope = 'abbreviation'
    group by all
    having count(distinct concept_id) > 1
),

matched as (
    select
        readings.diagnosis_normalised,
        readings.reading_order,
        aliases.concept_id,
        aliases.vocabulary,
    from readings
    inner join aliases on readings.reading = aliases.alias_normalised
    anti join ambiguous_abbreviations
        on
            aliases.scope = 'abbreviation'
            and aliases.alias_normalised = ambiguous_abbreviations.alias_normalised
),

-- the first reading that names anything decides
decided as (
    select
        diagnosis_normalised,
        concept_id,
        vocabulary,
    from matched
    qualify reading_order = min(reading_order) over (partition by diagnosis_normalised)
),

final as (
    select distinct
        diagnosis_normalised,
        concept_id,
        vocabulary,
    from decided
)

select * from final
