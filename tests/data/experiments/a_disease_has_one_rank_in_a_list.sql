{{ config(tags=['tier1']) }}

with named as (
    select
        configuration_id,
        case_id,
        diagnosis_normalised,
        count(*) as n_ranks,
    from {{ ref('int_experiments__ranked_diagnoses') }}
    group by all
)

select
    configuration_id,
    case_id,
    n_ranks,
from named
where n_ranks > 1
