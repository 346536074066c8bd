with in_language as (
    select name_normalised
    from {{ ref('int_phenotyping__names') }}
    group by name_normalised, language
    having count(*) filter (where is_meant) != 1
),

anywhere as (
    select name_normalised
    from {{ ref('int_phenotyping__names') }}
    group by name_normalised
    having count(*) filter (where is_looked_up) != 1
)

select name_normalised
from in_language
union all
select name_normalised
from anywhere
