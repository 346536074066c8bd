with current_values as (
    select * from {{ ref('int_recommendations__case_values') }}
),

evaluated as (
    select distinct
        tenant_id,
        recommender,
    from current_values
),

-- the newest baseline of a tenant and recommender is the one that counts
active_baselines as (
    select
        baselines.tenant_id,
        baselines.recommender,
        baselines.baseline_id,
        baselines.baseline_name,
        baselines.condition,
        baselines.tier,
        baselines.metric_name,
        baselines.case_id,
        baselines.case_version,
        baselines.value,
    from {{ ref('stg_recommendations__baseline_value') }} as baselines
    semi join evaluated
        on
            baselines.tenant_id = evaluated.tenant_id
            and baselines.recommender = evaluated.recommender
    qualify
        baselines.baseline_number = max(baselines.baseline_number) over (
            partition by baselines.tenant_id, baselines.recommender
        )
),

baseline_names as (
    select distinct
        tenant_id,
        recommender,
        baseline_id,
        baseline_name,
    from active_baselines
),

paired as (
    select
        coalesce(after.tenant_id, before.tenant_id) as tenant_id,
        coalesce(after.recommender, before.recommender) as recommender,
        coalesce(after.condition, before.condition) as condition,
        coalesce(after.tier, before.tier) as tier,
        coalesce(after.metric_name, before.metric_name) as metric_name,
        coalesce(after.case_id, before.case_id) as case_id,
        before.value as value_before,
        after.value as value_after,
        before.case_id is not null and after.case_id is null as is_missing,
        before.case_id is null as is_new,
        before.case_version != after.case_version as is_changed,
    from current_values as after
    full outer join active_baselines as before
        on
            after.tenant_id = before.tenant_id
            and after.recommender = before.recommender
            and after.condition = before.condition
            and after.tier = before.tier
            and after.metric_name = before.metric_name
            and after.case_id = before.case_id
),

judged as (
    select
        tenant_id,
        recommender,
        tier,
        metric_name,
        case_id,
        value_before,
        value_after,
        is_missing,
        is_new,
        coalesce(is_changed, false) as is_changed,
        not is_missing and not is_new and not coalesce(is_changed, false) as is_paired,
        -- once over all conditions (null) and once for its own; what has none is there once
        unnest(case when condition = 'all' then [null] else [null, condition] end) as level,
    from paired
),

levels as (
    select
        tenant_id,
        recommender,
        level as condition,
        tier,
        metric_name,
        count(*) filter (not is_missing)::integer as n_cases,
        count(*) filter (is_paired)::integer as n_paired,
        count(*) filter (is_new)::integer as n_new,
        count(*) filter (is_changed)::integer as n_changed,
        count(*) filter (is_missing)::integer as n_missing,
        count(*) filter (is_paired and value_after < value_before)::integer as n_worse,
        count(*) filter (is_paired and value_after > value_before)::integer as n_better,
        {{ measured("avg(value_before) filter (is_paired)") }} as value_before,
        {{ measured("avg(value_after) filter (is_paired)") }} as value_after,
        {{ measured("avg(value_after)") }} as metric_value,
        coalesce(
            list(case_id order by case_id) filter (
                is_missing or is_changed or is_paired and value_after < value_before
            ),
            []
        ) as worse_cases,
        coalesce(
            list(case_id order by case_id) filter (is_paired and value_after > value_before), []
        ) as better_cases,
    from judged
    group by all
),

final as (
    select
        levels.tenant_id,
        levels.recommender,
        levels.condition,
        levels.tier,
        levels.metric_name,
        gating.gates,
        case
            when names.baseline_id is null then 'no_baseline'
            when levels.value_after < levels.value_before then 'regressed'
            when levels.n_missing + levels.n_changed > 0 then 'cases_changed'
            when levels.value_before is null then 'no_baseline'
            when levels.value_after > levels.value_before then 'improved'
            else 'same'
        end as status,
        levels.value_before,
        levels.value_after,
        levels.metric_value,
        levels.n_cases,
        levels.n_paired,
        levels.n_new,
        levels.n_changed,
        levels.n_missing,
        levels.n_worse,
        levels.n_better,
        {{ exact_sign_test("levels.n_worse", "levels.n_better") }} as p_value,
        levels.worse_cases,
        levels.better_cases,
        names.baseline_id,
        names.baseline_name,
    from levels
    inner join {{ ref('gating_metrics') }} as gating
        on levels.metric_name = gating.metric_name
    left join baseline_names as names
        on levels.tenant_id = names.tenant_id and levels.recommender = names.recommender
)

select * from final
