{{ config(severity='warn', meta={'holds_of': 'data'}) }}

with cases as (
    select
        cases.case_id,
        cases.icd10_category_code,
        cases.gold_diagnosis,
        cases.gold_code_source,
        cases.narrative,
        quality.is_leaking,
        quality.is_exact_duplicate,
    from {{ ref('dim_case') }} as cases
    inner join {{ ref('fct_case_quality') }} as quality on cases.case_id = quality.case_id
    where cases.test_set = 'synthetic_urg_all'
),

diagnoses as (
    select count(distinct code_template) as n_diagnoses,
    from {{ ref('int_test_sets__emergency_draw') }}
),

shares as (
    select
        avg(is_leaking::integer) as leaking,
        avg(is_exact_duplicate::integer) as copies,
        avg(regexp_matches(lower(narrative), '\b(no|niega|sin) ')::integer) as negated,
        avg((not contains(narrative, 'Temperatura: '))::integer) as without_temperature,
        avg((gold_diagnosis like 'Comorbid diagnosis: %')::integer) as comorbid,
        avg((gold_code_source = 'judgement')::integer) as code_missing,
        avg((gold_code_source = 'judgement against typed')::integer) as code_wrong,
        avg((gold_code_source = 'none')::integer) as code_unknown,
    from cases
),

checks as (
    select
        unnest([
            { what: 'diagnoses', holds: diagnoses.n_diagnoses >= 120 },
            { what: 'leaking', holds: shares.leaking between 0.002 and 0.05 },
            { what: 'copies', holds: shares.copies < 0.01 },
            { what: 'negated findings', holds: shares.negated > 0.6 },
            { what: 'missing vitals', holds: shares.without_temperature between 0.1 and 0.7 },
            { what: 'comorbidity', holds: shares.comorbid between 0.01 and 0.15 },
            { what: 'missing codes', holds: shares.code_missing between 0.01 and 0.05 },
            { what: 'wrong codes', holds: shares.code_wrong between 0.002 and 0.03 },
            { what: 'unknown golds', holds: shares.code_unknown < 0.01 }
        ]) as outcome,
    from shares
    cross join diagnoses
),

final as (
    select outcome.what as what_fails
    from checks
    where not outcome.holds
)

select * from final
