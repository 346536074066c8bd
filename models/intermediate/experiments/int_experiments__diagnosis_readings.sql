with named as (
    select distinct
        diagnosis,
        diagnosis_normalised,
    from {{ ref('int_experiments__judged_lists') }}
    where is_scored
),

-- a name is read as written, without what stands in brackets, and as what stands in them
readings as (
    select
        diagnosis_normalised,
        diagnosis_normalised as reading,
        1 as reading_order,
    from named
    union all
    select
        diagnosis_normalised,
        {{ normalise_name("regexp_replace(diagnosis, '[(\\[][^)\\]]*[)\\]]', ' ', 'g')") }}
            as reading,
        2 as reading_order,
    from named
    union all
    select
        diagnosis_normalised,
        {{ normalise_name("regexp_extract(diagnosis, '[(\\[]([^)\\]]{3,})[)\\]]', 1)") }}
            as reading,
        3 as reading_order,
    from named
),

final as (
    select
        diagnosis_normalised,
        reading,
        min(reading_order)::integer as reading_order,
    from readings
    where reading != ''
    group by all
)

select * from final
