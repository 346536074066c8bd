{{ config(severity='warn', meta={'holds_of': 'data'}) }}

select
    tenant_id,
    condition,
    metric_name,
    metric_value,
from {{ ref('rpt_recommendation_gate') }}
where
    metric_name in ('guideline_adherence', 'guideline_surfaced', 'guideline_citation_rate')
    and metric_value < 0.9
