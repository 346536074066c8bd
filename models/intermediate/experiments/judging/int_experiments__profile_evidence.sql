-- The overlap of the phenotype profiles of the two diseases, and a finding that is itself the
-- diagnosis of one of the two: cirrhosis and Wilson disease.
with pairs as (
    select * from {{ ref('int_experiments__judged_pairs') }}
),

concepts as (
    select * from {{ ref('int_experiments__diagnosis_concepts') }}
),

gold_concepts as (
    select * from {{ ref('int_experiments__gold_concepts') }}
),

closure as (
    select * from {{ ref('bridge_disease_phenotype_closure') }}
),

hpo_terms as (
    select * from {{ ref('dim_hpo_term') }}
),

disease_pairs as (
    select
        pairs.gold_key,
        pairs.reading_key,
        gold_concepts.concept_id as gold_disease_id,
        concepts.concept_id as disease_id,
        concepts.is_alternative,
    from pairs
    inner join concepts
        on pairs.reading_key = concepts.reading_key and concepts.vocabulary = 'disease'
    inner join gold_concepts
        on pairs.gold_key = gold_concepts.gold_key and gold_concepts.vocabulary = 'disease'
    where concepts.is_exact or gold_concepts.is_exact
),

-- the same two diseases occur in many cases: compare them once
compared_diseases as (
    select distinct
        gold_disease_id,
        disease_id,
    from disease_pairs
),

-- decimals, because the last digits of a sum of doubles depend on the order of its rows
profiles as (
    select
        closure.disease_id,
        closure.hpo_id,
        hpo_terms.information_content::decimal(18, 9) as information_content,
    from closure
    inner join hpo_terms using (hpo_id)
    where hpo_terms.is_phenotypic_abnormality
),

sizes as (
    select
        disease_id,
        sum(information_content) as size,
    from profiles
    group by all
),

profile_overlaps as (
    select
        compared_diseases.gold_disease_id,
        compared_diseases.disease_id,
        sum(theirs.information_content) as overlap,
    from compared_diseases
    inner join profiles as theirs using (disease_id)
    inner join profiles as golds
        on
            compared_diseases.gold_disease_id = golds.disease_id
            and theirs.hpo_id = golds.hpo_id
    group by all
),

similarities as (
    select
        profile_overlaps.gold_disease_id,
        profile_overlaps.disease_id,
        {{ profile_similarity("profile_overlaps.overlap", "theirs.size", "golds.size") }}
            as similarity,
    from profile_overlaps
    inner join sizes as theirs using (disease_id)
    inner join sizes as golds on profile_overlaps.gold_disease_id = golds.disease_id
),

similar_profiles as (
    select
        *,
        if(
            similarity >= {{ parameter('group_profile_similarity') }},
            'similar_profile',
            'related_profile'
        ) as rule,
        'phenotype profiles overlap by ' || format('{:.2f}', similarity) as reason,
    from disease_pairs
    inner join similarities using (gold_disease_id, disease_id)
    where similarity >= {{ parameter('broad_profile_similarity') }}
),

-- a finding of one disease in twenty says nothing of any of them
telling_findings as (
    select
        hpo_id,
        hpo_name,
    from hpo_terms
    where
        is_phenotypic_abnormality
        and information_content >= {{ parameter('hypernym_information_content') }}
),

known_pairs as (
    select
        pairs.gold_key,
        pairs.reading_key,
        concepts.is_alternative,
        concepts.concept_id,
        gold_concepts.concept_id as gold_concept_id,
    from pairs
    inner join concepts on pairs.reading_key = concepts.reading_key and concepts.is_exact
    inner join gold_concepts
        on pairs.gold_key = gold_concepts.gold_key and gold_concepts.is_exact
    where 'hpo' in (concepts.vocabulary, gold_concepts.vocabulary)
),

findings_of_diseases as (
    select
        closure.disease_id,
        closure.hpo_id,
        telling_findings.hpo_name,
    from closure
    inner join telling_findings using (hpo_id)
),

found_in_disease as (
    select
        known_pairs.*,
        findings_of_diseases.hpo_name,
    from known_pairs
    inner join findings_of_diseases
        on
            known_pairs.concept_id = findings_of_diseases.hpo_id
            and known_pairs.gold_concept_id = findings_of_diseases.disease_id
    union all
    select
        known_pairs.*,
        findings_of_diseases.hpo_name,
    from known_pairs
    inner join findings_of_diseases
        on
            known_pairs.concept_id = findings_of_diseases.disease_id
            and known_pairs.gold_concept_id = findings_of_diseases.hpo_id
),

evidence as (
    select {{ evidence("rule", "reason") }}
    from similar_profiles
    union all
    select {{ evidence("'finding_of_disease'", "hpo_name") }}
    from found_in_disease
),

final as (
    {{ first_reasons("evidence") }}
)

select * from final
