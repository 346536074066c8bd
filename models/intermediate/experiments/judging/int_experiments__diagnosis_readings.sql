-- Distinct by key, not by text: many spellings lead to one set of readings, and the heavy joins of
-- the terminology judge run once per set.
with keys as (
    select distinct
        reading_key,
        unnest(readings) as item,
    from {{ ref('int_experiments__reading_keys') }}
),

final as (
    select
        reading_key,
        item.reading,
        item.reading_order,
        item.is_alternative,
    from keys
)

select * from final
