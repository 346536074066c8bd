with parsed as (
    select * from {{ ref('int_questions__parsed_analyses') }}
    where parse_status = 'ok'
),

final as (
    select
        request_key,
        -- prose has no rank, so the position is what tells two items of one field apart
        unnest(range(1, len(fields) + 1))::integer as item_number,
        unnest(fields, recursive := true),
    from parsed
)

select * from final
