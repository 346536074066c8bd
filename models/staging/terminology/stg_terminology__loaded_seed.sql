{%- set seeds = [
    "disease", "disease_gene", "disease_phenotype_decipher", "disease_phenotype_omim",
    "disease_phenotype_orpha", "hpo_alt_id", "hpo_is_a", "hpo_synonym", "hpo_term", "icd10cm_code",
    "icd10cm_extension_code", "icd10cm_inclusion_term", "mondo_is_a", "mondo_name",
] -%}
with loaded as (
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
        seed,
        n_rows,
    from loaded
)

select * from final
