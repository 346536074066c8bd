-- An example is of emergencies that have a red flag and of pictures that have a test.
with notes as (
    select * from {{ ref('example_notes') }}
),

urgent_flags as (
    select * from {{ ref('hpo_red_flags') }}
    where severity = 'URGENT'
),

emergencies as (
    select
        note,
        unnest(string_split(emergency, ';')) as emergency,
    from notes
    where emergency is not null
)

select
    note,
    emergency as unknown,
from emergencies
where emergency not in (select flag_name from urgent_flags)
union all
select
    note,
    picture as unknown,
from notes
where picture is not null and picture not in (select picture from {{ ref('picture_tests') }})
union all
select
    note,
    status as unknown,
from notes
where
    (status = 'can_wait') != (picture is not null)
    or (emergency is not null and rules_tell and status != 'now')
