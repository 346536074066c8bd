{#-
  The CTEs that end in `current_terms`: for each HPO id that leads to a term in use, that term
  (`current_hpo_id`). Begin them with `with recursive`: an id may lead to another in several steps,
  as an alternative of a term that was replaced. An obsolete term without a successor has no row.
-#}
{% macro current_hpo_terms() -%}
terms as (
    select * from {{ ref('hpo_term') }}
),

alternatives as (
    select * from {{ ref('hpo_alt_id') }}
),

-- an id can be the alternative of one term and an obsolete term itself: its own record wins
successors as (
    select
        id as hpo_id,
        replaced_by as next_hpo_id,
    from terms
    where is_obsolete and replaced_by is not null
    union all
    select
        alternatives.alt_id as hpo_id,
        alternatives.id as next_hpo_id,
    from alternatives
    anti join terms on alternatives.alt_id = terms.id
),

hpo_ids as (
    select id as hpo_id from terms
    union
    select hpo_id from successors
),

-- at most five steps, so that two terms that replace each other do not loop
walks as (
    select
        hpo_id,
        hpo_id as reached_hpo_id,
        0 as step,
    from hpo_ids
    union all
    select
        walks.hpo_id,
        successors.next_hpo_id as reached_hpo_id,
        walks.step + 1 as step,
    from walks
    inner join successors on walks.reached_hpo_id = successors.hpo_id
    where walks.step < 5
),

current_terms as (
    select
        walks.hpo_id,
        walks.reached_hpo_id as current_hpo_id,
    from walks
    inner join terms on walks.reached_hpo_id = terms.id and not terms.is_obsolete
    qualify row_number() over (partition by walks.hpo_id order by walks.step, current_hpo_id) = 1
)
{%- endmacro %}
