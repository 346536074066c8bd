{% for seed in [
    'example_notes',
    'normal_findings',
    'note_cues',
    'phenotype_names',
    'phenotyping_cases',
    'progression_cues',
    'reading_stop_words',
    'relative_times',
] -%}
    select distinct
        '{{ seed }}' as seed,
        language,
    from {{ ref(seed) }}
    where language is null or language not in ('en', 'es')
    {% if not loop.last %}union all{% endif %}
{% endfor %}
