with cases as (
    select
        *,
        ' ' || {{ normalise_name("narrative") }} || ' ' as narrative_normalised,
    from {{ ref('dim_case') }}
),

duplicates as (
    select * from {{ ref('int_test_sets__case_duplicates') }}
),

concept_names as (
    select *
    from {{ ref('dim_concept_alias') }}
    where
        vocabulary in ('disease', 'icd10cm')
        and scope in ('preferred', 'exact', 'inclusion')
),

gold_concepts as (
    select
        case_id,
        unnest([gold_concept_id, icd10_code]) as concept_id,
    from cases
),

gold_names as (
    select
        case_id,
        {{ normalise_name("unnest(gold_names)") }} as alias_normalised,
    from cases
    union
    select
        gold_concepts.case_id,
        concept_names.alias_normalised,
    from gold_concepts
    inner join concept_names on gold_concepts.concept_id = concept_names.concept_id
),

-- a common disease may have no id of its own, and still be a class of Mondo or an HPO term
known_golds as (
    select distinct gold_names.case_id,
    from gold_names
    inner join {{ ref('dim_concept_alias') }} as names
        on
            gold_names.alias_normalised = names.alias_normalised
            and names.scope in ('preferred', 'exact', 'inclusion')
),

-- a leak is a name of the gold diagnosis as whole words of the narrative. Names of fewer than three
-- letters prove nothing ('IC' is also 'ic')
leaks as (
    select
        cases.case_id,
        max(gold_names.alias_normalised) as leaked_name,
    from cases
    inner join gold_names on cases.case_id = gold_names.case_id
    where
        length(gold_names.alias_normalised) >= 3
        and contains(cases.narrative_normalised, ' ' || gold_names.alias_normalised || ' ')
    group by all
),

ambiguous_golds as (
    select distinct case_id,
    from {{ ref('fct_clinical_impression') }}
    where status = 'ambiguous'
),

final as (
    select
        cases.case_id,
        cases.test_set,
        duplicates.duplicate_of_case_id,
        duplicates.near_duplicate_of_case_id,
        leaks.leaked_name,
        duplicates.similarity,
        duplicates.n_copies,
        duplicates.duplicate_of_case_id is not null as is_exact_duplicate,
        duplicates.near_duplicate_of_case_id is not null as is_near_duplicate,
        leaks.case_id is not null as is_leaking,
        cases.gold_concept_id is not null
        or cases.icd10_code is not null
        or known_golds.case_id is not null as is_gold_known,
        ambiguous_golds.case_id is not null as is_gold_ambiguous,
    from cases
    inner join duplicates on cases.case_id = duplicates.case_id
    left join leaks on cases.case_id = leaks.case_id
    left join known_golds on cases.case_id = known_golds.case_id
    left join ambiguous_golds on cases.case_id = ambiguous_golds.case_id
)

select * from final
