with codes as (
    select
        code,
        parent_code,
        kind,
        depth,
        is_billable,
    from {{ ref('dim_icd10_code') }}
),

listed_codes as (
    select * from {{ ref('icd10cm_code') }}
    union all by name
    select * from {{ ref('icd10cm_extension_code') }}
),

lost as (
    select
        listed_codes.code,
        'below no chapter' as problem,
    from listed_codes
    anti join codes on listed_codes.code = codes.code
),

misplaced as (
    select
        codes.code,
        'not one step below its parent' as problem,
    from codes
    left join codes as parents on codes.parent_code = parents.code
    where codes.depth > 0 and codes.depth is distinct from parents.depth + 1
),

misflagged as (
    select
        codes.code,
        'billable against what is below it' as problem,
    from codes
    left join codes as children on codes.code = children.parent_code
    group by codes.code, codes.kind, codes.is_billable
    having
        codes.is_billable
        != (count(children.code) = 0 and codes.kind not in ('chapter', 'block'))
),

chapters as (
    select
        count(*)::varchar as code,
        'chapters, where 22 are expected' as problem,
    from codes
    where kind = 'chapter'
    having count(*) != 22
),

final as (
    select * from lost
    union all
    select * from misplaced
    union all
    select * from misflagged
    union all
    select * from chapters
)

select * from final
