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
    select
        *,
        row_number() over (order by hpo_id)::integer as term,
    from {{ ref('dim_hpo_term') }}
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

-- decimals, because the last digits of a sum of doubles depend on the order of its rows; terms as
-- numbers, because tens of millions of them are compared
profiles as (
    select
        closure.disease_id,
        hpo_terms.term,
        hpo_terms.information_content::decimal(18, 9) as information_content,
    from closure
    inner join hpo_terms using (hpo_id)
    where hpo_terms.is_phenotypic_abnormality
),

sizes as (
    select
        disease_id,
        row_number() over (order by disease_id)::integer as number,
        sum(information_content) as size,
    from profiles
    group by disease_id
),

numbered_profiles as (
    select
        sizes.number,
        profiles.term,
        profiles.information_content,
    from profiles
    inner join sizes using (disease_id)
),

-- the same two diseases occur in many cases: compare them once. Profiles share no more than the
-- smaller one has, so one that is far larger need not be compared
compared_diseases as (
    select
        disease_pairs.gold_disease_id,
        disease_pairs.disease_id,
        any_value(golds.number) as gold_number,
        any_value(theirs.number) as number,
        any_value(golds.size) as gold_size,
        any_value(theirs.size) as size,
    from disease_pairs
    -- left joins, lest the planner expect few rows
    left join sizes as theirs using (disease_id)
    left join sizes as golds on disease_pairs.gold_disease_id = golds.disease_id
    group by all
    having
        least(any_value(theirs.size), any_value(golds.size))
        >= (
            ({{ parameter('broad_profile_similarity') }} - 0.000001)
            * greatest(any_value(theirs.size), any_value(golds.size))
        )
),

profile_overlaps as (
    select
        compared_diseases.gold_number,
        compared_diseases.number,
        sum(theirs.information_content) as overlap,
    from compared_diseases
    inner join numbered_profiles as theirs using (number)
    inner join numbered_profiles as golds
        on compared_diseases.gold_number = golds.number and theirs.term = golds.term
    group by all
),

similarities as (
    select
        compared_diseases.gold_disease_id,
        compared_diseases.disease_id,
        {{ profile_similarity(
            "profile_overlaps.overlap", "compared_diseases.size", "compared_diseases.gold_size"
        ) }} as similarity,
    from profile_overlaps
    inner join compared_diseases using (gold_number, number)
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
