{#- Each scale with the column of its labels and the distances of a label before and after. -#}
{%- set scales = [
    ("semantic", "semantic_relation", "labels_before.label_position", "labels_after.label_position"),
    (
        "severity",
        "severity",
        severity_distance("gold.label_position", "labels_before.label_position"),
        severity_distance("gold.label_position", "labels_after.label_position"),
    ),
] -%}

with judgements as (
    select * from {{ ref('int_experiments__judgements') }}
),

before_probe as (
    select
        judgements.*,
        cases.gold_severity,
    from judgements
    inner join {{ ref('dim_case') }} as cases on judgements.case_id = cases.case_id
    where judgements.probe = 'none'
),

-- diagnoses that a probe adds have no earlier label
after_probe as (
    select
        judgements.*,
        probes.original_rank,
    from judgements
    inner join {{ ref('int_experiments__judged_lists') }} as probes
        on
            judgements.probe = probes.probe
            and judgements.configuration_id = probes.configuration_id
            and judgements.case_id = probes.case_id
            and judgements.diagnosis_rank = probes.diagnosis_rank
    where probes.original_rank is not null
),

labels as (
    select
        'semantic' as scale,
        semantic_relation as label,
        distance as label_position,
        is_label,
    from {{ ref('semantic_relations') }}
    union all
    select
        'severity' as scale,
        severity as label,
        severity_value as label_position,
        is_label,
    from {{ ref('severity_levels') }}
),

-- without a gold severity there is no distance to compare
final as (
    {%- for scale, column, distance_before, distance_after in scales %}
        select
            after_probe.probe,
            after_probe.configuration_id,
            after_probe.case_id,
            after_probe.original_rank,
            after_probe.judge_id,
            '{{ scale }}' as scale,
            labels_before.label as label_before,
            labels_after.label as label_after,
            if(labels_before.is_label, labels_before.label_position, null) as position_before,
            if(labels_after.is_label, labels_after.label_position, null) as position_after,
            {{ distance_before }} as distance_before,
            {{ distance_after }} as distance_after,
        from after_probe
        inner join before_probe
            on
                after_probe.configuration_id = before_probe.configuration_id
                and after_probe.case_id = before_probe.case_id
                and after_probe.judge_id = before_probe.judge_id
                and after_probe.original_rank = before_probe.diagnosis_rank
        inner join labels as labels_before
            on
                labels_before.scale = '{{ scale }}'
                and before_probe.{{ column }} = labels_before.label
        inner join labels as labels_after
            on
                labels_after.scale = '{{ scale }}'
                and after_probe.{{ column }} = labels_after.label
        {%- if scale == "severity" %}
            inner join labels as gold
                on gold.scale = 'severity' and before_probe.gold_severity = gold.label
        {%- endif %}
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
)

select * from final
