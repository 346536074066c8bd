with source as (
    select
        rule,
        cast(rule_order as integer) as rule_order,
        semantic_relation,
        meaning,
        source,
    from {{ ref('semantic_rules') }}
)

select * from source
