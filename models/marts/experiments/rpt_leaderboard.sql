with final as (
    select
        configuration_id,
        judge_id,
        test_set,
        prompt_version,
        terminology_release,
        n_cases,
        n_failures,
        n_model_failures,
        n_delivery_failures,
        n_not_asked,
        top1_strict,
        top1_strict_low,
        top1_strict_high,
        top3_strict,
        top3_strict_low,
        top3_strict_high,
        top5_strict,
        top5_strict_low,
        top5_strict_high,
        mrr,
        mrr_low,
        mrr_high,
        semantic_aggregate,
        semantic_aggregate_low,
        semantic_aggregate_high,
        severity_aggregate,
        severity_aggregate_low,
        severity_aggregate_high,
        generation_usd,
        is_asked,
        is_calibrated,
        is_severity_calibrated,
    from {{ ref('fct_configuration_score') }}
    where setting = 'medium'
)

select * from final
