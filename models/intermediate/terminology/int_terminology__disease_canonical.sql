with recursive names as (
    select
        source_disease_id,
        source_vocabulary,
        disease_name_normalised,
        {{ name_words("disease_name_normalised") }} as name_words,
    from {{ ref('int_terminology__disease_name') }}
    where not is_abbreviation
),

diseases as (
    select
        source_disease_id,
        source_vocabulary,
        case source_vocabulary when 'OMIM' then 1 when 'ORPHA' then 2 else 3 end as priority,
        split_part(source_disease_id, ':', 2)::bigint as number,
    from names
    group by all
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

-- two numbers of one vocabulary are two diseases, whatever they are called: a name they share says
-- nothing about which of them another vocabulary means
telling_keys as (
    select
        source_disease_id,
        source_vocabulary,
        evidence,
        key,
    from keys
    qualify
        count(*) over (partition by evidence, key, source_vocabulary) = 1
),

-- every further kind of evidence, an official cross-reference say, is one more branch here
links as (
    select
        here.source_disease_id,
        there.source_disease_id as other_disease_id,
        min(here.evidence) as evidence,
    from telling_keys as here
    inner join telling_keys as there
        on
            here.evidence = there.evidence
            and here.key = there.key
            and here.source_vocabulary != there.source_vocabulary
    group by all
),

-- what is linked to what, over any number of links
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
