with ranked as (
    select distinct
        case_id,
        diagnosis_normalised,
    from {{ ref('int_experiments__judged_lists') }}
    where is_scored
),

cases as (
    select
        case_id,
        gold_concept_id,
        gold_name,
        gold_diagnosis,
        icd10_code,
    from {{ ref('dim_case') }}
),

pairs as (
    select
        ranked.case_id,
        ranked.diagnosis_normalised,
        cases.gold_concept_id,
        cases.icd10_code as gold_icd10_code,
    from ranked
    inner join cases on ranked.case_id = cases.case_id
),

readings as (
    select
        diagnosis_normalised,
        reading,
    from {{ ref('int_experiments__diagnosis_readings') }}
),

gold_names as (
    select
        case_id,
        gold_name,
    from {{ ref('int_experiments__gold_names') }}
),

concepts as (
    select
        diagnosis_normalised,
        concept_id,
        vocabulary,
    from {{ ref('int_experiments__diagnosis_concepts') }}
),

named_pairs as (
    select
        pairs.case_id,
        pairs.diagnosis_normalised,
        readings.reading,
        gold_names.gold_name,
    from pairs
    inner join readings on pairs.diagnosis_normalised = readings.diagnosis_normalised
    inner join gold_names on pairs.case_id = gold_names.case_id
),

same_name as (
    select
        case_id,
        diagnosis_normalised,
        'same_name' as rule,
        gold_name as reason,
    from named_pairs
    where reading = gold_name
),

same_concept as (
    select
        pairs.case_id,
        pairs.diagnosis_normalised,
        'same_concept' as rule,
        concepts.concept_id as reason,
    from pairs
    inner join concepts
        on
            pairs.diagnosis_normalised = concepts.diagnosis_normalised
            and concepts.concept_id in (pairs.gold_concept_id, pairs.gold_icd10_code)
),

-- 'ALS' for 'amyotrophic lateral sclerosis'
initials as (
    select
        case_id,
        diagnosis_normalised,
        'initials' as rule,
        gold_name as reason,
    from named_pairs
    where length(reading) between 3 and 6 and reading = {{ initials("gold_name") }}
),

compared_names as (
    select
        named_pairs.case_id,
        named_pairs.diagnosis_normalised,
        named_pairs.gold_name as reason,
        found.is_misspelt,
        found.series_marks,
        found.gold_series_marks,
        found.reading_size,
        found.gold_size,
        found.reading_coverage,
        found.gold_coverage,
        coalesce(found.series_marks = found.gold_series_marks, true) as is_same_member,
        coalesce(found.series_marks = coalesce(found.gold_series_marks, ''), true)
            as is_no_other_member,
        coalesce(found.gold_series_marks = coalesce(found.series_marks, ''), true)
            as is_no_other_gold_member,
    from named_pairs
    inner join {{ ref('int_experiments__name_overlaps') }} as found
        on
            named_pairs.reading = found.reading
            and named_pairs.gold_name = found.gold_name
),

-- marks tell the members of a series apart: a slip of the keyboard never changes one
same_words as (
    select
        case_id,
        diagnosis_normalised,
        case when is_misspelt then 'spelling' else 'same_words' end as rule,
        reason,
    from compared_names
    where
        reading_coverage = 1
        and gold_coverage = 1
        and coalesce(series_marks, '') = coalesce(gold_series_marks, '')
),

-- 'Usher syndrome' for 'Usher syndrome type 1B', or the other way round
series_member as (
    select
        case_id,
        diagnosis_normalised,
        'series_member' as rule,
        reason,
    from compared_names
    where reading_coverage = 1 and gold_coverage = 1 and is_same_member
),

series_sibling as (
    select
        case_id,
        diagnosis_normalised,
        'series_sibling' as rule,
        reason,
    from compared_names
    where reading_coverage = 1 and gold_coverage = 1
),

-- every word of one name is in the other, and these words are most of what the longer one says or
-- rare enough to name a disease by themselves: 'amyloidosis', but not 'anemia', and not the
-- finding before 'due to'
broader_name as (
    select
        case_id,
        diagnosis_normalised,
        'broader_name' as rule,
        reason,
    from compared_names
    where
        reading_coverage = 1
        and is_no_other_member
        and (
            gold_coverage >= {{ parameter('name_coverage') }}
            or (
                reading_size >= {{ parameter('name_specificity') }}
                and not regexp_matches(reason, '\b(due|secondary|debid[oa]) ')
            )
        )
),

narrower_name as (
    select
        case_id,
        diagnosis_normalised,
        'narrower_name' as rule,
        reason,
    from compared_names
    where
        gold_coverage = 1
        and is_no_other_gold_member
        and (
            reading_coverage >= {{ parameter('name_coverage') }}
            or gold_size >= {{ parameter('name_specificity') }}
        )
),

similar_name as (
    select
        case_id,
        diagnosis_normalised,
        'similar_name' as rule,
        reason,
    from compared_names
    where least(reading_coverage, gold_coverage) >= {{ parameter('name_coverage') }}
),

-- 'anemia' for 'Fanconi anemia': the word is right and says little
general_name as (
    select
        case_id,
        diagnosis_normalised,
        'general_name' as rule,
        reason,
    from compared_names
    where reading_coverage = 1
),

