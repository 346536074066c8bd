with draw as (
    select * from {{ ref('int_test_sets__simulated_draw') }}
),

diseases as (
    select * from {{ ref('dim_disease') }}
),

aliases as (
    select * from {{ ref('dim_concept_alias') }}
),

other_names as (
    select
        concept_id as disease_id,
        list(alias order by alias) as names,
    from aliases
    where
        vocabulary = 'disease'
        and scope = 'exact'
        -- names written by hand may be added any day; the set stays as it was drawn
        and source != 'clinical usage'
    group by all
),

{{ codes_of_diseases() }},

onsets as (
    select
        diseases.disease_id,
        min(terms.low) as low_years,
        max(terms.high) as high_years,
    from diseases
    inner join {{ ref('hpo_range_term') }} as terms
        on terms.kind = 'onset' and list_contains(diseases.onset_hpo_ids, terms.hpo_id)
    group by all
),

sex_rules as (
    select * from {{ ref('sex_rules') }}
),

-- a record with macroorchidism is a man's, and one of an X-linked recessive disease nearly always
sex_evidence as (
    select
        phenotypes.case_id,
        sex_rules.sex,
    from {{ ref('int_test_sets__simulated_phenotypes') }} as phenotypes
    inner join {{ ref('bridge_hpo_ancestor') }} as ancestors
        on phenotypes.hpo_id = ancestors.hpo_id
    inner join sex_rules
        on ancestors.ancestor_hpo_id = sex_rules.hpo_id and sex_rules.kind = 'finding'
    union all
    select
        draw.case_id,
        sex_rules.sex,
    from draw
    inner join diseases on draw.disease_id = diseases.disease_id
    inner join sex_rules
        on
            list_contains(diseases.inheritance_hpo_ids, sex_rules.hpo_id)
            and sex_rules.kind = 'inheritance'
            and len(diseases.inheritance_hpo_ids) = 1
),

-- findings of both sexes (both are annotated to the disease): the record does not say which
sexes as (
    select
        case_id,
        case when count(distinct sex) = 1 then min(sex) else 'unknown' end as sex,
    from sex_evidence
    group by all
),

-- where the onset of the disease is known the patient is some years older, otherwise the age is
-- unknown
people as (
    select
        draw.case_id,
        coalesce(
            sexes.sex,
            case
                when {{ uniform("draw.seed || ':sex:' || draw.case_id") }} < 0.5
                    then 'female'
                else 'male'
            end
        ) as sex,
        floor(
            onsets.low_years + {{ uniform("draw.seed || ':age:' || draw.case_id") }}
            * (least(onsets.high_years, 80) - onsets.low_years)
            + 3 * {{ uniform("draw.seed || ':delay:' || draw.case_id") }}
        )::integer as age_years,
    from draw
    left join onsets on draw.disease_id = onsets.disease_id
    left join sexes on draw.case_id = sexes.case_id
),

phenotypes as (
    select
        phenotypes.case_id,
        list(
            terms.name
            order by {{ uniform("'line:' || phenotypes.case_id || phenotypes.hpo_id") }}
        ) as names,
        {{ phenotype_language("terms.name_language") }} as phenotype_language,
    from {{ ref('int_test_sets__simulated_phenotypes') }} as phenotypes
    inner join {{ ref('dim_hpo_term_translation') }} as terms
        on phenotypes.hpo_id = terms.hpo_id and terms.language = 'es'
    group by all
),

final as (
    select
        draw.case_id,
        draw.test_set,
        draw.disease_id as gold_concept_id,
        disease_codes.icd10_code,
        diseases.disease_name as gold_name,
        {{ gold_diagnosis("diseases.disease_name", "coalesce(other_names.names, [])") }}
            as gold_diagnosis,
        diseases.source_disease_ids as gold_codes,
        [diseases.disease_name] || coalesce(other_names.names, []) as gold_names,
        'rare' as gold_severity,
        'es' as language,
        phenotypes.phenotype_language,
        people.sex,
        'source' as frame,
        {{ narrative_source(
            "'es'",
            "null",
            narrative_patient("'es'", "people.sex", "people.age_years"),
            "null",
            narrative_phenotypes("'es'", "'source'", "phenotypes.names", "null::varchar[]"),
            "null",
            "null",
            "null",
        ) }} as narrative,
        draw.case_number,
        people.age_years,
        false as contains_phi,
    from draw
    inner join diseases on draw.disease_id = diseases.disease_id
    inner join people on draw.case_id = people.case_id
    inner join phenotypes on draw.case_id = phenotypes.case_id
    left join other_names on draw.disease_id = other_names.disease_id
    left join disease_codes on draw.disease_id = disease_codes.disease_id
)

select * from final
