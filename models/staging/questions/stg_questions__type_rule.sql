with source as (
    select
        rule_id,
        cast(rule_pass as integer) as rule_pass,
        cast(priority as integer) as priority,
        question_type,
        pattern,
        context_pattern,
        options_pattern,
        source,
    from {{ ref('question_type_rules') }}
)

select * from source
