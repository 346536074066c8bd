-- '-' stands where the source knows a gene's number but not its symbol
with genes as (
    select
        source_disease_id,
        ncbi_gene_id,
        gene_symbol,
        source,
    from {{ ref('stg_hpoa__gene') }}
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
    inner join canonical_diseases
        on genes.source_disease_id = canonical_diseases.source_disease_id
    cross join release
    group by all
)

select * from final
