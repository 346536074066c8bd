with final as (
    select cast(unnest(generate_series(date '2024-01-01', date '2035-12-31', interval 1 day)) as date)
        as date_day,
)

select * from final
