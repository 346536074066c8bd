with source as (
    select
        configuration,
        description,
        lexical_weight,
        vector_weight,
        top_k,
        source,
    from {{ ref('retrieval_configurations') }}
)

select * from source