icd10_pairs as (
    select
        pairs.case_id,
        pairs.diagnosis_normalised,
        codes.icd10_code,
        codes.parent_code,
        codes.category_code,
        codes.block_code,
        gold.code as gold_code,
        gold.parent_code as gold_parent_code,
        gold.category_code as gold_category_code,
        gold.block_code as gold_block_code,
    from pairs
    inner join {{ ref('int_experiments__diagnosis_icd10') }} as codes
        on pairs.diagnosis_normalised = codes.diagnosis_normalised
    inner join {{ ref('dim_icd10_code') }} as gold on pairs.gold_icd10_code = gold.code
),

-- one code directly above the other, both below the level of a block
icd10_parent as (
    select
        case_id,
        diagnosis_normalised,
        'icd10_parent' as rule,
        icd10_code || ' and ' || gold_code as reason,
    from icd10_pairs
    where
        (parent_code = gold_code or icd10_code = gold_parent_code)
        and category_code is not null
        and gold_category_code is not null
),

icd10_category as (
    select
        case_id,
        diagnosis_normalised,
        'icd10_category' as rule,
        category_code as reason,
    from icd10_pairs
    where category_code = gold_category_code
),

icd10_block as (
    select
        case_id,
        diagnosis_normalised,
        'icd10_block' as rule,
        block_code as reason,
    from icd10_pairs
    where block_code = gold_block_code
),

disease_pairs as (
    select distinct
        pairs.case_id,
        pairs.diagnosis_normalised,
        pairs.gold_concept_id,
        concepts.concept_id,
    from pairs
    inner join concepts
        on
            pairs.diagnosis_normalised = concepts.diagnosis_normalised
            and concepts.vocabulary = 'disease'
    where pairs.gold_concept_id is not null
),

shared_gene as (
    select
        disease_pairs.case_id,
        disease_pairs.diagnosis_normalised,
        'shared_gene' as rule,
        genes.gene_symbol as reason,
    from disease_pairs
    inner join {{ ref('bridge_disease_gene') }} as genes
        on disease_pairs.concept_id = genes.disease_id
    inner join {{ ref('bridge_disease_gene') }} as gold_genes
        on
            disease_pairs.gold_concept_id = gold_genes.disease_id
            and genes.gene_symbol = gold_genes.gene_symbol
),

profile_pairs as (
    select distinct
        gold_concept_id,
        concept_id,
    from disease_pairs
),

profiles as (
    select
        closure.disease_id,
        closure.hpo_id,
        terms.information_content,
    from {{ ref('bridge_disease_phenotype_closure') }} as closure
    inner join {{ ref('dim_hpo_term') }} as terms on closure.hpo_id = terms.hpo_id
    where terms.is_phenotypic_abnormality
),

profile_sizes as (
    select
        disease_id,
        sum(information_content) as size,
    from profiles
    group by all
),

profile_overlaps as (
    select
        profile_pairs.gold_concept_id,
        profile_pairs.concept_id,
        sum(theirs.information_content) as overlap,
    from profile_pairs
    inner join profiles as theirs on profile_pairs.concept_id = theirs.disease_id
    inner join profiles as golds
        on profile_pairs.gold_concept_id = golds.disease_id and theirs.hpo_id = golds.hpo_id
    group by all
),

profile_similarities as (
    select
        profile_overlaps.gold_concept_id,
        profile_overlaps.concept_id,
        {{ profile_similarity("profile_overlaps.overlap", "theirs.size", "golds.size") }}
            as similarity,
    from profile_overlaps
    inner join profile_sizes as theirs on profile_overlaps.concept_id = theirs.disease_id
    inner join profile_sizes as golds on profile_overlaps.gold_concept_id = golds.disease_id
),

similar_profile as (
    select
        disease_pairs.case_id,
        disease_pairs.diagnosis_normalised,
        case
            when similarity >= {{ parameter('group_profile_similarity') }}
                then 'similar_profile'
            else 'related_profile'
        end as rule,
        'phenotype profiles overlap by ' || format('{:.2f}', similarity) as reason,
    from disease_pairs
    inner join profile_similarities
        on
            disease_pairs.gold_concept_id = profile_similarities.gold_concept_id
            and disease_pairs.concept_id = profile_similarities.concept_id
    where similarity >= {{ parameter('broad_profile_similarity') }}
),

unrelated as (
    select
        pairs.case_id,
        pairs.diagnosis_normalised,
        case when count(concepts.concept_id) > 0 then 'no_link' else 'unknown_name' end as rule,
        case
            when count(concepts.concept_id) > 0 then 'no rule links it to the gold diagnosis'
            else 'no terminology knows this name'
        end as reason,
    from pairs
    left join concepts on pairs.diagnosis_normalised = concepts.diagnosis_normalised
    group by all
),

findings as (
    {% for rule in [
        "same_name", "same_concept", "same_words", "initials", "series_member", "icd10_parent",
        "broader_name", "narrower_name", "series_sibling", "icd10_category", "shared_gene",
        "similar_name", "icd10_block", "similar_profile", "general_name", "unrelated",
    ] %}
        select
            case_id,
            diagnosis_normalised,
            rule,
            reason,
        from {{ rule }}
        {% if not loop.last %} union all {% endif %}
    {% endfor %}
),

rules as (
    select
        rule,
        rule_order,
        semantic_relation,
    from {{ ref('stg_registry__semantic_rule') }}
),

final as (
    select
        findings.case_id,
        findings.diagnosis_normalised,
        rules.semantic_relation,
        findings.rule as semantic_rule,
        findings.reason as semantic_reason,
    from findings
    inner join rules on findings.rule = rules.rule
    qualify
        row_number() over (
            partition by findings.case_id, findings.diagnosis_normalised
            order by rules.rule_order, findings.reason
        ) = 1
)

select * from final
