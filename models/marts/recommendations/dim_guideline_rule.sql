with final as (
    select
        rule_id,
        condition,
        context,
        expected_action,
        guideline,
        guideline_year,
        recommendation_class,
        source,
    from {{ ref('guideline_rules') }}
)

select * from final
