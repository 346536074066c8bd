with used as (
    select
        tenant_id,
        source_type,
        condition,
        is_helpful,
    from {{ ref('fct_document_feedback') }}
    -- held-out patients must not shape the weights that they are to measure
    where is_used
),

final as (
    select
        tenant_id,
        source_type,
        condition,
        count(*)::integer as n_judged,
        count(*) filter (is_helpful)::integer as n_helpful,
        avg(is_helpful::integer) as helpful_share,
    from used
    group by all
)

select * from final
