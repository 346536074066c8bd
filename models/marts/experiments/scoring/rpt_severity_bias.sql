-- a gap above 0 means that the first diagnosis is graver than the gold one
with errors as (
    select
        *,
        unnest(['all', coalesce(icd10_chapter_code, 'no code')]) as icd10_chapter,
    from {{ ref('fct_case_error') }}
    where is_asked and gold_severity is not null
),

final as (
    select
        configuration_id,
        judge_id,
        icd10_chapter,
        test_set,
        prompt_version,
        terminology_release,
        count(*)::integer as n_cases,
        count(first_severity_gap)::integer as n_compared,
        count(*) filter (where first_severity_gap < 0)::integer as n_underestimated,
        count(*) filter (where first_severity_gap = 0)::integer as n_right,
        count(*) filter (where first_severity_gap > 0)::integer as n_overestimated,
        round(avg(first_severity_gap), 12) as mean_gap,
        count(*) < {{ parameter('small_stratum') }} as is_small,
    from errors
    group by all
)

select * from final
