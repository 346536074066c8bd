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
    union all
{% endfor %}
select 'question_bank ' || question_number as unfounded
from {{ ref('question_bank') }}
where
    language not in ('en', 'es')
    or answer_letter not in ('A', 'B', 'C', 'D', 'E')
    or answer_letter = 'E' and option_e is null
