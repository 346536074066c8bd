with statistics as (
    select
        judge_a as judge_group,
        test_set,
        scale,
        n_cases,
        {%- for name in ["alpha_nominal", "alpha_ordinal"] %}
            {{ name }},
            {{ name }}_low,
            {{ name }}_high,
        {%- endfor %}
    from {{ ref('int_experiments__agreement_statistics') }}
    where comparison = 'group'
),

-- ranks that at least two of the group labelled
units as (
    select
        case when judges.kind = 'person' then judges.panel else 'judges' end as judge_group,
        labels.test_set,
        labels.scale,
        labels.configuration_id,
        labels.case_id,
        labels.diagnosis_rank,
        list(labels.judge_id) as judge_ids,
    from {{ ref('int_experiments__scale_labels') }} as labels
    inner join {{ ref('int_experiments__judges') }} as judges on labels.judge_id = judges.judge_id
    where judges.kind in ('person', 'terminology', 'llm', 'recorded')
    group by all
    having count(*) > 1
),

sizes as (
    select
        judge_group,
        test_set,
        scale,
        count(*)::integer as n_ranks,
        len(list_distinct(flatten(list(judge_ids))))::integer as n_judges,
    from units
    group by all
),

final as (
    select
        statistics.judge_group,
        statistics.test_set,
        statistics.scale,
        sizes.n_judges,
        sizes.n_ranks,
        statistics.n_cases,
        {%- for name in ["alpha_nominal", "alpha_ordinal"] %}
            statistics.{{ name }},
            statistics.{{ name }}_low,
            statistics.{{ name }}_high,
        {%- endfor %}
    from statistics
    inner join sizes using (judge_group, test_set, scale)
)

select * from final
