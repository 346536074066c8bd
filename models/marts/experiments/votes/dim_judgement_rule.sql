with relations as (
    select
        rule,
        'semantic' as scale,
        semantic_relation as label,
        meaning,
        source,
        rule_order,
    from {{ ref('semantic_rules') }}
),

severities as (
    select
        rule_id as rule,
        'severity' as scale,
        severity as label,
        concat_ws(': ', concat_ws(' ', replace(kind, '_', ' '), pattern), reason) as meaning,
        source,
        priority as rule_order,
    from {{ ref('severity_rules') }}
),

-- labels come from votes, people and recordings, too, not only from the rules of the seeds
written as (
    select
        map {
            'given': 'The severity of the gold diagnosis that came with the case',
            'same_disease': 'An exact synonym has the severity of the gold diagnosis',
            'majority_vote': 'What most votes of the language model say',
            'jury': 'What the members of the jury say',
            'person': 'The label that a person gave',
            'recorded_label': 'A label of another program, or one that came with answers',
            'no_valid_label': 'No label that is one of the scale'
        } as meanings,
),

others as (
    select
        unnest(map_keys(meanings)) as rule,
        'both' as scale,
        unnest(map_values(meanings)) as meaning,
        'this project' as source,
    from written
),

every_rule as (
    select * from relations
    union all by name
    select * from severities
    union all by name
    select * from others
),

final as (
    select
        rule,
        scale,
        label,
        meaning,
        source,
        rule_order,
    from every_rule
)

select * from final
