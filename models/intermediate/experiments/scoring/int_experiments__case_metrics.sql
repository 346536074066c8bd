with scores as (
    select
        configuration_id,
        case_id,
        judge_id,
        test_set,
        semantic_score,
        severity_score,
        semantic_score_full_list,
        severity_score_full_list,
        semantic_rescaled,
        severity_rescaled,
        reciprocal_rank,
        {%- for metric in share_metrics().split() if metric.startswith("top") %}
            is_{{ metric }},
        {%- endfor %}
        is_failure,
        is_asked,
    from {{ ref('int_experiments__case_scores') }}
    where is_counted
),

-- a configuration nobody was asked about has no score, which is not a score of nothing; where a
-- judge leaves one case open, its share would be of other cases than the others', and there is none
asked as (
    select
        configuration_id,
        judge_id,
        row_number() over (order by judge_id, test_set, configuration_id)::integer as score_key,
        {%- for metric in share_metrics().split() if metric.startswith("top") %}
            bool_and(is_{{ metric }} is not null) as has_{{ metric }},
        {%- endfor %}
        bool_and(reciprocal_rank is not null) as has_reciprocal_rank,
    from scores
    group by configuration_id, judge_id, test_set
    having bool_or(is_asked)
),

final as (
    select
        asked.score_key,
        scores.configuration_id,
        scores.case_id,
        scores.judge_id,
        scores.test_set,
        scores.is_failure::double as failure_rate,
        {%- for metric in share_metrics().split() if metric.startswith("top") %}
            case when asked.has_{{ metric }} then scores.is_{{ metric }}::double end
                as {{ metric }},
        {%- endfor %}
        case when asked.has_reciprocal_rank then scores.reciprocal_rank end as mrr,
        scores.semantic_score as mean_semantic_score,
        scores.severity_score as mean_severity_score,
        scores.semantic_score_full_list as mean_semantic_score_full_list,
        scores.severity_score_full_list as mean_severity_score_full_list,
        scores.semantic_rescaled,
        scores.severity_rescaled,
    from scores
    inner join asked
        on scores.configuration_id = asked.configuration_id and scores.judge_id = asked.judge_id
)

select * from final
