select
    tenant_id,
    count(*) as n_patients,
    count(*) filter (is_holdout) as n_held_out,
from {{ ref('dim_synthetic_patient') }}
group by all
having n_held_out != n_patients * 0.2 or n_held_out < 1000
