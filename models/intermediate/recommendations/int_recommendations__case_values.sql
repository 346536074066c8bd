with run as (
    select * from {{ ref('int_recommendations__run') }}
),

cases as (
    select * from {{ ref('int_recommendations__evaluated_cases') }}
),

recommendations as (
    select
        recommendations.tenant_id,
        recommendations.case_id,
        recommendations.recommendation_json,
        recommendations.retrieve_ms,
        recommendations.recommend_ms,
        recommendations.generate_ms,
    from {{ ref('int_recommendations__recommendations') }} as recommendations
    inner join run on recommendations.recommender = run.recommender
),

verdicts as (
    select
        verdicts.tenant_id,
        verdicts.case_id,
        verdicts.tier,
        verdicts.check_name,
        verdicts.item,
        verdicts.passed,
        verdicts.check_ms,
    from {{ ref('int_recommendations__verdicts') }} as verdicts
    inner join run on verdicts.recommender = run.recommender
),

facts as (
    select * from {{ ref('int_recommendations__case_facts') }}
),

expectations as (
    select
        'golden_set' as tenant_id,
        case_id,
        fact_kind,
        expected,
    from {{ ref('int_recommendations__golden_expectations') }}
),

-- by the seeds, or because the author of a golden case says so
red_flagged as (
    select
        tenant_id,
        case_id,
    from facts
    where fact_kind = 'red_flag'
    union
    select
        tenant_id,
        case_id,
    from expectations
    where fact_kind = 'red_flag'
),

treated as (
    select distinct
        tenant_id,
        case_id,
    from facts
    where fact_kind = 'rule'
),

structural as (
    select
        tenant_id,
        case_id,
        1 as tier,
        check_name as metric_name,
        min(passed::integer)::double as value,
    from verdicts
    where tier = 1 and check_name not in ('latency', 'safety_recall')
    group by all
),

-- the denominator is the patients with a red flag, whatever was said of them
safety as (
    select
        red_flagged.tenant_id,
        red_flagged.case_id,
        1 as tier,
        'safety_recall' as metric_name,
        coalesce(min(verdicts.passed::integer), 0)::double as value,
    from red_flagged
    left join verdicts
        on
            red_flagged.tenant_id = verdicts.tenant_id
            and red_flagged.case_id = verdicts.case_id
            and verdicts.check_name = 'safety_recall'
    group by all
),

adherence as (
    select
        tenant_id,
        case_id || '/' || item as case_id,
        case_id as of_case,
        3 as tier,
        'guideline_adherence' as metric_name,
        passed::integer::double as value,
    from verdicts
    where check_name = 'guideline_adherence'
),

cited as (
    select
        tenant_id,
        case_id,
        json_extract_string(recommendation_json, '$.evidence_table[*].source_type')
            as source_types,
        json_extract_string(recommendation_json, '$.severity') as severity,
    from recommendations
),

citations as (
    select
        treated.tenant_id,
        treated.case_id,
        2 as tier,
        'guideline_citation_rate' as metric_name,
        (
            len(list_filter(coalesce(cited.source_types, []), lambda kind: kind = 'guideline')) >= 2
        )::integer::double as value,
    from treated
    left join cited on treated.tenant_id = cited.tenant_id and treated.case_id = cited.case_id
),

expected_met as (
    select
        expectations.tenant_id,
        expectations.case_id || '/' || expectations.expected as case_id,
        expectations.case_id as of_case,
        3 as tier,
        case expectations.fact_kind
            when 'problem' then 'expected_problems'
            when 'severity' then 'expected_severity'
            else 'expected_source_types'
        end as metric_name,
        case expectations.fact_kind
            when 'problem' then coalesce(named.passed, false)
            when 'severity' then coalesce(cited.severity = expectations.expected, false)
            else list_contains(coalesce(cited.source_types, []), expectations.expected)
        end::integer::double as value,
    from expectations
    left join cited
        on
            expectations.tenant_id = cited.tenant_id
            and expectations.case_id = cited.case_id
    left join verdicts as named
        on
            expectations.tenant_id = named.tenant_id
            and expectations.case_id = named.case_id
            and named.check_name = 'problem_named'
            and expectations.expected = named.item
    where expectations.fact_kind in ('problem', 'severity', 'source_type')
),

