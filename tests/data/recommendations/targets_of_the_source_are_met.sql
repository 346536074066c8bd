{{ config(severity='warn') }}
-- nine in ten of the rules that apply are followed in every condition, and nine in ten treatment
-- queries bring a guideline (source document 001, tiers 2 and 3); the gate compares, this measures
select
    tenant_id,
    condition,
    metric_name,
    metric_value,
from {{ ref('rpt_recommendation_gate') }}
where
    metric_name in ('guideline_adherence', 'guideline_surfaced', 'guideline_citation_rate')
    and metric_value < 0.9
