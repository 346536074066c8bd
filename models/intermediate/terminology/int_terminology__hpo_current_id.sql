{#- An id may lead to another in several steps: an alternative of a term that was replaced. -#}
with recursive terms as (
    select
        hpo_id,
        replaced_by_hpo_id,
        is_obsolete,
    from {{ ref('stg_hpo__term') }}
),

alternatives as (
    select * from {{ ref('stg_hpo__alt_id') }}
),

-- an id can be the alternative of one term and an obsolete term itself: its own record wins
successors as (
    select
        hpo_id,
        replaced_by_hpo_id as next_hpo_id,
    from terms
    where is_obsolete and replaced_by_hpo_id is not null
    union all
    select
        alternatives.alt_hpo_id as hpo_id,
        alternatives.hpo_id as next_hpo_id,
    from alternatives
    anti join terms on alternatives.alt_hpo_id = terms.hpo_id
),

ids as (
    select hpo_id, from terms
    union
    select hpo_id, from successors
),

-- at most five steps, so that two terms that replace each other do not go round for ever
walks as (
    select
        hpo_id,
        hpo_id as reached_hpo_id,
        0 as step,
    from ids
    union all
    select
        walks.hpo_id,
        successors.next_hpo_id as reached_hpo_id,
        walks.step + 1 as step,
    from walks
    inner join successors on walks.reached_hpo_id = successors.hpo_id
    where walks.step < 5
),

final as (
    select
        walks.hpo_id,
        walks.reached_hpo_id as current_hpo_id,
    from walks
    inner join terms on walks.reached_hpo_id = terms.hpo_id and not terms.is_obsolete
    qualify row_number() over (partition by walks.hpo_id order by walks.step, current_hpo_id) = 1
)

select * from final
