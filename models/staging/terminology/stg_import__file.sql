with final as (
    select
        table_name,
        source,
        release,
        source_file,
        source_sha256,
        licence,
        n_declared_rows,
        n_rows,
    from {{ source('terminology_import', 'imported_file') }}
)

select * from final
