{{ config(tags=['tier1']) }}

select
    configuration_id,
    case_id,
    n_items,
    n_read,
    n_cut,
    n_merged,
    n_left,
from {{ ref('rpt_answer_reading') }}
where n_items != n_read + n_merged + n_left or n_cut > n_read + n_merged
