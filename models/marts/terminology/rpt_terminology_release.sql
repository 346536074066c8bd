with manifest as (
    select * from {{ ref('terminology_manifest') }}
),

loaded as (
    select * from {{ ref('stg_terminology__loaded_seed') }}
),

imported_files as (
    select * from {{ ref('stg_import__file') }}
),

final as (
    select
        coalesce(manifest.seed, loaded.seed) as seed,
        manifest.terminology,
        manifest.release,
        manifest.source_file,
        manifest.source_sha256,
        manifest.seed_sha256,
        manifest.licence,
        manifest.n_rows as n_declared_rows,
        loaded.n_rows as n_loaded_rows,
        coalesce(manifest.n_rows = loaded.n_rows, false) as is_complete,
    from manifest
    full join loaded on manifest.seed = loaded.seed
    union all
    select
        'data/terminology/' || table_name || '/' || source as seed,
        source as terminology,
        release,
        source_file,
        source_sha256,
        null as seed_sha256,
        licence,
        n_declared_rows,
        n_rows as n_loaded_rows,
        n_declared_rows = n_rows as is_complete,
    from imported_files
)

select * from final
