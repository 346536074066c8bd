{#- The imported mappings between ids of OMIM, ORPHA and DECIPHER, in both directions. -#}
{%- set vocabularies = "('OMIM', 'ORPHA', 'DECIPHER')" -%}
with mappings as (
    select *
    from {{ ref('stg_import__disease_mapping') }}
    where object_vocabulary in {{ vocabularies }} and subject_vocabulary != object_vocabulary
),

direct as (
    select
        subject_id as source_disease_id,
        object_id as other_disease_id,
        relation,
        source,
    from mappings
    where subject_vocabulary in {{ vocabularies }}
),

-- a concept of another vocabulary (MONDO) may lie between: two ids that both match it exactly match
-- each other, unless it has several ids of one vocabulary
through_a_concept as (
    select *
    from mappings
    where subject_vocabulary not in {{ vocabularies }} and relation = 'exact'
    qualify
        count(distinct object_id) over (partition by subject_id, object_vocabulary) = 1
),

derived as (
    select
        here.object_id as source_disease_id,
        there.object_id as other_disease_id,
        'exact' as relation,
        here.source,
    from through_a_concept as here
    inner join through_a_concept as there
        on
            here.subject_id = there.subject_id
            and here.source = there.source
            and here.object_vocabulary < there.object_vocabulary
),

one_way as (
    select * from direct
    union all by name
    select * from derived
),

both_ways as (
    select * from one_way
    union all by name
    select
        other_disease_id as source_disease_id,
        source_disease_id as other_disease_id,
        case relation
            when 'broader' then 'narrower'
            when 'narrower' then 'broader'
            else relation
        end as relation,
        source,
    from one_way
),

final as (
    select
        source_disease_id,
        other_disease_id,
        split_part(source_disease_id, ':', 1) as source_vocabulary,
        split_part(other_disease_id, ':', 1) as other_vocabulary,
        list_sort(list(distinct relation)) as relations,
        case
            when not list_has_any(relations, ['exact', 'broader', 'narrower', 'different'])
                then 'undecided'
            when not list_has_any(relations, ['broader', 'narrower', 'different']) then 'exact'
            when list_contains(relations, 'exact') then 'contradictory'
            when list_contains(relations, 'different') then 'different'
            else 'overlapping'
        end as verdict,
        list_sort(list(distinct source)) as sources,
    from both_ways
    group by source_disease_id, other_disease_id
)

select * from final
