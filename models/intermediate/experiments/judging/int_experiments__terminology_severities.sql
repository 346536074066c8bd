with keys as (
    select * from {{ ref('int_experiments__reading_keys') }}
),

readings as (
    select * from {{ ref('int_experiments__diagnosis_readings') }}
),

families as (
    select * from {{ ref('int_experiments__disease_families') }}
),

concepts as (
    select * from {{ ref('int_experiments__diagnosis_concepts') }}
),

codes as (
    select
        concepts.reading_key,
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
        codes.reading_key,
        rules.rule_id,
    from codes
    inner join rules
        on
            rules.kind = 'icd10_range'
            and left(codes.icd10_code, length(rules.first_code))
            between rules.first_code and rules.last_code
    union
    select
        codes.reading_key,
        rules.rule_id,
    from codes
    inner join rules on rules.kind = 'icd10_chapter' and codes.chapter_code = rules.pattern
    union
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
    union
    select
        readings.reading_key,
        rules.rule_id,
    from readings
    inner join families on readings.reading = families.name
    inner join rules on rules.kind = 'rare_family'
    union
    select
        keys.reading_key,
        rules.rule_id,
    from keys
    inner join rules on rules.kind = 'none'
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
