with final as (
    select
        tenant_id,
        case_id,
        recommender,
        dimension,
        judge,
        reason,
        score,
        n_votes,
        n_valid_votes,
        score_variance,
        votes,
        is_majority,
    from {{ ref('int_recommendations__judgements') }}
)

select * from final
