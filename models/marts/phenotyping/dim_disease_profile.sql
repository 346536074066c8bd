with diseases as (
    select * from {{ ref('dim_disease') }}
    where n_phenotypes > 0
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
    where is_phenotypic_abnormality and information_content > 0
),

closure as (
    select * from {{ ref('bridge_disease_phenotype_closure') }}
),

annotations as (
    select * from {{ ref('bridge_disease_phenotype') }}
    where not is_excluded
),

onset_terms as (
    select * from {{ ref('hpo_range_term') }}
    where kind = 'onset'
),

sex_rules as (
    select * from {{ ref('patient_rules') }}
),

-- The information of the annotations: a finding weighs more the more frequent it is in the disease
-- and the rarer among diseases. Summed as decimals, because a sum of doubles depends on the order
-- of the rows.
information as (
    select
        closure.disease_id,
        sum(
            (closure.frequency * terms.information_content)::decimal(18, 9)
        )::double as profile_information,
    from closure
    inner join terms on closure.hpo_id = terms.hpo_id
    group by all
),

-- rounded, so that the order does not depend on the last bit of a product
ranked_phenotypes as (
    select
        annotations.disease_id,
        annotations.hpo_id,
        terms.hpo_name,
        row_number() over (
            partition by annotations.disease_id
            order by
                round(annotations.frequency * terms.information_content, 9) desc,
                annotations.hpo_id asc
        ) as telling_rank,
    from annotations
    inner join terms on annotations.hpo_id = terms.hpo_id
),

top_phenotypes as (
    select
        disease_id,
        list(hpo_id order by telling_rank) as top_hpo_ids,
        list(hpo_name order by telling_rank) as top_phenotypes,
    from ranked_phenotypes
    where telling_rank <= 10
    group by all
),

annotated_onsets as (
    select
        disease_id,
        unnest(onset_hpo_ids) as hpo_id,
    from diseases
),

-- a term without an upper end leaves the range open
onsets as (
    select
        annotated_onsets.disease_id,
        list(onset_terms.label order by onset_terms.low, onset_terms.label) as onset_names,
        min(onset_terms.low) as onset_low_years,
        case when count(*) = count(onset_terms.high) then max(onset_terms.high) end
            as onset_high_years,
    from annotated_onsets
    inner join onset_terms on annotated_onsets.hpo_id = onset_terms.hpo_id
    group by all
),

-- A disease without an annotated onset may have one in its name: what is neonatal, infantile,
-- juvenile or of childhood begins before HPO's Adult onset, what is of adult onset from then on. A
-- juvenile polyp is a kind of polyp at any age, and a name that tells both tells nothing.
onsets_in_names as (
    select
        diseases.disease_id,
        regexp_matches(
            lower(diseases.disease_name),
            '\b(neonatal|newborn|infantile|infancy|childhood|juvenile)\b'
        ) as is_early,
        regexp_matches(
            lower(diseases.disease_name),
            '\b(late-adult|adult)[- ](onset|form|type)\b|, adult$|^adult(-onset)? '
        ) as is_late,
        adult.low as adult_years,
    from diseases
    cross join onset_terms as adult
    where
        adult.hpo_id = 'HP:0003581'
        and len(diseases.onset_hpo_ids) = 0
        and not regexp_matches(
            lower(diseases.disease_name), 'juvenile polyp|congenital|intrauterine|adult syndrome'
        )
),

named_onsets as (
    select
        disease_id,
        case when is_late then adult_years end as onset_low_years,
        case when is_early then adult_years end as onset_high_years,
    from onsets_in_names
    where is_early != is_late
),

inheritance_modes as (
    select
        disease_id,
        unnest(inheritance_hpo_ids) as hpo_id,
    from diseases
),

-- with several modes of inheritance the most permissive one decides the probability
sexes as (
    select
        inheritance_modes.disease_id,
        max(sex_rules.female_probability) as female_probability,
        max(sex_rules.male_probability) as male_probability,
    from inheritance_modes
    inner join sex_rules on inheritance_modes.hpo_id = sex_rules.hpo_id
    group by all
),

-- Two diseases of different vocabularies that alone share exactly these genes are most likely the
-- same disease, even if no name and no imported mapping links them.
gene_twins as (
    select
        diseases.disease_id,
        min(twins.disease_id) as gene_twin_id,
    from diseases
    inner join diseases as twins
        on
            diseases.gene_symbols = twins.gene_symbols
            and diseases.disease_id != twins.disease_id
    where len(diseases.gene_symbols) > 0
    group by all
    having
        count(*) = 1
        and bool_and(not list_has_any(diseases.source_vocabularies, twins.source_vocabularies))
),

final as (
    select
        diseases.disease_id,
        diseases.disease_name,
        gene_twins.gene_twin_id,
        diseases.source_disease_ids,
        diseases.inheritance_names,
        coalesce(onsets.onset_names, []) as onset_names,
        diseases.gene_symbols,
        coalesce(top_phenotypes.top_hpo_ids, []) as top_hpo_ids,
        coalesce(top_phenotypes.top_phenotypes, []) as top_phenotypes,
        diseases.release,
        diseases.n_phenotypes,
        coalesce(information.profile_information, 0) as profile_information,
        coalesce(onsets.onset_low_years, named_onsets.onset_low_years) as onset_low_years,
        coalesce(onsets.onset_high_years, named_onsets.onset_high_years) as onset_high_years,
        least(sexes.female_probability, of_disease.female_probability, 1) as female_probability,
        least(sexes.male_probability, of_disease.male_probability, 1) as male_probability,
    from diseases
    left join information using (disease_id)
    left join top_phenotypes using (disease_id)
    left join onsets using (disease_id)
    left join named_onsets using (disease_id)
    left join sexes using (disease_id)
    left join sex_rules as of_disease on diseases.disease_id = of_disease.hpo_id
    left join gene_twins using (disease_id)
)

select * from final
