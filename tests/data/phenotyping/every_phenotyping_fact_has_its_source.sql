{% for seed, column in [
    ('phenotype_names', 'source'),
    ('opposite_words', 'source'),
    ('hpo_red_flags', 'reason'),
    ('hpo_red_flags', 'source'),
    ('patient_rules', 'source'),
    ('diagnostic_tests', 'source'),
    ('diagnostic_tests', 'effort_source'),
    ('confirming_tests', 'source'),
    ('picture_tests', 'source'),
    ('clinical_signs', 'source'),
    ('abnormal_values', 'source'),
    ('note_cues', 'source'),
    ('normal_findings', 'source'),
    ('relative_times', 'source'),
    ('onset_stages', 'source'),
    ('progression_cues', 'source'),
    ('example_notes', 'source'),
    ('finding_words', 'source'),
    ('reading_stop_words', 'reason'),
    ('work_up_parameters', 'reason'),
] -%}
    select '{{ seed }}.{{ column }}' as unfounded
    from {{ ref(seed) }}
    where {{ column }} is null
    {% if not loop.last %}union all{% endif %}
{% endfor %}
