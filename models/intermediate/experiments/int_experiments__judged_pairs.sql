with ranked as (
    select
        case_id,
        diagnosis,
        diagnosis_normalised,
    from {{ ref('int_experiments__judged_lists') }}
    where is_scored
),

anchors as (
    select
        case_id,
        diagnosis,
        {{ normalise_name("diagnosis") }} as diagnosis_normalised,
    from {{ ref('stg_registry__judge_anchor') }}
),

everything as (
    select
        case_id,
        diagnosis,
        diagnosis_normalised,
    from ranked
    union all
    select
        case_id,
        diagnosis,
        diagnosis_normalised,
    from anchors
),

final as (
    select
        case_id,
        diagnosis_normalised,
        min(diagnosis) as diagnosis,
    from everything
    group by all
)

select * from final
