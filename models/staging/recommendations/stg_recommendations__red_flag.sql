with source as (
    select
        red_flag,
        label,
        present_when,
        trigger_phrases,
        accepted_actions,
        instruction,
        documents,
        source,
    from {{ ref('red_flags') }}
)

select * from source
