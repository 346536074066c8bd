with asks as (
    select * from {{ ref('int_recommendations__judge_asks') }}
),

scores as (
    select * from {{ ref('int_recommendations__parsed_scores') }}
),

recommendations as (
    select * from {{ ref('fct_recommendation') }}
),

votes as (
    select
        asks.tenant_id,
        asks.case_id,
        asks.recommender,
        asks.dimension,
        asks.model_alias as judge,
        asks.vote,
        asks.is_recommendation_first,
        asks.shown_length,
        scores.score,
        scores.reason,
    from asks
    left join scores on asks.request_key = scores.request_key
),

vote_counts as (
    select
        * exclude (vote, is_recommendation_first, shown_length, reason),
        count(*) as n_votes_for,
        min(reason) as reason,
    from votes
    where score is not null
    group by all
),

winners as (
    select * from vote_counts
    qualify
        row_number() over (
            partition by tenant_id, case_id, recommender, dimension, judge
            order by n_votes_for desc, score asc
        ) = 1
),

turnout as (
    select
        tenant_id,
        case_id,
        recommender,
        dimension,
        judge,
        count(*)::integer as n_votes,
        count(score)::integer as n_valid_votes,
        median(score)::integer as median_score,
        {{ measured("var_pop(score)") }} as score_variance,
        {{ measured(
            "avg(score) filter (is_recommendation_first)"
            ~ " - avg(score) filter (not is_recommendation_first)"
        ) }} as position_difference,
        any_value(shown_length) as shown_length,
        list(score order by vote) as votes,
    from votes
    group by all
),

-- where no two of three votes agree there is no majority: the middle one counts, and is marked
final as (
    select
        turnout.tenant_id,
        turnout.case_id,
        turnout.recommender,
        turnout.dimension,
        turnout.judge,
        winners.reason,
        case
            when turnout.n_valid_votes < 2 then null
            when winners.n_votes_for >= 2 then winners.score
            when turnout.n_valid_votes = 3 then turnout.median_score
        end::integer as score,
        turnout.n_votes,
        turnout.n_valid_votes,
        turnout.shown_length,
        turnout.score_variance,
        turnout.position_difference,
        turnout.votes,
        coalesce(winners.n_votes_for >= 2, false) as is_majority,
        recommendations.may_be_shown,
    from turnout
    left join winners using (tenant_id, case_id, recommender, dimension, judge)
    left join recommendations using (tenant_id, case_id, recommender)
)

select * from final
