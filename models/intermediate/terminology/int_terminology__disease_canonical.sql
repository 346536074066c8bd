-- Which ids of OMIM, ORPHA and DECIPHER are one disease, in three steps: what links two ids (an
-- imported cross-reference before a shared name), which of the links are sound, and which ids they
-- connect.
with recursive names as (
    select
        *,
        {{ name_words("disease_name_normalised") }} as name_words,
    from {{ ref('int_terminology__disease_name') }}
    where not is_abbreviation
),

relations as (
    select * from {{ ref('int_terminology__disease_relation') }}
),

keys as (
    select
        source_disease_id,
        source_vocabulary,
        'same name' as evidence,
        disease_name_normalised as key,
    from names
    union
    select
        source_disease_id,
        source_vocabulary,
        'same words' as evidence,
        name_words as key,
    from names
),

-- two numbers of one vocabulary are two diseases, whatever their names: a shared name does not tell
-- which of them another vocabulary means
telling_keys as (
    select *
    from keys
    qualify count(*) over (partition by evidence, key, source_vocabulary) = 1
),

name_links as (
    select
        here.source_disease_id,
        there.source_disease_id as other_disease_id,
        here.source_vocabulary,
        there.source_vocabulary as other_vocabulary,
        min(here.evidence) as evidence,
    from telling_keys as here
    inner join telling_keys as there
        on
            here.evidence = there.evidence
            and here.key = there.key
            and here.source_vocabulary != there.source_vocabulary
    group by all
),

-- namesakes that a mapping calls broader and narrower are what people mean by that name (ORPHA's
-- Marfan syndrome has a second type; OMIM's is the first): they take precedence over the exact
-- subtype
related_namesakes as (
    select name_links.*
    from name_links
    semi join relations
        on
            name_links.source_disease_id = relations.source_disease_id
            and name_links.other_disease_id = relations.other_disease_id
            and relations.verdict in ('overlapping', 'contradictory')
    where name_links.evidence = 'same name'
),

exact_relations as (
    select *
    from relations
    where verdict = 'exact'
    qualify
        count(*) over (partition by source_disease_id, other_vocabulary) = 1
        and count(*) over (partition by other_disease_id, source_vocabulary) = 1
),

-- an imported cross-reference joins when it is exact, one to one, and contradicted by no other
cross_references as (
    select
        exact_relations.source_disease_id,
        exact_relations.other_disease_id,
        exact_relations.source_vocabulary,
        exact_relations.other_vocabulary,
        'cross-reference' as evidence,
    from exact_relations
    anti join related_namesakes as here
        on
            exact_relations.source_disease_id = here.source_disease_id
            and exact_relations.other_vocabulary = here.other_vocabulary
    anti join related_namesakes as there
        on
            exact_relations.other_disease_id = there.source_disease_id
            and exact_relations.source_vocabulary = there.other_vocabulary
),

-- a cross-reference to one id of a vocabulary takes precedence over a name shared with another; a
-- link that a mapping rejects is wrong, whatever the names
sound_name_links as (
    select name_links.*
    from name_links
    anti join relations
        on
            name_links.source_disease_id = relations.source_disease_id
            and name_links.other_disease_id = relations.other_disease_id
            and relations.verdict = 'different'
    anti join cross_references as here
        on
            name_links.source_disease_id = here.source_disease_id
            and name_links.other_vocabulary = here.other_vocabulary
    anti join cross_references as there
        on
            name_links.other_disease_id = there.source_disease_id
            and name_links.source_vocabulary = there.other_vocabulary
),

-- an id without a name of its own is known when it is the same disease as one that has a name
ids as (
    select
        source_disease_id,
        source_vocabulary,
    from names
    union
    select
        cross_references.other_disease_id as source_disease_id,
        cross_references.other_vocabulary as source_vocabulary,
    from cross_references
    semi join names on cross_references.source_disease_id = names.source_disease_id
),

diseases as (
    select
        *,
        case source_vocabulary when 'OMIM' then 1 when 'ORPHA' then 2 else 3 end as priority,
        try_cast(split_part(source_disease_id, ':', 2) as bigint) as number,
    from ids
),

-- every further kind of evidence is one more branch here
all_links as (
    select cross_references.*
    from cross_references
    semi join diseases on cross_references.source_disease_id = diseases.source_disease_id
    semi join diseases as others on cross_references.other_disease_id = others.source_disease_id
    union all by name
    select * from sound_name_links
),

-- the ids connected over any number of links
hanging_together as (
    select
        source_disease_id,
        source_disease_id as reached_disease_id,
    from diseases
    union
    select
        hanging_together.source_disease_id,
        all_links.other_disease_id as reached_disease_id,
    from hanging_together
    inner join all_links on hanging_together.reached_disease_id = all_links.source_disease_id
),

-- two ids of one vocabulary are connected only by mistake; then no name counts
mistaken as (
    select hanging_together.source_disease_id,
    from hanging_together
    inner join diseases on hanging_together.reached_disease_id = diseases.source_disease_id
    group by hanging_together.source_disease_id, diseases.source_vocabulary
    having count(*) > 1
),

links as (
    select *
    from all_links
    where
        evidence = 'cross-reference'
        or source_disease_id not in (select source_disease_id from mistaken)
),

-- the same walk once more, over the remaining links
reached as (
    select
        source_disease_id,
        source_disease_id as reached_disease_id,
    from diseases
    union
    select
        reached.source_disease_id,
        links.other_disease_id as reached_disease_id,
    from reached
    inner join links on reached.reached_disease_id = links.source_disease_id
),

representatives as (
    select
        reached.source_disease_id,
        reached.reached_disease_id as disease_id,
    from reached
    inner join diseases on reached.reached_disease_id = diseases.source_disease_id
    qualify
        row_number() over (
            partition by reached.source_disease_id
            order by diseases.priority, diseases.number
        ) = 1
),

final as (
    select
        diseases.source_disease_id,
        representatives.disease_id,
        diseases.source_vocabulary,
        case
            when diseases.source_disease_id = representatives.disease_id then 'own id'
            else coalesce(links.evidence, 'several links')
        end as evidence,
    from diseases
    inner join representatives on diseases.source_disease_id = representatives.source_disease_id
    left join links
        on
            diseases.source_disease_id = links.source_disease_id
            and representatives.disease_id = links.other_disease_id
)

select * from final
