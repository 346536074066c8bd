with found as (
    select
        case_id,
        hpo_id,
        is_excluded,
        method,
        confidence,
        written as evidence,
    from {{ ref('int_phenotyping__mapped_inputs') }}
    where hpo_id is not null
),

-- said to be there and not to be there: what is there was seen by somebody
final as (
    select
        case_id,
        hpo_id,
        is_excluded,
        null::double as onset_years,
        null::varchar as onset_stage,
        null::varchar as progression,
        null::boolean as is_ongoing,
        method,
        confidence,
        evidence,
    from found
    qualify
        row_number() over (
            partition by case_id, hpo_id
            order by is_excluded asc, confidence desc, evidence asc
        ) = 1
)

select * from final
