with run as (
    select * from {{ ref('int_recommendations__run') }}
),

-- the mean difference of tier 4 votes between the three runs of a case, and what order and length
-- have to do with them
variances as (
    select
        tenant_id,
        dimension,
        avg(score_variance) as vote_variance,
        {{ measured("avg(position_difference)") }} as position_bias,
        if(
            stddev_pop(score) > 0 and stddev_pop(shown_length) > 0,
            {{ measured("corr(score, shown_length)") }},
            null
        ) as length_bias,
    from {{ ref('fct_recommendation_judgement') }}
    group by all
),

final as (
    select
        md5(
            concat_ws(
                '|', run.run_id, gate.tenant_id, coalesce(gate.condition, ''), gate.tier,
                gate.metric_name
            )
        ) as id,
        run.run_id,
        run.run_type,
        run.started_at as timestamp,
        gate.tenant_id,
        gate.condition,
        gate.tier,
        gate.metric_name,
        gate.metric_value,
        gate.baseline_id,
        case
            when gate.status not in ('no_baseline', 'not_in_baseline')
                then gate.status in ('same', 'improved')
        end as passed_baseline,
        json_object(
            'baseline_name', gate.baseline_name,
            'configuration', run.configuration,
            'gates', gate.gates,
            'length_bias', variances.length_bias,
            'n_better', gate.n_better,
            'n_cases', gate.n_cases,
            'n_worse', gate.n_worse,
            'p_value', gate.p_value,
            'position_bias', variances.position_bias,
            'recommender', run.recommender,
            'vote_variance', variances.vote_variance
        )::varchar as metadata,
    from {{ ref('int_recommendations__gate') }} as gate
    cross join run
    left join variances
        on gate.tenant_id = variances.tenant_id and gate.metric_name = variances.dimension
    where gate.n_cases > 0
)

select * from final
