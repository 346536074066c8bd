-- The key is made of the readings and nothing else: texts that are read alike are judged once, and
-- two that only normalise alike ('type II (Pompe disease)', 'type II Pompe disease') are not.
with read_as as (
    select
        diagnosis,
        list(
            { reading: reading, reading_order: reading_order, is_alternative: is_alternative }
            order by reading
        ) as readings,
    from {{ ref('int_experiments__text_readings') }}
    group by all
),

final as (
    select
        texts.diagnosis,
        md5(coalesce(to_json(read_as.readings)::varchar, '')) as reading_key,
    from {{ ref('int_experiments__diagnosis_texts') }} as texts
    left join read_as on texts.diagnosis = read_as.diagnosis
)

select * from final
