{%- set seeds = [
    "disease", "disease_gene", "disease_phenotype_decipher", "disease_phenotype_omim",
    "disease_phenotype_orpha", "hpo_alt_id", "hpo_is_a", "hpo_synonym", "hpo_term", "icd10cm_code",
    "icd10cm_extension_code", "icd10cm_inclusion_term", "mondo_is_a", "mondo_name",
] -%}
with manifest as (
    select * from {{ ref('terminology_manifest') }}
),

imported_files as (
    select * from {{ ref('stg_import__file') }}
),

-- the rows in the warehouse beside those of the manifest
loaded as (
    {%- for seed in seeds %}
        select
            '{{ seed }}' as seed,
            count(*) as n_rows,
        from {{ ref(seed) }}
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
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
