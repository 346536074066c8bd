{#- How grave a diagnosis is by the rules of the severity_rules seed, whoever names it, a system or
    the author of the case: CTEs that end with `graded` (key, severity, severity_rule,
    severity_reason), one row per key. Reads the CTEs `keys` (key), `named` (key, name) and `concepts`
    (key, vocabulary, concept_id). -#}
{% macro severities_by_rules(key) -%}
codes as (
    select
        concepts.{{ key }},
        icd10_codes.code as icd10_code,
        icd10_codes.chapter_code,
    from concepts
    inner join {{ ref('dim_icd10_code') }} as icd10_codes
        on concepts.vocabulary = 'icd10cm' and concepts.concept_id = icd10_codes.code
),

rules as (
    select
        *,
        string_split(pattern, '..')[1] as first_code,
        string_split(pattern, '..')[2] as last_code,
    from {{ ref('severity_rules') }}
),

matches as (
    -- a range is compared with as many characters of the code as the range itself has
    select
        codes.{{ key }},
        rules.rule_id,
    from codes
    inner join rules
        on
            rules.kind = 'icd10_range'
            and left(codes.icd10_code, length(rules.first_code))
            between rules.first_code and rules.last_code
    union
    select
        codes.{{ key }},
        rules.rule_id,
    from codes
    inner join rules on rules.kind = 'icd10_chapter' and codes.chapter_code = rules.pattern
    union
    select
        concepts.{{ key }},
        rules.rule_id,
    from concepts
    inner join rules
        on
            rules.kind = 'rare_vocabulary'
            and concepts.vocabulary = 'disease'
            and list_contains(
                string_split(rules.pattern, '|'), split_part(concepts.concept_id, ':', 1)
            )
    union
    select
        named.{{ key }},
        rules.rule_id,
    from named
    inner join {{ ref('int_experiments__disease_families') }} as families
        on named.name = families.name
    inner join rules on rules.kind = 'rare_family'
    union
    select
        keys.{{ key }},
        rules.rule_id,
    from keys
    inner join rules on rules.kind = 'none'
),

-- the most specific kind of rule first, among ranges the longest code, and then the graver level
graded as (
    select
        matches.{{ key }},
        rules.severity,
        rules.rule_id as severity_rule,
        rules.reason as severity_reason,
    from matches
    inner join rules on matches.rule_id = rules.rule_id
    inner join {{ ref('severity_levels') }} as levels
        on rules.severity = levels.severity
    qualify
        row_number() over (
            partition by matches.{{ key }}
            order by
                rules.priority asc,
                length(rules.first_code) desc,
                levels.severity_value desc nulls last,
                rules.rule_id asc
        ) = 1
)
{%- endmacro %}
