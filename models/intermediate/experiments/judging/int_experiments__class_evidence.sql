-- The evidence of Mondo on the two diseases: one class above the other, or a class that contains
-- both.
with pairs as (
    select * from {{ ref('int_experiments__judged_pairs') }}
),

concepts as (
    select * from {{ ref('int_experiments__diagnosis_concepts') }}
),

gold_concepts as (
    select * from {{ ref('int_experiments__gold_concepts') }}
),

readings as (
    select * from {{ ref('int_experiments__diagnosis_readings') }}
),

gold_names as (
    select * from {{ ref('int_experiments__gold_names') }}
),

families as (
    select * from {{ ref('int_experiments__disease_families') }}
    where rule != 'family'
),

shared_classes as (
    select * from {{ ref('int_experiments__shared_classes') }}
),

finding_pairs as (
    select * from {{ ref('int_experiments__finding_pairs') }}
),

tumors as (
    select mondo_id
    from {{ ref('bridge_disease_class_ancestor') }}
    where ancestor_mondo_id = '{{ mondo_neoplasm() }}'
),

class_pairs as (
    select
        pairs.gold_key,
        pairs.reading_key,
        gold_concepts.concept_id as gold_mondo_id,
        concepts.concept_id as mondo_id,
        concepts.is_exact,
        gold_concepts.is_exact as is_gold_exact,
        concepts.is_alternative,
    from pairs
    inner join concepts
        on pairs.reading_key = concepts.reading_key and concepts.vocabulary = 'mondo'
    inner join gold_concepts
        on pairs.gold_key = gold_concepts.gold_key and gold_concepts.vocabulary = 'mondo'
),

-- what this project itself puts above is the illness and no finding: urinary tract infection for
-- pyelonephritis
stated_links as (
    select
        child as gold_mondo_id,
        parent as mondo_id,
        true as is_stated,
    from {{ ref('disease_class_correction') }}
    where correction = 'added'
),

classed_pairs as (
    select
        *,
        information_content >= {{ parameter('class_information_content') }} as is_narrow,
        -- pathologists divide tumors finely, so that even a diagnosis such as lymphoma holds many
        class_id in (select mondo_id from tumors)
        and information_content >= {{ parameter('tumor_information_content') }} as is_tumor,
        (class_id = mondo_id and is_exact) or (class_id = gold_mondo_id and is_gold_exact)
            as is_above,
        if(class_id = mondo_id, finding, symptom) is not null and is_stated is null as is_finding,
    from class_pairs
    inner join shared_classes using (mondo_id, gold_mondo_id)
    left join finding_pairs using (gold_key, reading_key)
    left join stated_links using (mondo_id, gold_mondo_id)
),

-- the width of a large family comes from the disease_families seed, not from Mondo
family_readings as (
    select reading_key from readings
    semi join families on readings.reading = families.name
),

family_golds as (
    select gold_key from gold_names
    semi join families on gold_names.gold_name = families.name
),

evidence as (
    select {{ evidence("if(is_finding, 'finding_above', 'class_above')", "class_name") }}
    from classed_pairs
    anti join family_readings using (reading_key)
    anti join family_golds using (gold_key)
    where is_above and (is_narrow or is_tumor)
    union all
    select {{ evidence("'shared_class'", "class_name") }}
    from classed_pairs
    where is_above or is_narrow
),

final as (
    {{ first_reasons("evidence") }}
)

select * from final
