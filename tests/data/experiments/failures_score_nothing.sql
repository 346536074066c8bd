{{ config(tags=['tier1']) }}

select
    configuration_id,
    case_id,
    judge_id,
    status,
from {{ ref('fct_case_score') }}
anti join {{ ref('int_experiments__list_gradings') }} using (configuration_id, case_id, judge_id)
where
    is_failure
    and (
        coalesce(semantic_score, 0) != 0
        or coalesce(severity_score, 0) != 0
        or strict_rank is not null
        or is_top10_strict
        or is_top10_broad
    )
