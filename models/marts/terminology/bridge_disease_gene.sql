-- the imported file has '-' for a gene with a number but no symbol
with genes as (
    select *
    from {{ ref('disease_gene') }}
    where gene_symbol != '-'
),

canonical_diseases as (
    select * from {{ ref('int_terminology__disease_canonical') }}
),

release as (
    select release
    from {{ ref('terminology_manifest') }}
    where seed = 'disease_gene'
),

final as (
    select
        canonical_diseases.disease_id,
        genes.gene_symbol,
        min(genes.ncbi_gene_id) as ncbi_gene_id,
        list_sort(list(distinct genes.source)) as sources,
        min(release.release) as release,
    from genes
    inner join canonical_diseases on genes.disease_id = canonical_diseases.source_disease_id
    cross join release
    group by all
)

select * from final
