with flags as (
    select * from {{ ref('hpo_red_flags') }}
),

ancestors as (
    select * from {{ ref('bridge_hpo_ancestor') }}
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

-- a term below two flags takes the more severe one, then the nearer
final as (
    select
        ancestors.hpo_id,
        terms.hpo_name,
        flags.hpo_id as flag_hpo_id,
        flag_terms.hpo_name as flag_name,
        flags.severity,
        flags.words,
        flags.reason,
        flags.source,
        flags.is_event,
    from flags
    inner join ancestors on flags.hpo_id = ancestors.ancestor_hpo_id
    inner join terms on ancestors.hpo_id = terms.hpo_id
    inner join terms as flag_terms on flags.hpo_id = flag_terms.hpo_id
    qualify
        row_number() over (
            partition by ancestors.hpo_id
            order by (flags.severity = 'URGENT') desc, ancestors.distance asc, flags.hpo_id asc
        ) = 1
)

select * from final
