-- How many codes the April 2026 release of ICD-10-CM has, by the official list of codes: 22
-- chapters, 297 blocks and 98,186 codes. Other releases have other totals, checked where they are
-- read.
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
