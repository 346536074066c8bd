with expected as (
    select
        types.question_type,
        languages.language,
    from {{ ref('question_types') }} as types
    cross join (values ('en'), ('es')) as languages (language)
),

present as (
    select
        question_type,
        language,
        count(*) as n_questions,
    from {{ ref('question_bank') }}
    group by all
),

missing as (
    select expected.question_type || ' in ' || expected.language as what,
    from expected
    anti join present
        on
            expected.question_type = present.question_type
            and expected.language = present.language
)

select what
from missing
union all
select 'only ' || sum(n_questions) || ' questions' as what
from present
having sum(n_questions) < 60
