with source as (
    select
        probe,
        cast(probe_order as integer) as probe_order,
        string_split(padding, ';') as padding,
        description,
        a_fair_judge,
    from {{ ref('judge_probes') }}
)

select * from source
