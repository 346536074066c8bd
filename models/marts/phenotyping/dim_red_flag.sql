with flags as (
    select
        *,
        coalesce(words, with_hpo_ids, below_years::varchar) is not null as is_picture,
    from {{ ref('hpo_red_flags') }}
),

-- a sign has no term, and nothing lies below it
signs as (
    select
        sign as hpo_id,
        sign as ancestor_hpo_id,
        0 as distance,
        min(label) as hpo_name,
    from {{ ref('clinical_signs') }}
    group by all
),

ancestors as (
    select
        hpo_id,
        ancestor_hpo_id,
        distance,
    from {{ ref('bridge_hpo_ancestor') }}
    union all
    select
        hpo_id,
        ancestor_hpo_id,
        distance,
    from signs
),

terms as (
    select
        hpo_id,
        hpo_name,
    from {{ ref('dim_hpo_term') }}
    union all
    select
        hpo_id,
        hpo_name,
    from signs
),

wanted as (
    select
        hpo_id,
        flag_name,
        'first' as company,
        unnest(string_split(with_hpo_ids, ';')) as with_hpo_id,
    from flags
    where with_hpo_ids is not null
    union all
    select
        hpo_id,
        flag_name,
        'second' as company,
        unnest(string_split(also_with_hpo_ids, ';')) as with_hpo_id,
    from flags
    where also_with_hpo_ids is not null
    union all
    select
        hpo_id,
        flag_name,
        'none' as company,
        unnest(string_split(without_hpo_ids, ';')) as with_hpo_id,
    from flags
    where without_hpo_ids is not null
),

-- whatever lies below a finding that is wanted beside another is one
beside as (
    select
        wanted.hpo_id,
        wanted.flag_name,
        list(distinct ancestors.hpo_id order by ancestors.hpo_id) filter (
            where wanted.company = 'first'
        ) as with_hpo_ids,
        list(distinct ancestors.hpo_id order by ancestors.hpo_id) filter (
            where wanted.company = 'second'
        ) as also_with_hpo_ids,
        list(distinct ancestors.hpo_id order by ancestors.hpo_id) filter (
            where wanted.company = 'none'
        ) as without_hpo_ids,
    from wanted
    inner join ancestors on wanted.with_hpo_id = ancestors.ancestor_hpo_id
    group by all
),

-- A term below two flags takes the more severe one, then the nearer; each picture beside it, for
-- that asks for more than the term.
final as (
    select
        ancestors.hpo_id,
        terms.hpo_name,
        flags.hpo_id as flag_hpo_id,
        flags.flag_name,
        flags.severity,
        flags.words,
        beside.with_hpo_ids,
        beside.also_with_hpo_ids,
        beside.without_hpo_ids,
        flags.reason,
        flags.source,
        flags.below_years,
        flags.is_event,
        flags.is_picture,
    from flags
    inner join ancestors on flags.hpo_id = ancestors.ancestor_hpo_id
    inner join terms on ancestors.hpo_id = terms.hpo_id
    left join beside on flags.hpo_id = beside.hpo_id and flags.flag_name = beside.flag_name
    qualify
        row_number() over (
            partition by ancestors.hpo_id, if(flags.is_picture, flags.flag_name, null)
            order by (flags.severity = 'URGENT') desc, ancestors.distance asc, flags.hpo_id asc
        ) = 1
)

select * from final