stages as (
    select
        tenant_id,
        unnest(['retrieve', 'recommend', 'generate']) as stage,
        unnest([retrieve_ms, recommend_ms, generate_ms]) as took_ms,
    from recommendations
    union all
    select
        tenant_id,
        'check' as stage,
        any_value(check_ms) as took_ms,
    from verdicts
    where tier = 1
    group by tenant_id, case_id
),

percentiles as (
    select
        tenant_id,
        stage,
        quantile_cont(took_ms, 0.5) as p50,
        quantile_cont(took_ms, 0.95) as p95,
    from stages
    where took_ms is not null
    group by all
),

latencies as (
    select
        percentiles.tenant_id,
        targets.stage as case_id,
        1 as tier,
        'latency_' || targets.percentile || '_within_target' as metric_name,
        (
            case targets.percentile when 'p50' then percentiles.p50 else percentiles.p95 end
            <= targets.target_ms
        )::integer::double as value,
        md5(targets.target_ms::varchar) as case_version,
    from percentiles
    inner join {{ ref('latency_targets') }} as targets
        on percentiles.stage = targets.stage
),

of_cases as (
    select
        tenant_id,
        case_id,
        case_id as of_case,
        tier,
        metric_name,
        value,
    from structural
    union all
    select
        tenant_id,
        case_id,
        case_id as of_case,
        tier,
        metric_name,
        value,
    from safety
    union all
    select
        tenant_id,
        case_id,
        case_id as of_case,
        tier,
        metric_name,
        value,
    from citations
    union all
    select
        tenant_id,
        case_id,
        of_case,
        tier,
        metric_name,
        value,
    from adherence
    union all
    select
        tenant_id,
        case_id,
        of_case,
        tier,
        metric_name,
        value,
    from expected_met
),

measured as (
    select
        of_cases.tenant_id,
        cases.condition,
        of_cases.tier,
        of_cases.metric_name,
        of_cases.case_id,
        cases.case_version,
        of_cases.value,
    from of_cases
    inner join cases
        on of_cases.tenant_id = cases.tenant_id and of_cases.of_case = cases.case_id
    union all
    select
        tenant_id,
        'all' as condition,
        tier,
        metric_name,
        case_id,
        case_version,
        value,
    from latencies
    union all
    select
        'golden_set' as tenant_id,
        condition,
        2 as tier,
        metric_name,
        query_id as case_id,
        case_version,
        value,
    from {{ ref('int_recommendations__query_metrics') }}
    union all
    select
        'golden_set' as tenant_id,
        condition,
        2 as tier,
        'cluster_separation' as metric_name,
        image_label as case_id,
        case_version,
        separation as value,
    from {{ ref('int_recommendations__cluster_separation') }}
    union all
    select
        judgements.tenant_id,
        cases.condition,
        4 as tier,
        judgements.dimension as metric_name,
        judgements.case_id,
        cases.case_version,
        judgements.score as value,
    from {{ ref('int_recommendations__judgements') }} as judgements
    inner join run on judgements.recommender = run.recommender
    inner join cases
        on judgements.tenant_id = cases.tenant_id and judgements.case_id = cases.case_id
    where judgements.score is not null
),

final as (
    select
        measured.tenant_id,
        run.recommender,
        run.configuration,
        measured.condition,
        measured.tier::integer as tier,
        measured.metric_name,
        measured.case_id,
        measured.case_version,
        {{ measured("measured.value") }} as value,
    from measured
    cross join run
)

select * from final
