{% for seed, column in [
    ('question_bank', 'rationale'),
    ('question_bank', 'source'),
    ('question_types', 'source'),
    ('question_type_rules', 'source'),
    ('question_type_labels', 'source'),
    ('question_scoring_steps', 'source'),
] -%}
    select '{{ seed }}.{{ column }}' as unfounded
    from {{ ref(seed) }}
    where {{ column }} is null
    {% if not loop.last %}union all{% endif %}
{% endfor %}
