with totals as (
    select
        release,
        count(*) filter (where kind = 'chapter') as n_chapters,
        count(*) filter (where kind = 'block') as n_blocks,
        count(*) filter (where kind not in ('chapter', 'block')) as n_codes,
    from {{ ref('dim_icd10_code') }}
    group by all
),

final as (
    select
        release,
        n_chapters,
        n_blocks,
        n_codes,
    from totals
    where release = '2026-04-01' and (n_chapters, n_blocks, n_codes) != (22, 297, 98186)
)

select * from final
