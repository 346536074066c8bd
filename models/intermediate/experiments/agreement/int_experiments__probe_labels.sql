with probes as (
    select
        probe,
        configuration_id,
        case_id,
        diagnosis_rank,
        original_rank,
        diagnosis,
    from {{ ref('int_experiments__probe_lists') }}
    where original_rank is not null
),

by_rules as (
    select
        probes.probe,
        probes.configuration_id,
        probes.case_id,
        probes.original_rank,
        judges.judge_id,
        relations.semantic_relation,
        severities.severity,
    from probes
    inner join {{ ref('stg_registry__judge') }} as judges on judges.kind = 'terminology'
    left join {{ ref('int_experiments__case_golds') }} as golds on probes.case_id = golds.case_id
    left join {{ ref('int_experiments__reading_keys') }} as keys
        on probes.diagnosis = keys.diagnosis
    left join {{ ref('int_experiments__terminology_relations') }} as relations
        on
            golds.gold_key = relations.gold_key
            and keys.reading_key = relations.reading_key
    left join {{ ref('int_experiments__terminology_severities') }} as severities
        on keys.reading_key = severities.reading_key
),

by_models as (
    select
        configuration_id,
        case_id,
        probe,
        diagnosis_rank,
        judge_id,
        relations.semantic_relation,
        severities.severity,
    from {{ ref('int_experiments__semantic_judgements') }} as relations
    full join {{ ref('int_experiments__severity_judgements') }} as severities
        using (configuration_id, case_id, probe, diagnosis_rank, judge_id)
    where probe != 'none'
),

after_probe as (
    select
        probe,
        configuration_id,
        case_id,
        original_rank,
        judge_id,
        semantic_relation,
        severity,
    from by_rules
    union all
    select
        probes.probe,
        probes.configuration_id,
        probes.case_id,
        probes.original_rank,
        by_models.judge_id,
        by_models.semantic_relation,
        by_models.severity,
    from probes
    inner join by_models
        on
            probes.probe = by_models.probe
            and probes.configuration_id = by_models.configuration_id
            and probes.case_id = by_models.case_id
            and probes.diagnosis_rank = by_models.diagnosis_rank
),

before_probe as (
    select * from {{ ref('int_experiments__judged_diagnoses') }}
),

relations as (
    select
        semantic_relation as label,
        distance as position,
        is_label,
    from {{ ref('semantic_relations') }}
),

levels as (
    select
        severity as label,
        severity_value as position,
        is_label,
    from {{ ref('severity_levels') }}
),

semantic as (
    select
        after_probe.probe,
        after_probe.configuration_id,
        after_probe.case_id,
        after_probe.original_rank,
        after_probe.judge_id,
        'semantic' as scale,
        labels_before.label as label_before,
        labels_after.label as label_after,
        if(labels_before.is_label, labels_before.position, null) as position_before,
        if(labels_after.is_label, labels_after.position, null) as position_after,
        labels_before.position as distance_before,
        labels_after.position as distance_after,
    from after_probe
    inner join before_probe
        on
            after_probe.configuration_id = before_probe.configuration_id
            and after_probe.case_id = before_probe.case_id
            and after_probe.judge_id = before_probe.judge_id
            and after_probe.original_rank = before_probe.diagnosis_rank
    inner join relations as labels_before
        on before_probe.semantic_relation = labels_before.label
    inner join relations as labels_after on after_probe.semantic_relation = labels_after.label
),

severity as (
    select
        after_probe.probe,
        after_probe.configuration_id,
        after_probe.case_id,
        after_probe.original_rank,
        after_probe.judge_id,
        'severity' as scale,
        labels_before.label as label_before,
        labels_after.label as label_after,
        labels_before.position as position_before,
        labels_after.position as position_after,
        {{ severity_distance("gold.position", "labels_before.position") }} as distance_before,
        {{ severity_distance("gold.position", "labels_after.position") }} as distance_after,
    from after_probe
    inner join before_probe
        on
            after_probe.configuration_id = before_probe.configuration_id
            and after_probe.case_id = before_probe.case_id
            and after_probe.judge_id = before_probe.judge_id
            and after_probe.original_rank = before_probe.diagnosis_rank
    inner join levels as labels_before on before_probe.severity = labels_before.label
    inner join levels as labels_after on after_probe.severity = labels_after.label
    inner join levels as gold on before_probe.gold_severity = gold.label
),

final as (
    {% for scale in ["semantic", "severity"] %}
        select
            probe,
            configuration_id,
            case_id,
            original_rank,
            judge_id,
            scale,
            label_before,
            label_after,
            position_before,
            position_after,
            distance_before,
            distance_after,
        from {{ scale }}
        {% if not loop.last %} union all {% endif %}
    {% endfor %}
)

select * from final
