{{ config(tags=['tier1']) }}

select
    configuration_id,
    case_id,
    judge_id,
    status,
from {{ ref('fct_case_score') }}
where
    is_failure
    and (semantic_score != 0 or coalesce(severity_score, 0) != 0 or strict_rank is not null)
