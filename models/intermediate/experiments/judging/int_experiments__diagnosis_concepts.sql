with readings as (
    select * from {{ ref('int_experiments__diagnosis_readings') }}
),

matched as (
    select
        readings.reading_key,
        readings.reading_order,
        readings.is_alternative,
        concepts.concept_id,
        concepts.vocabulary,
        concepts.is_exact,
        concepts.is_title,
    from readings
    inner join {{ ref('int_experiments__name_concepts') }} as concepts
        on readings.reading = concepts.name
),

-- the first reading that a vocabulary knows decides, one that it knows in part only comes after
decided as (
    select
        reading_key,
        concept_id,
        vocabulary,
        is_exact,
        is_title,
        is_alternative,
    from matched
    qualify
        row(not is_exact, reading_order)
        = min(row(not is_exact, reading_order)) over (
            partition by reading_key, vocabulary
        )
),

final as (
    select
        reading_key,
        concept_id,
        vocabulary,
        bool_or(is_exact) as is_exact,
        bool_or(is_title) as is_title,
        bool_and(is_alternative) as is_alternative,
    from decided
    group by all
)

select * from final
