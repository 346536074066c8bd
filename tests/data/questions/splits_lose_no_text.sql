with compared as (
    select
        question_id,
        regexp_replace(question_text, '[\s¶\x{a0}]', '', 'g') as whole,
        regexp_replace(
            concat(vignette, question_stem), '[\s¶\x{a0}]', '', 'g'
        ) as parts,
    from {{ ref('dim_question') }}
)

select
    question_id,
    whole,
    parts,
from compared
where whole != parts
