with final as (
    select
        disease_id as source_disease_id,
        ncbi_gene_id,
        gene_symbol,
        source,
    from {{ ref('disease_gene') }}
)

select * from final
