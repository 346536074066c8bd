with final as (
    {%- for source in ["omim", "orpha", "decipher"] %}
        select
            disease_id as source_disease_id,
            hpo_id,
            onset as onset_hpo_id,
            modifier as modifier_hpo_ids,
            aspect,
            frequency as frequency_text,
            lower(sex) as sex,
            evidence,
            source,
            is_negated::boolean as is_negated,
        from {{ ref('disease_phenotype_' ~ source) }}
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
)

select * from final
