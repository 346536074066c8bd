with run as (
    select * from {{ ref('int_recommendations__run') }}
),

recommendations as (
    select * from {{ ref('fct_recommendation') }}
    semi join run using (recommender)
),

verdicts as (
    select * from {{ ref('int_recommendations__verdicts') }}
    semi join run using (recommender)
),

facts as (
    select * from {{ ref('int_recommendations__case_facts') }}
),

expectations as (
    select * from {{ ref('int_recommendations__expectations') }}
),

-- by the seeds, or by the author of a golden case
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

-- a rule applies to them, so they need treatment
treated as (
    select distinct
        tenant_id,
        case_id,
    from facts
    where fact_kind = 'rule'
),

evidence as (
    select
        tenant_id,
        case_id,
        severity,
        json_extract_string(recommendation_json, '$.evidence_table[*].source_type')
            as source_types,
    from recommendations
),

structural as (
    select
        tenant_id,
        case_id,
        1 as tier,
        check_name as metric_name,
        min(passed::integer) as value,
    from verdicts
    where tier = 1 and check_name not in ('latency', 'safety_recall')
    group by all
),

-- The denominator is the patients with a red flag, or who need what may not be left out: a patient
-- whose flag is not mentioned counts as missed.
at_risk as (
    select
        tenant_id,
        case_id,
    from red_flagged
    union
    select
        tenant_id,
        case_id,
    from verdicts
    where check_name = 'safety_recall' and item != ''
),

safety as (
    select
        at_risk.tenant_id,
        at_risk.case_id,
        1 as tier,
        'safety_recall' as metric_name,
        coalesce(min(verdicts.passed::integer), 0) as value,
    from at_risk
    left join verdicts
        on
            at_risk.tenant_id = verdicts.tenant_id
            and at_risk.case_id = verdicts.case_id
            and verdicts.check_name = 'safety_recall'
    group by all
),

citations as (
    select
        treated.tenant_id,
        treated.case_id,
        2 as tier,
        'guideline_citation_rate' as metric_name,
        (
            len(list_filter(evidence.source_types, lambda kind: kind = 'guideline')) >= 2
        ) as value,
    from treated
    left join evidence using (tenant_id, case_id)
),

adherence as (
    select
        tenant_id,
        case_id,
        item,
        3 as tier,
        'guideline_adherence' as metric_name,
        passed as value,
    from verdicts
    where check_name = 'guideline_adherence'
),

urgency as (
    select
        tenant_id,
        case_id,
        nullif(item, '') as item,
        3 as tier,
        check_name as metric_name,
        passed as value,
    from verdicts
    where
        check_name in (
            'urgent_first', 'critical_actions', 'urgent_in_time', 'independent_expectations'
        )
),

expectations_met as (
    select
        expectations.tenant_id,
        expectations.case_id,
        expectations.expected as item,
        3 as tier,
        case expectations.fact_kind
            when 'problem' then 'expected_problems'
            when 'severity' then 'expected_severity'
            else 'expected_source_types'
        end as metric_name,
        case expectations.fact_kind
            when 'problem' then named_problems.passed
            when 'severity'
                then list_contains(string_split(expectations.expected, '; '), evidence.severity)
            else list_contains(evidence.source_types, expectations.expected)
        end as value,
    from expectations
    left join evidence using (tenant_id, case_id)
    left join verdicts as named_problems
        on
            expectations.tenant_id = named_problems.tenant_id
            and expectations.case_id = named_problems.case_id
            and named_problems.check_name = 'problem_named'
            and expectations.expected = named_problems.item
    where expectations.fact_kind in ('problem', 'severity', 'source_type')
),

measures as (
    {% for measure in [
        'structural', 'safety', 'citations', 'adherence', 'urgency', 'expectations_met'
    ] -%}
        select * replace (coalesce(value::double, 0) as value)
        from {{ measure }}
        {% if not loop.last %}union all by name{% endif %}
    {% endfor %}
),

final as (
    select
        * exclude (item),
        case_id || coalesce('/' || item, '') as measured_id,
    from measures
)

select * from final
