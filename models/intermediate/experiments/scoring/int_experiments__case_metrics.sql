with scores as (
    select * from {{ ref('int_experiments__case_scores') }}
    where is_scored
),

-- where a judge leaves one case open, its share would cover other cases than the other judges'
-- shares, so there is none
answered as (
    select
        configuration_id,
        judge_id,
        {%- for metric in share_metrics().split() if metric.startswith("top") %}
            bool_and(is_{{ metric }} is not null) as has_{{ metric }},
        {%- endfor %}
        {%- for kind in ["strict", "broad"] %}
            bool_and(reciprocal_rank_{{ kind }} is not null) as has_mrr_{{ kind }},
        {%- endfor %}
    from scores
    group by configuration_id, judge_id
),

final as (
    select
        scores.score_key,
        scores.configuration_id,
        scores.case_id,
        scores.judge_id,
        scores.test_set,
        scores.is_failure::double as failure_rate,
        {%- for metric in share_metrics().split() if metric.startswith("top") %}
            case when answered.has_{{ metric }} then scores.is_{{ metric }}::double end
                as {{ metric }},
        {%- endfor %}
        {%- for kind in ["strict", "broad"] %}
            case when answered.has_mrr_{{ kind }} then scores.reciprocal_rank_{{ kind }} end
                as mrr_{{ kind }},
        {%- endfor %}
        scores.semantic_score as mean_semantic_score,
        scores.severity_score as mean_severity_score,
        scores.semantic_score_full_list as mean_semantic_score_full_list,
        scores.severity_score_full_list as mean_severity_score_full_list,
        scores.acuity_score as mean_acuity_score,
        scores.rarity_score as mean_rarity_score,
        scores.dangerous_omission,
        scores.semantic_rescaled,
        scores.severity_rescaled,
    from scores
    inner join answered
        on
            scores.configuration_id = answered.configuration_id
            and scores.judge_id = answered.judge_id
)

select * from final
