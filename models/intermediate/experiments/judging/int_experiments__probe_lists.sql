with ranked as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        diagnosis,
        diagnosis_normalised,
    from {{ ref('int_experiments__ranked_diagnoses') }}
    where is_scored
),

probes as (
    select * from {{ ref('stg_registry__judge_probe') }}
),

-- in an order that is the same in every build and has nothing to do with the lists; not every list
-- holds what a probe changes, so there are more candidates than places
lists as (
    select distinct
        configuration_id,
        case_id,
        md5(configuration_id || ' ' || case_id) as draw,
    from ranked
),

candidates as (
    select
        configuration_id,
        case_id,
        draw,
    from lists
    qualify row_number() over (order by draw) <= 25 * {{ parameter('probe_lists') }}
),

items as (
    select
        ranked.configuration_id,
        ranked.case_id,
        candidates.draw,
        ranked.diagnosis_rank,
        ranked.diagnosis,
        ranked.diagnosis_normalised,
        count(*) over (partition by ranked.configuration_id, ranked.case_id) as n_ranks,
    from ranked
    inner join candidates
        on
            ranked.configuration_id = candidates.configuration_id
            and ranked.case_id = candidates.case_id
),

aliases as (
    select
        alias_normalised,
        alias,
        concept_id,
        vocabulary,
        language,
    from {{ ref('dim_concept_alias') }}
    where vocabulary in ('disease', 'icd10cm') and scope in ('preferred', 'exact')
),

-- a name that is a name of one concept only in its vocabulary
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

rerun as (
    select
        'rerun' as probe,
        configuration_id,
        case_id,
        draw,
        diagnosis_rank as original_rank,
        diagnosis_rank as position,
        diagnosis,
        false as is_changed,
    from items
),

-- a list of one has no order
reversed as (
    select
        'reversed' as probe,
        configuration_id,
        case_id,
        draw,
        diagnosis_rank as original_rank,
        -diagnosis_rank as position,
        diagnosis,
        true as is_changed,
    from items
    where n_ranks > 1
),

renamed as (
    select
        probes.probe,
        items.configuration_id,
        items.case_id,
        items.draw,
        items.diagnosis_rank as original_rank,
        items.diagnosis_rank as position,
        coalesce(other_names.alias, items.diagnosis) as diagnosis,
        other_names.alias is not null as is_changed,
    from items
    inner join probes on probes.probe in ('synonyms', 'language')
    left join other_names
        on
            items.diagnosis_normalised = other_names.alias_normalised
            and probes.probe = other_names.probe
),

padding as (
    select
        probe,
        unnest(padding) as diagnosis,
        unnest(range(len(padding))) as place,
    from probes
    where probe = 'padded'
),

padded as (
    select
        'padded' as probe,
        configuration_id,
        case_id,
        draw,
        diagnosis_rank as original_rank,
        diagnosis_rank as position,
        diagnosis,
        false as is_changed,
    from items
    union all
    select
        padding.probe,
        candidates.configuration_id,
        candidates.case_id,
        candidates.draw,
        null as original_rank,
        100 + padding.place as position,
        padding.diagnosis,
        true as is_changed,
    from candidates
    cross join padding
),

gold_ranks as (
    select distinct
        items.configuration_id,
        items.case_id,
        items.diagnosis_rank,
    from items
    inner join {{ ref('int_experiments__case_golds') }} as golds on items.case_id = golds.case_id
    inner join {{ ref('int_experiments__gold_names') }} as gold_names
        on
            golds.gold_key = gold_names.gold_key
            and items.diagnosis_normalised = gold_names.gold_name
),

lists_with_gold as (
    select distinct
        configuration_id,
        case_id,
    from gold_ranks
),

gold_absent as (
    select
        'gold_absent' as probe,
        items.configuration_id,
        items.case_id,
        items.draw,
        items.diagnosis_rank as original_rank,
        items.diagnosis_rank as position,
        items.diagnosis,
        true as is_changed,
    from items
    semi join lists_with_gold
        on
            items.configuration_id = lists_with_gold.configuration_id
            and items.case_id = lists_with_gold.case_id
    anti join gold_ranks using (configuration_id, case_id, diagnosis_rank)
),

everything as (
    {% for probe in ["rerun", "reversed", "renamed", "padded", "gold_absent"] %}
        select
            probe,
            configuration_id,
            case_id,
            draw,
            original_rank,
            position,
            diagnosis,
            {{ normalise_name("diagnosis") }} as diagnosis_normalised,
            is_changed,
        from {{ probe }}
        {% if not loop.last %} union all {% endif %}
    {% endfor %}
),

-- a new name may be one that is in the list already
distinct_names as (
    select
        probe,
        configuration_id,
        case_id,
        draw,
        original_rank,
        position,
        diagnosis,
        diagnosis_normalised,
        is_changed,
    from everything
    qualify
        row_number() over (
            partition by probe, configuration_id, case_id, diagnosis_normalised
            order by is_changed, position
        ) = 1
),

chosen as (
    select
        probe,
        configuration_id,
        case_id,
    from distinct_names
    group by probe, configuration_id, case_id, draw
    having bool_or(is_changed) or probe = 'rerun'
    qualify
        row_number() over (partition by probe order by draw) <= {{ parameter('probe_lists') }}
),

final as (
    select
        items.probe,
        items.configuration_id,
        items.case_id,
        -- asked again, a list keeps its ranks, gaps and all; what is changed is a list of its own
        if(
            items.probe = 'rerun',
            items.original_rank,
            row_number() over (
                partition by items.probe, items.configuration_id, items.case_id
                order by items.position
            )
        )::integer as diagnosis_rank,
        items.original_rank::integer as original_rank,
        items.diagnosis,
        items.diagnosis_normalised,
    from distinct_names as items
    inner join chosen using (probe, configuration_id, case_id)
)

select * from final
