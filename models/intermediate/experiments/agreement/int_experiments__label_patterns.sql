{%- set scales = [("semantic", "ranks"), ("severity", "ranks")] -%}
{%- for depth in list_depths().split() -%}
    {%- do scales.append(("top" ~ depth, "lists")) -%}
{%- endfor -%}
with judged as (
    select
        judged.configuration_id,
        judged.case_id,
        judged.diagnosis_rank,
        judged.judge_id,
        configurations.test_set,
        judged.semantic_distance,
        judged.has_semantic_label,
        levels.severity_value,
    from {{ ref('int_experiments__judged_diagnoses') }} as judged
    inner join {{ ref('int_experiments__configurations') }} as configurations
        on judged.configuration_id = configurations.configuration_id
    left join {{ ref('severity_levels') }} as levels
        on judged.severity = levels.severity
),

judges as (
    select
        judge_id,
        row_number() over (order by judge_id)::integer as judge_number,
    from {{ ref('int_experiments__judges') }}
),

judge_ids as (
    select list(judge_id order by judge_number) as by_number,
    from judges
),

-- a judge and what he said are one number, his own times ten and the position on the scale: there
-- are millions of ranks, and names are put back when few patterns are left
ranks as (
    select
        judged.configuration_id,
        judged.case_id,
        judged.diagnosis_rank,
        judged.test_set,
        list(judges.judge_number * 10 + judged.semantic_distance)
        filter (where judged.has_semantic_label) as semantic,
        list(judges.judge_number * 10 + judged.severity_value)
        filter (where judged.severity_value is not null) as severity,
    from judged
    inner join judges on judged.judge_id = judges.judge_id
    group by all
),

lists as (
    select
        verdicts.configuration_id,
        verdicts.case_id,
        verdicts.test_set,
        {%- for depth in list_depths().split() %}
            list(judges.judge_number * 10 + if(verdicts.top{{ depth }}, 1, 2))
            filter (where verdicts.top{{ depth }} is not null) as top{{ depth }},
        {%- endfor %}
    from {{ ref('int_experiments__list_verdicts') }} as verdicts
    inner join judges on verdicts.judge_id = judges.judge_id
    group by all
),

units as (
    {%- for scale, relation in scales %}
        select
            test_set,
            '{{ scale }}' as scale,
            case_id,
            {{ scale }} as codes,
        from {{ relation }}
        where len({{ scale }}) > 1
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
),

patterns as (
    select
        test_set,
        scale,
        case_id,
        codes,
        count(*) as n_units,
    from units
    group by all
),

final as (
    select
        patterns.test_set,
        patterns.scale,
        patterns.case_id,
        list_transform(
            list_sort(patterns.codes),
            lambda code: {
                judge_id: judge_ids.by_number[code // 10], label_position: (code % 10)::integer
            }
        ) as labels,
        sum(patterns.n_units)::bigint as n_units,
    from patterns
    cross join judge_ids
    group by all
)

select * from final
