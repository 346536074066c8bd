with days as (
    -- a fixed range: days up to today would make the table another one every morning
    select unnest(generate_series(date '2024-01-01', date '2035-12-31', interval 1 day)) as day_at,
),

final as (
    select cast(day_at as date) as date_day,
    from days
)

select * from final
