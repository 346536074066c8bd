with keys as (
    select * from {{ ref('int_experiments__reading_keys') }}
),

named as (
    select
        reading_key,
        reading as name,
    from {{ ref('int_experiments__diagnosis_readings') }}
),

concepts as (
    select * from {{ ref('int_experiments__diagnosis_concepts') }}
),

{{ severities_by_rules("reading_key", parameter('rare_prevalence')) }}

select * from graded
