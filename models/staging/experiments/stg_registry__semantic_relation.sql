with source as (
    select
        semantic_relation,
        cast(distance as integer) as distance,
        cast(is_label as boolean) as is_label,
        cast(is_strict_match as boolean) as is_strict_match,
        cast(is_broad_match as boolean) as is_broad_match,
        meaning,
        source,
    from {{ ref('semantic_relations') }}
)

select * from source
