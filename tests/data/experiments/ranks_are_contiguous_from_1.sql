-- every list starts at rank 1 and has no gap
{{ config(tags=['tier1']) }}

with lists as (
    select
        configuration_id,
        case_id,
        count(*) as n_ranks,
        count(distinct diagnosis_rank) as n_distinct_ranks,
        min(diagnosis_rank) as first_rank,
        max(diagnosis_rank) as last_rank,
    from {{ ref('int_experiments__ranked_diagnoses') }}
    group by all
)

select * from lists
where first_rank != 1 or last_rank != n_ranks or n_distinct_ranks != n_ranks
