with judged as (
    select
        judged.configuration_id,
        judged.case_id,
        judged.diagnosis_rank,
        judged.judge_id,
        configurations.test_set,
        judged.semantic_distance,
        judged.has_semantic_label,
        judged.is_strict_match,
        levels.severity_value,
    from {{ ref('int_experiments__judged_diagnoses') }} as judged
    inner join {{ ref('int_experiments__configurations') }} as configurations
        on judged.configuration_id = configurations.configuration_id
    left join {{ ref('stg_registry__severity_level') }} as levels
        on judged.severity = levels.severity
),

ranks as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        test_set,
        list({ judge_id: judge_id, label_position: semantic_distance })
        filter (where has_semantic_label) as semantic,
        list({ judge_id: judge_id, label_position: severity_value })
        filter (where severity_value is not null) as severity,
    from judged
    group by all
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

lists as (
    select
        configuration_id,
        case_id,
        test_set,
        list({ judge_id: judge_id, label_position: if(is_match, 1, 2) }) as match,
    from matches
    group by all
),

units as (
    {%- for scale, relation in [("semantic", "ranks"), ("severity", "ranks"), ("match", "lists")] %}
        select
            test_set,
            '{{ scale }}' as scale,
            case_id,
            {{ scale }} as labels,
        from {{ relation }}
        where len({{ scale }}) > 1
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
),

-- sorting few patterns instead of many units
counted as (
    select
        test_set,
        scale,
        case_id,
        labels,
        count(*) as n_units,
    from units
    group by all
),

final as (
    select
        test_set,
        scale,
        case_id,
        list_sort(labels) as labels,
        sum(n_units)::bigint as n_units,
    from counted
    group by all
)

select * from final
