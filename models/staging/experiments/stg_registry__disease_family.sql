with source as (
    select
        family,
        string_split(names, '|') as names,
        string_split(genes, '|') as gene_symbols,
        source,
    from {{ ref('disease_families') }}
)

select * from source
