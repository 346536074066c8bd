{{ config(severity='warn', meta={'holds_of': 'data'}) }}

with expected (item, vocabulary, acuity, is_rare) as (
    values
    ('G00.9', 'icd10cm', 'critical', false),
    ('I82.0', 'icd10cm', 'critical', false),
    ('D81.9', 'icd10cm', 'critical', false),
    ('Q39.0', 'icd10cm', 'critical', false),
    ('Q41.0', 'icd10cm', 'critical', false),
    ('Q79.0', 'icd10cm', 'critical', false),
    ('D84.1', 'icd10cm', 'severe', false),
    ('P70.2', 'icd10cm', 'severe', false),
    ('Q21.0', 'icd10cm', 'severe', false),
    ('Q66.0', 'icd10cm', 'moderate', false),
    ('Q82.4', 'icd10cm', 'mild', false),
    -- common, though OMIM has it
    ('OMIM:606963', 'disease', 'moderate', false)
),

keys as (
    select item from expected
),

named as (
    select
        item,
        '' as name,
    from expected
),

concepts as (
    select
        item,
        vocabulary,
        item as concept_id,
        true as is_exact,
    from expected
),

{{ severities_by_rules("item", parameter('rare_prevalence')) }},

final as (
    select
        expected.*,
        graded.acuity as acuity_by_rules,
        graded.is_rare as is_rare_by_rules,
    from expected
    left join graded using (item)
    where
        graded.acuity is distinct from expected.acuity
        or graded.is_rare is distinct from expected.is_rare
)

select * from final
