-- Nephritis stands above Alport syndrome in a hierarchy, as a complication, not as a vaguer name of
-- the same illness. A finding that many diseases have names one of them only if that disease is
-- called after it (glaucoma for neovascular glaucoma). Likewise, a disease is not a more precise
-- name of the symptom it may cause.
with pairs as (
    select * from {{ ref('int_experiments__judged_pairs') }}
),

name_concepts as (
    select * from {{ ref('int_experiments__name_concepts') }}
    where is_exact
),

-- the first reading that a vocabulary knows
concepts as (
    select
        readings.reading_key,
        readings.reading,
        name_concepts.concept_id,
    from {{ ref('int_experiments__diagnosis_readings') }} as readings
    inner join name_concepts on readings.reading = name_concepts.name
    qualify
        readings.reading_order = min(readings.reading_order) over (
            partition by readings.reading_key
        )
),

golds as (
    select * from {{ ref('int_experiments__gold_diagnoses') }}
),

gold_concepts as (
    select
        gold_key,
        unnest([gold_concept_id, icd10_code]) as concept_id,
    from golds
    union
    select
        gold_names.gold_key,
        name_concepts.concept_id,
    from {{ ref('int_experiments__gold_names') }} as gold_names
    inner join name_concepts on gold_names.gold_name = name_concepts.name
    where not gold_names.is_short_form
),

profiles as (
    select
        name,
        string_split(core, ' ') as words,
    from {{ ref('int_experiments__name_profiles') }}
    where core != ''
),

preferred_names as (
    select
        concept_id,
        alias_normalised as name,
    from {{ ref('dim_concept_alias') }}
    where
        scope = 'preferred'
        and language = 'en'
        -- what is left over in ICD-10-CM is called after more than the disease
        and not regexp_matches(alias_normalised, '^other\b|\bother specified\b')
),

-- HPO has terms for tumors, which are diseases and not findings
tumors as (
    select hpo_id
    from {{ ref('bridge_hpo_ancestor') }}
    where ancestor_hpo_id = '{{ hpo_neoplasm() }}'
),

findings as (
    select
        concepts.reading_key,
        min(hpo_terms.hpo_name) as finding,
    from concepts
    inner join {{ ref('dim_hpo_term') }} as hpo_terms on concepts.concept_id = hpo_terms.hpo_id
    where
        hpo_terms.is_phenotypic_abnormality
        and hpo_terms.information_content < {{ parameter('name_specificity') }}
        and hpo_terms.hpo_id not in (select hpo_id from tumors)
    group by all
),

-- the chapter of symptoms and signs
symptoms as (
    select
        gold_concepts.gold_key,
        min(codes.title) as symptom,
    from gold_concepts
    inner join {{ ref('dim_icd10_code') }} as codes on gold_concepts.concept_id = codes.code
    where codes.chapter_code = 'XVIII'
    group by all
),

finding_pairs as (
    select
        pairs.gold_key,
        pairs.reading_key,
        findings.finding,
        symptoms.symptom,
    from pairs
    left join findings using (reading_key)
    left join symptoms using (gold_key)
    where findings.finding is not null or symptoms.symptom is not null
),

reading_names as (
    select
        reading_key,
        reading as name,
    from concepts
    union
    select
        concepts.reading_key,
        preferred_names.name,
    from concepts
    inner join preferred_names using (concept_id)
),

gold_names as (
    select
        gold_key,
        {{ normalise_name("unnest(gold_names)") }} as name,
    from golds
    union
    select
        gold_concepts.gold_key,
        preferred_names.name,
    from gold_concepts
    inner join preferred_names using (concept_id)
),

compared as (
    select
        finding_pairs.gold_key,
        finding_pairs.reading_key,
        bool_or(list_has_all(golds.words, theirs.words)) as is_gold_called_after_it,
        bool_or(list_has_all(theirs.words, golds.words)) as is_called_after_gold,
    from finding_pairs
    inner join reading_names using (reading_key)
    inner join gold_names using (gold_key)
    inner join profiles as theirs on reading_names.name = theirs.name
    inner join profiles as golds on gold_names.name = golds.name
    group by all
),

final as (
    select
        finding_pairs.gold_key,
        finding_pairs.reading_key,
        if(coalesce(compared.is_gold_called_after_it, false), null, finding_pairs.finding)
            as finding,
        if(coalesce(compared.is_called_after_gold, false), null, finding_pairs.symptom)
            as symptom,
    from finding_pairs
    left join compared using (gold_key, reading_key)
)

select * from final
