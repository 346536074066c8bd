with statistics as (
    select
        *,
        judge_a as judge_group,
    from {{ ref('int_experiments__agreement_statistics') }}
    where comparison = 'group'
),

{{ given_labels() }},

-- ranks that at least two of the group labelled
units as (
    select
        given.pattern_key,
        coalesce(judges.panel, 'judges') as judge_group,
        given.test_set,
        given.scale,
        given.n_units,
        list(given.judge_id) as judge_ids,
    from given
    inner join {{ ref('dim_judge') }} as judges on given.judge_id = judges.judge_id
    where judges.kind in ('person', 'terminology', 'llm', 'recorded')
    group by all
    having count(*) > 1
),

sizes as (
    select
        judge_group,
        test_set,
        scale,
        sum(n_units)::integer as n_ranks,
        len(list_distinct(flatten(list(judge_ids))))::integer as n_judges,
    from units
    group by all
),

prompts as (
    {{ judged_prompt_versions() }}
),

final as (
    select
        statistics.judge_group,
        statistics.test_set,
        statistics.scale,
        prompts.prompt_versions,
        {{ terminology_release() }} as terminology_release,
        sizes.n_judges,
        sizes.n_ranks,
        statistics.n_cases,
        {%- for name in ["alpha_nominal", "alpha_ordinal"] %}
            statistics.{{ name }},
            {{ coefficient_end("statistics", name, "-") }} as {{ name }}_low,
            {{ coefficient_end("statistics", name, "+") }} as {{ name }}_high,
        {%- endfor %}
    from statistics
    inner join sizes using (judge_group, test_set, scale)
    inner join prompts on statistics.test_set = prompts.test_set
)

select * from final
