with recommendations as (
    select * from {{ ref('fct_work_up') }}
),

steps as (
    select
        case_id,
        reasoner,
        is_fallback,
        unnest(cast(json_extract(recommendation, '$.next_best_steps') as json[])) as step,
    from recommendations
),

final as (
    select
        case_id,
        reasoner,
        step ->> 'step_id' as step_id,
        step ->> 'action_type' as action_type,
        step ->> 'action' as action,
        step ->> 'rationale' as rationale,
        cast(step -> 'discriminates_between' as varchar[]) as discriminates_between,
        step ->> 'urgency' as urgency,
        step ->> 'evidence_source' as evidence_source,
        -- a model may number two steps alike or leave a number out: ranks are counted anew
        (row_number() over (
            partition by case_id, reasoner
            order by cast(step ->> 'rank' as integer), step ->> 'step_id'
        ))::integer as step_rank,
        is_fallback,
    from steps
)

select * from final
