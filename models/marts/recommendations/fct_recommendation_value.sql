with run as (
    select * from {{ ref('int_recommendations__run') }}
),

cases as (
    select * from {{ ref('int_recommendations__evaluated_cases') }}
),

measures as (
    select * from {{ ref('int_recommendations__case_measures') }}
),

all_judgements as (
    select * from {{ ref('fct_recommendation_judgement') }}
    semi join run using (recommender)
),

judgements as (
    select * from all_judgements
    where score is not null
),

recommendations as (
    select * from {{ ref('fct_recommendation') }}
    semi join run using (recommender)
),

verdicts as (
    select * from {{ ref('int_recommendations__verdicts') }}
    semi join run using (recommender)
),

latency_targets as (
    select * from {{ ref('latency_targets') }}
),

of_cases as (
    select
        measures.*,
        cases.condition,
        cases.case_version,
    from measures
    inner join cases using (tenant_id, case_id)
),

of_judgements as (
    select
        judgements.tenant_id,
        cases.condition,
        4 as tier,
        judgements.dimension as metric_name,
        judgements.case_id,
        judgements.case_id as measured_id,
        cases.case_version,
        judgements.score as value,
    from judgements
    inner join cases using (tenant_id, case_id)
),

-- Whether there are votes to speak of. Without this a judge that answers nothing would leave no
-- value, and no value can be too low.
of_turnouts as (
    select
        cases.tenant_id,
        cases.condition,
        4 as tier,
        'valid_judgements' as metric_name,
        cases.case_id,
        cases.case_id || '/' || dimensions.dimension as measured_id,
        cases.case_version,
        coalesce(max(judgements.n_valid_votes), 0) >= 2 as value,
    from cases
    inner join run on run.judge is not null or run.run_type = 'weekly'
    cross join {{ ref('tier4_dimensions') }} as dimensions
    left join all_judgements as judgements
        on
            cases.tenant_id = judgements.tenant_id
            and cases.case_id = judgements.case_id
            and dimensions.dimension = judgements.dimension
    where cases.is_golden
    group by all
),

of_retrieval as (
    select
        'golden_set' as tenant_id,
        condition,
        2 as tier,
        metric_name,
        null as case_id,
        measured_id,
        case_version,
        value,
    from {{ ref('int_recommendations__retrieval_metrics') }}
),

-- all checks of a case are timed together, so its verdicts repeat one duration
durations as (
    select
        tenant_id,
        unnest(['retrieve', 'recommend', 'generate']) as stage,
        unnest([retrieve_ms, recommend_ms, generate_ms]) as duration_ms,
    from recommendations
    union all
    select
        tenant_id,
        'check' as stage,
        any_value(check_ms) as duration_ms,
    from verdicts
    where tier = 1
    group by tenant_id, case_id
),

percentiles as (
    select
        tenant_id,
        stage,
        quantile_cont(duration_ms, 0.5) as p50,
        quantile_cont(duration_ms, 0.95) as p95,
    from durations
    where duration_ms is not null
    group by all
),

-- Whether a target is met, not the milliseconds: a baseline from another machine stays comparable.
-- Stages of this machine are timed by its processor, so that its load does not decide. A model's
-- answer has wall time only, which does not gate.
of_stages as (
    select
        percentiles.tenant_id,
        'all' as condition,
        1 as tier,
        if(targets.stage = 'generate', 'answer_time_', 'latency_')
        || targets.percentile || '_within_target' as metric_name,
        null as case_id,
        targets.stage as measured_id,
        md5(targets.target_ms::varchar) as case_version,
        if(targets.percentile = 'p50', percentiles.p50, percentiles.p95) <= targets.target_ms
            as value,
    from percentiles
    inner join latency_targets as targets on percentiles.stage = targets.stage
),

of_calls as (
    select
        recommendations.tenant_id,
        cases.condition,
        1 as tier,
        'calls_within_target' as metric_name,
        recommendations.case_id,
        recommendations.case_id as measured_id,
        cases.case_version,
        recommendations.n_calls <= 2 as value,
    from recommendations
    inner join cases using (tenant_id, case_id)
    where recommendations.n_calls > 0
),

measurements as (
    {% for relation in [
        'of_cases', 'of_judgements', 'of_turnouts', 'of_retrieval',
        'of_stages', 'of_calls'
    ] -%}
        select
            tenant_id,
            condition,
            metric_name,
            case_id::varchar as case_id,
            measured_id,
            tier,
            value::double as value,
            case_version,
        from {{ relation }}
        {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

final as (
    select
        measurements.tenant_id,
        run.recommender,
        run.configuration,
        measurements.condition,
        measurements.metric_name,
        measurements.measured_id as case_id,
        measurements.tier::integer as tier,
        {{ measured("measurements.value") }} as value,
        measurements.case_version,
        recommendations.may_be_shown,
    from measurements
    cross join run
    -- what is no case (a query, a stage) has no mark
    left join recommendations
        on
            measurements.tenant_id = recommendations.tenant_id
            and measurements.case_id = recommendations.case_id
)

select * from final
