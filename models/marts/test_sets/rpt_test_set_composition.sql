with cases as (
    select * from {{ ref('dim_case') }}
),

members as (
    select
        members.test_set,
        count(*) over (partition by members.test_set) as n_in_set,
        -- a missing value is a value of its own, so that every dimension adds up to 100 %
        unnest([
            {
                dimension: 'chapter',
                value: coalesce(cases.icd10_chapter_code, 'no code'),
                title: cases.icd10_chapter_title
            },
            {
                dimension: 'block',
                value: coalesce(cases.icd10_block_code, 'no code'),
                title: cases.icd10_block_title
            },
            {
                dimension: 'category',
                value: coalesce(cases.icd10_category_code, 'no code'),
                title: cases.icd10_category_title
            },
            { dimension: 'sex', value: cases.sex, title: null },
            { dimension: 'age_band', value: cases.age_band, title: null },
            {
                dimension: 'severity',
                value: coalesce(cases.gold_severity, 'not known'),
                title: null
            }
        ]) as place,
    from {{ ref('bridge_test_set_case') }} as members
    inner join cases on members.case_id = cases.case_id
),

final as (
    select
        test_set,
        place.dimension,
        place.value,
        any_value(place.title) as title,
        count(*)::integer as n_cases,
        round(100.0 * count(*) / any_value(n_in_set), 3) as percent,
    from members
    group by test_set, place.dimension, place.value
)

select * from final
