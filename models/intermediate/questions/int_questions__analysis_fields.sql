with parsed as (
    select
        request_key,
        unnest(fields) as item,
        unnest(range(1, len(fields) + 1)) as item_number,
    from {{ ref('int_questions__parsed_analyses') }}
    where parse_status = 'ok'
),

final as (
    select
        request_key,
        item_number::integer as item_number,
        item.field,
        item.field_rank,
        item.field_text,
    from parsed
)

select * from final
