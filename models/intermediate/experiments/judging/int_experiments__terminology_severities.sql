with names as (
    select distinct reading_key,
    from {{ ref('int_experiments__reading_keys') }}
),

codes as (
    select * from {{ ref('int_experiments__diagnosis_icd10') }}
),

concepts as (
    select * from {{ ref('int_experiments__diagnosis_concepts') }}
),

rules as (
    select
        rule_id,
        priority,
        kind,
        severity,
        reason,
        pattern,
        string_split(pattern, '..')[1] as first_code,
        string_split(pattern, '..')[2] as last_code,
    from {{ ref('severity_rules') }}
),

-- a range is compared with as many characters of the code as the range itself has
by_range as (
    select
        codes.reading_key,
        rules.rule_id,
    from codes
    inner join rules
        on
            rules.kind = 'icd10_range'
            and left(codes.icd10_code, length(rules.first_code))
            between rules.first_code and rules.last_code
),

by_chapter as (
    select
        codes.reading_key,
        rules.rule_id,
    from codes
    inner join rules on rules.kind = 'icd10_chapter' and codes.chapter_code = rules.pattern
),

by_vocabulary as (
    select
        concepts.reading_key,
        rules.rule_id,
    from concepts
    inner join rules
        on
            rules.kind = 'rare_vocabulary'
            and concepts.vocabulary = 'disease'
            and list_contains(
                string_split(rules.pattern, '|'), split_part(concepts.concept_id, ':', 1)
            )
),

by_family as (
    select distinct
        readings.reading_key,
        rules.rule_id,
    from {{ ref('int_experiments__diagnosis_readings') }} as readings
    inner join {{ ref('int_experiments__disease_families') }} as families
        on readings.reading = families.name
    inner join rules on rules.kind = 'rare_family'
),

by_default as (
    select
        names.reading_key,
        rules.rule_id,
    from names
    inner join rules on rules.kind = 'none'
),

matches as (
    select
        reading_key,
        rule_id,
    from by_range
    union all
    select
        reading_key,
        rule_id,
    from by_chapter
    union all
    select
        reading_key,
        rule_id,
    from by_vocabulary
    union all
    select
        reading_key,
        rule_id,
    from by_family
    union all
    select
        reading_key,
        rule_id,
    from by_default
),

-- the most specific kind of rule first, among ranges the longest code, and then the graver level
final as (
    select
        matches.reading_key,
        rules.severity,
        rules.rule_id as severity_rule,
        rules.reason as severity_reason,
    from matches
    inner join rules on matches.rule_id = rules.rule_id
    inner join {{ ref('severity_levels') }} as levels
        on rules.severity = levels.severity
    qualify
        row_number() over (
            partition by matches.reading_key
            order by
                rules.priority asc,
                length(rules.first_code) desc,
                levels.severity_value desc nulls last,
                rules.rule_id asc
        ) = 1
)

select * from final
