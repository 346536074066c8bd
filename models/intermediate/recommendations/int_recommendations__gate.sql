with current_values as (
    select * from {{ ref('fct_recommendation_value') }}
),

evaluated as (
    select distinct
        tenant_id,
        recommender,
    from current_values
),

baselines as (
    select * from {{ ref('stg_recommendations__baseline_value') }}
),

gating as (
    select * from {{ ref('gating_metrics') }}
),

-- the newest baseline of a tenant and recommender is the valid one
active_baselines as (
    select * from baselines
    semi join evaluated using (tenant_id, recommender)
    qualify
        baseline_number = max(baseline_number) over (partition by tenant_id, recommender)
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
        tenant_id,
        recommender,
        condition,
        tier,
        metric_name,
        case_id,
        before.value as value_before,
        after.value as value_after,
        after.case_id is null as is_missing,
        before.case_id is null as is_new,
        coalesce(before.case_version != after.case_version, false) as is_changed,
        not is_missing and not is_new and not is_changed as is_paired,
    from current_values as after
    full outer join active_baselines as before
        using (tenant_id, recommender, condition, tier, metric_name, case_id)
),

-- Each case counts twice: over all conditions (null) and in its own. Cases without a condition
-- count once.
judged as (
    select
        *,
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

-- A regression takes precedence over a floor, and both over changed cases, which are reported
-- separately and excuse neither.
final as (
    select
        levels.tenant_id,
        levels.recommender,
        levels.condition,
        levels.metric_name,
        case
            when levels.value_after < levels.value_before then 'regressed'
            when levels.metric_value < gating.floor then 'below_floor'
            when names.baseline_id is null then 'no_baseline'
            when levels.n_missing + levels.n_changed > 0 then 'cases_changed'
            when levels.value_before is null then 'not_in_baseline'
            when levels.value_after > levels.value_before then 'improved'
            else 'same'
        end as status,
        names.baseline_id,
        names.baseline_name,
        levels.tier,
        levels.value_before,
        levels.value_after,
        levels.metric_value,
        gating.floor,
        levels.n_cases,
        levels.n_paired,
        levels.n_new,
        levels.n_changed,
        levels.n_missing,
        levels.n_worse,
        levels.n_better,
        case
            when levels.n_paired > 0
                then {{ exact_sign_test("levels.n_worse", "levels.n_better") }}
        end as p_value,
        levels.worse_cases,
        levels.better_cases,
        gating.gates,
    from levels
    inner join gating on levels.metric_name = gating.metric_name
    left join baseline_names as names
        on levels.tenant_id = names.tenant_id and levels.recommender = names.recommender
)

select * from final
