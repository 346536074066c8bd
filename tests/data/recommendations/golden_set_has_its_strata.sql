with wanted (stratum, n_wanted) as (
    values
    ('pneumonia', 15), ('chf', 15), ('copd', 15), ('pe', 15), ('mi', 15), ('multi_system', 15),
    ('adversarial', 10)
),

present as (
    select
        stratum,
        count(*) as n_cases,
    from {{ ref('dim_golden_case') }}
    group by all
)

select
    wanted.stratum,
    wanted.n_wanted,
    present.n_cases,
from wanted
left join present on wanted.stratum = present.stratum
where coalesce(present.n_cases, 0) < wanted.n_wanted
