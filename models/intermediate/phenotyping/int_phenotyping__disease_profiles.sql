with diseases as (
    select
        disease_id,
        disease_name,
        source_vocabularies,
        source_disease_ids,
        inheritance_hpo_ids,
        inheritance_names,
        onset_hpo_ids,
        gene_symbols,
        release,
        n_phenotypes,
    from {{ ref('dim_disease') }}
    where n_phenotypes > 0
),

terms as (
    select
        hpo_id,
        hpo_name,
        information_content,
    from {{ ref('dim_hpo_term') }}
    where is_phenotypic_abnormality and information_content > 0
),

closure as (
    select * from {{ ref('bridge_disease_phenotype_closure') }}
),

annotations as (
    select
        disease_id,
        hpo_id,
        frequency,
    from {{ ref('bridge_disease_phenotype') }}
    where not is_excluded
),

onset_terms as (
    select * from {{ ref('hpo_onset_term') }}
),

sex_rules as (
    select * from {{ ref('inheritance_sex_rules') }}
),

information as (
    select
        closure.disease_id,
        -- as decimals: a sum of doubles depends on the order of the rows
        sum(
            (closure.frequency * terms.information_content)::decimal(18, 9)
        )::double as profile_information,
    from closure
    inner join terms on closure.hpo_id = terms.hpo_id
    group by all
),

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
        ) as place,
    from annotations
    inner join terms on annotations.hpo_id = terms.hpo_id
),

top_phenotypes as (
    select
        disease_id,
        list(hpo_id order by place) as top_hpo_ids,
        list(hpo_name order by place) as top_phenotypes,
    from ranked_phenotypes
    where place <= 10
    group by all
),

listed_onsets as (
    select
        disease_id,
        unnest(onset_hpo_ids) as hpo_id,
    from diseases
),

-- a term without an upper end leaves the range open
onsets as (
    select
        listed_onsets.disease_id,
        list(onset_terms.label order by onset_terms.low_years, onset_terms.label) as onset_names,
        min(onset_terms.low_years) as onset_low_years,
        case when count(*) = count(onset_terms.high_years) then max(onset_terms.high_years) end
            as onset_high_years,
    from listed_onsets
    inner join onset_terms on listed_onsets.hpo_id = onset_terms.hpo_id
    group by all
),

modes as (
    select
        disease_id,
        unnest(inheritance_hpo_ids) as hpo_id,
    from diseases
),

-- of several modes, the one that lets the patient have it
sexes as (
    select
        modes.disease_id,
        max(sex_rules.female_probability) as female_probability,
        max(sex_rules.male_probability) as male_probability,
    from modes
    inner join sex_rules on modes.hpo_id = sex_rules.hpo_id
    group by all
),

-- where two vocabularies have one disease each of exactly these genes, it is the same one in all
-- likelihood, though no name or imported mapping says so
gene_twins as (
    select
        here.disease_id,
        min(there.disease_id) as gene_twin_id,
    from diseases as here
    inner join diseases as there
        on
            here.gene_symbols = there.gene_symbols
            and here.disease_id != there.disease_id
    where len(here.gene_symbols) > 0
    group by all
    having
        count(*) = 1
        and bool_and(not list_has_any(here.source_vocabularies, there.source_vocabularies))
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
        onsets.onset_low_years,
        onsets.onset_high_years,
        coalesce(sexes.female_probability, 1) as female_probability,
        coalesce(sexes.male_probability, 1) as male_probability,
    from diseases
    left join information on diseases.disease_id = information.disease_id
    left join top_phenotypes on diseases.disease_id = top_phenotypes.disease_id
    left join onsets on diseases.disease_id = onsets.disease_id
    left join sexes on diseases.disease_id = sexes.disease_id
    left join gene_twins on diseases.disease_id = gene_twins.disease_id
)

select * from final
