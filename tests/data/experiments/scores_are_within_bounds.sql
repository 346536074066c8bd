{{ config(tags=['tier1']) }}

select
    configuration_id,
    case_id,
    judge_id,
    semantic_score,
    severity_score,
from {{ ref('fct_case_score') }}
where
    semantic_score not between 0 and 16
    or semantic_score is null
    or severity_score not between 0 and 16
    or semantic_score_full_list not between 0 and semantic_score
    or severity_score_full_list not between 0 and severity_score
    or semantic_rescaled not between -1 and 1
    or severity_rescaled not between -1 and 1
    or reciprocal_rank not between 0 and 1
