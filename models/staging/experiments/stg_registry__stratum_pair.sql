with source as (
    select
        first_kind,
        second_kind,
        first_kind || ' by ' || second_kind as pair_kind,
        reason,
    from {{ ref('stratum_pairs') }}
)

select * from source
