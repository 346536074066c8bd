-- The lists of every system, and the changed lists of the judge_probes seed, whose changes should
-- not matter to a fair judge.
with ranked as (
    select * from {{ ref('int_experiments__ranked_diagnoses') }}
),

probes as (
    select * from {{ ref('judge_probes') }}
),

aliases as (
    select * from {{ ref('dim_concept_alias') }}
    where vocabulary in ('disease', 'icd10cm') and scope in ('preferred', 'exact')
),

-- drawn in an order that is the same in every build and independent of the lists; not every probe
-- applies to every list, so there are more candidates than places
candidates as (
    select
        configuration_id,
        case_id,
        md5(configuration_id || ' ' || case_id) as draw,
    from ranked
    where is_judged
    group by configuration_id, case_id
    qualify row_number() over (order by draw) <= 25 * {{ parameter('probe_lists') }}
),

items as (
    select
        candidates.*,
        ranked.diagnosis_rank as original_rank,
        ranked.diagnosis,
        ranked.diagnosis_normalised,
        count(*) over (partition by candidates.draw) as n_ranks,
    from ranked
    inner join candidates using (configuration_id, case_id)
    where ranked.is_judged
),

-- a name that names one concept only in its vocabulary
named as (
    select
        aliases.alias_normalised,
        aliases.vocabulary,
        min(aliases.concept_id) as concept_id,
        min(aliases.language) as language,
    from aliases
    semi join items on aliases.alias_normalised = items.diagnosis_normalised
    group by all
    having count(distinct aliases.concept_id) = 1
),

other_names as (
    select
        named.alias_normalised,
        aliases.alias,
        if(aliases.language = named.language, 'synonyms', 'language') as probe,
    from named
    inner join aliases
        on
            named.concept_id = aliases.concept_id
            and named.alias_normalised != aliases.alias_normalised
    qualify
        row_number() over (
            partition by named.alias_normalised, probe order by md5(aliases.alias), aliases.alias
        ) = 1
),

padding as (
    select
        probe,
        unnest(string_split(padding, ';')) as diagnosis,
        unnest(range(len(string_split(padding, ';')))) as place,
    from probes
    where probe = 'padded'
),

gold_ranks as (
    select
        items.draw,
        list(items.original_rank) as ranks,
    from items
    inner join {{ ref('int_experiments__case_golds') }} as golds using (case_id)
    inner join {{ ref('int_experiments__gold_names') }} as gold_names
        on
            golds.gold_key = gold_names.gold_key
            and items.diagnosis_normalised = gold_names.gold_name
    group by all
),

probe_items as (
    select
        *,
        'rerun' as probe,
        original_rank as position,
        false as is_changed,
    from items
    union all by name
    -- a list of one has no order to change to change
    select
        *,
        'reversed' as probe,
        -original_rank as position,
        true as is_changed,
    from items
    where n_ranks > 1
    union all by name
    select
        items.* replace (coalesce(other_names.alias, items.diagnosis) as diagnosis),
        probes.probe,
        items.original_rank as position,
        other_names.alias is not null as is_changed,
    from items
    inner join probes on probes.probe in ('synonyms', 'language')
    left join other_names
        on
            items.diagnosis_normalised = other_names.alias_normalised
            and probes.probe = other_names.probe
    union all by name
    select
        *,
        'padded' as probe,
        original_rank as position,
        false as is_changed,
    from items
    union all by name
    select
        candidates.*,
        padding.probe,
        padding.diagnosis,
        100 + padding.place as position,
        true as is_changed,
    from candidates
    cross join padding
    union all by name
    select
        items.*,
        'gold_absent' as probe,
        items.original_rank as position,
        true as is_changed,
    from items
    inner join gold_ranks using (draw)
    where not list_contains(gold_ranks.ranks, items.original_rank)
),

-- a new name may already be in the list
distinct_items as (
    select * replace ({{ normalise_name("diagnosis") }} as diagnosis_normalised),
    from probe_items
    qualify
        row_number() over (
            partition by probe, draw, {{ normalise_name("diagnosis") }}
            order by is_changed, position
        ) = 1
),

probe_lists as (
    select
        probe,
        draw,
    from distinct_items
    group by probe, draw
    having bool_or(is_changed) or probe = 'rerun'
    qualify
        row_number() over (partition by probe order by draw) <= {{ parameter('probe_lists') }}
),

lists as (
    select
        *,
        'none' as probe,
        null as original_rank,
    from ranked
    union all by name
    select
        items.*,
        -- a list that is judged again keeps its ranks and gaps; a changed list has ranks of its own
        if(
            items.probe = 'rerun',
            items.original_rank,
            row_number() over (partition by items.probe, items.draw order by items.position)
        ) as diagnosis_rank,
        true as is_judged,
    from distinct_items as items
    inner join probe_lists using (probe, draw)
),

final as (
    select
        probe,
        configuration_id,
        case_id,
        diagnosis_rank::integer as diagnosis_rank,
        original_rank::integer as original_rank,
        diagnosis,
        diagnosis_normalised,
        is_judged,
    from lists
)

select * from final
