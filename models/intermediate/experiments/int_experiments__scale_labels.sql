with judged as (
    select
        judged.configuration_id,
        judged.case_id,
        judged.diagnosis_rank,
        judged.judge_id,
        configurations.test_set,
        judged.semantic_relation,
        judged.semantic_distance,
        judged.has_semantic_label,
        judged.is_strict_match,
        judged.severity,
        levels.severity_value,
    from {{ ref('int_experiments__judged_diagnoses') }} as judged
    inner join {{ ref('int_experiments__configurations') }} as configurations
        on judged.configuration_id = configurations.configuration_id
    left join {{ ref('stg_registry__severity_level') }} as levels
        on judged.severity = levels.severity
),

relations as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        test_set,
        'semantic' as scale,
        semantic_relation as label,
        semantic_distance as label_position,
    from judged
    where has_semantic_label
),

severities as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        test_set,
        'severity' as scale,
        severity as label,
        severity_value as label_position,
    from judged
    where severity_value is not null
),

-- of a whole list: is the gold diagnosis among its scored ranks? A judge that left ranks without a
-- label and found no match has not said; labels that came with recorded answers often say where the
-- gold diagnosis is and no more
matches as (
    select
        judged.configuration_id,
        judged.case_id,
        judged.judge_id,
        judged.test_set,
        bool_or(judged.is_strict_match) as is_match,
    from judged
    inner join {{ ref('int_experiments__judges') }} as judges on judged.judge_id = judges.judge_id
    group by all
    having
        is_match
        or bool_and(judged.has_semantic_label)
        or any_value(judges.kind) = 'recorded'
),

final as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        test_set,
        scale,
        label,
        label_position,
    from relations
    union all
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        test_set,
        scale,
        label,
        label_position,
    from severities
    union all
    select
        configuration_id,
        case_id,
        0 as diagnosis_rank,
        judge_id,
        test_set,
        'match' as scale,
        case when is_match then 'gold in list' else 'gold not in list' end as label,
        case when is_match then 1 else 2 end as label_position,
    from matches
)

select * from final
