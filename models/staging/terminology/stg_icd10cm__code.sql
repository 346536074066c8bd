with final as (
    {%- for seed in ["icd10cm_code", "icd10cm_extension_code"] %}
        select
            code,
            parent_code,
            title,
            kind,
            code_range,
            is_billable::boolean as is_billable,
        from {{ ref(seed) }}
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
)

select * from final
