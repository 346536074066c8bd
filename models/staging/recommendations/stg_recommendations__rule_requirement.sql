with source as (
    select
        rule_id,
        requirement,
        applies_when,
        unless,
        accepted_actions,
        source,
    from {{ ref('guideline_rule_requirements') }}
)

select * from source
