with listed as (
    select * from {{ ref('int_experiments__listed_diagnoses') }}
),

final as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        diagnosis,
        diagnosis_normalised,
        reasoning,
        in_favour,
        against,
        risk,
        diagnosis_rank <= {{ max_scored_rank() }} as is_scored,
    from listed
    where diagnosis_rank = first_rank
)

select * from final
