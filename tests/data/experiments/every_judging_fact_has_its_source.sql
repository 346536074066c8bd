{% for seed, column in [
    ('llm_capabilities', 'source'),
    ('llm_prices', 'source'),
    ('disease_class_correction', 'reason'),
    ('disease_class_correction', 'source'),
    ('answer_patterns', 'source'),
    ('disease_families', 'source'),
    ('parameters', 'reason'),
    ('severity_rules', 'reason'),
    ('severity_rules', 'source'),
] -%}
    select '{{ seed }}.{{ column }}' as unfounded
    from {{ ref(seed) }}
    where {{ column }} is null
    {% if not loop.last %}union all{% endif %}
{% endfor %}
