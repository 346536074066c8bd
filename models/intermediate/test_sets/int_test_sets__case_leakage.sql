-- Whether the answer is written in the question: the gold diagnosis, or another name of it, as
-- whole words of the narrative. Names of fewer than three letters say nothing ('IC' is also 'ic').
with cases as (
    select
        case_id,
        gold_concept_id,
        icd10_code,
        gold_names,
        ' ' || {{ normalise_name("narrative") }} || ' ' as narrative_normalised,
    from {{ ref('int_test_sets__cases') }}
),

terminology_names as (
    select
        concept_id,
        alias_normalised,
    from {{ ref('dim_concept_alias') }}
    where
        vocabulary in ('disease', 'icd10cm')
        and scope in ('preferred', 'exact', 'inclusion')
),

own_names as (
    select
        case_id,
        {{ normalise_name("unnest(gold_names)") }} as alias_normalised,
    from cases
),

names as (
    select
        case_id,
        alias_normalised,
    from own_names
    union
    select
        cases.case_id,
        names.alias_normalised,
    from cases
    inner join terminology_names as names on cases.gold_concept_id = names.concept_id
    union
    select
        cases.case_id,
        names.alias_normalised,
    from cases
    inner join terminology_names as names on cases.icd10_code = names.concept_id
),

final as (
    select
        cases.case_id,
        max(names.alias_normalised) as leaked_name,
    from cases
    inner join names on cases.case_id = names.case_id
    where
        length(names.alias_normalised) >= 3
        and contains(cases.narrative_normalised, ' ' || names.alias_normalised || ' ')
    group by cases.case_id
)

select * from final
