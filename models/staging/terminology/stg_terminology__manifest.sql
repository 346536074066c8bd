with final as (
    select
        seed,
        terminology,
        release,
        source_file,
        source_sha256,
        seed_sha256,
        licence,
        n_rows::bigint as n_rows,
    from {{ ref('terminology_manifest') }}
)

select * from final
