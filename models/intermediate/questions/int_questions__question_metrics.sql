-- what was not asked, because a sample was drawn or nobody was chosen, is in no score: that differs
-- from a score of 0, and n_not_asked of the report counts it
with outcomes as (
    select * from {{ ref('fct_question_answer') }}
    where outcome_class != 'not_asked'
),

types as (
    select * from {{ ref('question_types') }}
),

per_question as (
    select
        outcomes.configuration_id,
        outcomes.question_id,
        outcomes.question_set,
        unnest([
            { metric: 'failure_rate', value: outcomes.outcome_class != 'answered', counts: true },
            { metric: 'choice_accuracy', value: outcomes.is_choice_correct, counts: true },
            -- the readable share of the answers received
            {
                metric: 'parse_success',
                value: outcomes.status = 'ok',
                counts: coalesce(outcomes.choice_text, outcomes.analysis_text) is not null
            },
            -- ranks exist where the type's own field is a ranked list
            {
                metric: 'top1_accuracy',
                value: outcomes.is_top1,
                counts: outcomes.has_analysis and types.has_ranked_field
            },
            {
                metric: 'top3_accuracy',
                value: outcomes.is_top3,
                counts: outcomes.has_analysis and types.has_ranked_field
            },
            {
                metric: 'mentioned_accuracy',
                value: outcomes.is_mentioned,
                counts: outcomes.has_analysis
            },
            {
                metric: 'differential_accuracy',
                value: outcomes.is_in_differential,
                counts: outcomes.has_analysis and outcomes.question_type = 'diagnostic'
            },
            {
                metric: 'top1_accuracy_untyped',
                value: outcomes.is_top1_untyped,
                counts: outcomes.has_analysis
            },
            {
                metric: 'mentioned_accuracy_untyped',
                value: outcomes.is_mentioned_untyped,
                counts: outcomes.has_analysis
            }
        ]) as item,
    from outcomes
    inner join types on outcomes.question_type = types.question_type
),

final as (
    select
        configuration_id,
        question_id,
        question_set,
        item.metric,
        item.value::double as value,
    from per_question
    where item.counts
)

select * from final
