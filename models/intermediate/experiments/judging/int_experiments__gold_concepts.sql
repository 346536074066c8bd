with golds as (
    select * from {{ ref('int_experiments__gold_diagnoses') }}
),

gold_names as (
    select * from {{ ref('int_experiments__gold_names') }}
),

name_concepts as (
    select * from {{ ref('int_experiments__name_concepts') }}
),

-- the ids of a case are its diagnosis, whatever its names mean
concepts as (
    select
        gold_key,
        unnest([gold_concept_id, icd10_code]) as concept_id,
        unnest(['disease', 'icd10cm']) as vocabulary,
        true as is_exact,
        true as is_title,
        true as is_by_name,
    from golds
    union all by name
    select
        gold_names.gold_key,
        name_concepts.* exclude (name, found_by),
        name_concepts.found_by = 'name' as is_by_name,
    from gold_names
    inner join name_concepts on gold_names.gold_name = name_concepts.name
    where not gold_names.is_short_form
),

combined as (
    select
        gold_key,
        concept_id,
        vocabulary,
        bool_or(is_exact) as is_exact,
        bool_or(is_by_name) as is_by_name,
        bool_or(is_title) as is_title,
    from concepts
    where concept_id is not null
    group by all
),

written_names as (
    select
        gold_key,
        {{ american_spelling(normalise_name("unnest(gold_names)")) }} as name,
    from golds
),

-- a short synonym can mean the class above, too, as 'lupus' of the systemic disease. The gold
-- diagnosis is that class only if its case says so
written_classes as (
    select distinct
        written_names.gold_key,
        name_concepts.concept_id,
    from written_names
    inner join name_concepts using (name)
),

classes_above as (
    select distinct
        combined.gold_key,
        ancestors.ancestor_mondo_id as concept_id,
    from combined
    inner join {{ ref('bridge_disease_class_ancestor') }} as ancestors
        on combined.concept_id = ancestors.mondo_id and ancestors.distance > 0
    anti join written_classes
        on
            combined.gold_key = written_classes.gold_key
            and ancestors.ancestor_mondo_id = written_classes.concept_id
    where combined.vocabulary = 'mondo' and combined.is_exact
),

final as (
    select *
    from combined
    anti join classes_above using (gold_key, concept_id)
)

select * from final
