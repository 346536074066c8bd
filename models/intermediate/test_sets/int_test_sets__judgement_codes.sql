-- How a hospital itself codes a clinician's wording: the code of the encounters with exactly this
-- judgement, if four in five agree. A wording without the side (OMA, right or left) agrees only on
-- the category.
with codes as (
    select *
    from {{ ref('dim_icd10_code') }}
    where kind not in ('chapter', 'block')
),

coded as (
    select
        records.test_set,
        {{ normalise_name("records.judgement") }} as judgement_normalised,
        codes.code,
        codes.category_code,
    from {{ ref('int_test_sets__records') }} as records
    inner join codes on {{ clean_icd10_code("records.icd10_code") }} = codes.code
    where records.judgement is not null
),

counted as (
    select
        test_set,
        judgement_normalised,
        code,
        category_code,
        count(*) as n_code,
        sum(count(*)) over (partition by test_set, judgement_normalised, category_code)
            as n_category,
        sum(count(*)) over (partition by test_set, judgement_normalised) as n_text,
    from coded
    group by test_set, judgement_normalised, code, category_code
),

final as (
    select
        test_set,
        judgement_normalised,
        case when n_code >= 0.8 * n_text then code else category_code end as icd10_code,
        category_code,
        n_text::integer as n_encounters,
    from counted
    where n_text >= 4 and n_category >= 0.8 * n_text
    qualify
        row_number() over (
            partition by test_set, judgement_normalised order by n_code desc, code asc
        ) = 1
)

select * from final
