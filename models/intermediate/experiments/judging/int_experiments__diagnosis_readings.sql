with final as (
    select distinct
        keys.reading_key,
        readings.reading,
        readings.reading_order,
        readings.is_alternative,
    from {{ ref('int_experiments__text_readings') }} as readings
    inner join {{ ref('int_experiments__reading_keys') }} as keys
        on readings.diagnosis = keys.diagnosis
)

select * from final
