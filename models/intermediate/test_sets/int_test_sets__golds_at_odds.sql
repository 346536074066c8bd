-- A gold diagnosis whose id and name are of two diseases. The id decides, as in
-- int_test_sets__record_diseases.
with records as (
    select
        test_set,
        record_number,
        unnest(gold_names) as written_as,
    from {{ ref('int_test_sets__records') }}
    where gold_codes is not null
),

record_diseases as (
    select * from {{ ref('int_test_sets__record_diseases') }}
    where resolved_by in ('id', 'mapped id')
),

-- a name counts only if it means one disease
names as (
    select
        alias_normalised,
        min(concept_id) as disease_id,
    from {{ ref('dim_concept_alias') }}
    where vocabulary = 'disease' and scope in ('preferred', 'exact')
    group by all
    having count(distinct concept_id) = 1
),

final as (
    select distinct
        records.test_set,
        records.record_number,
        records.written_as,
        record_diseases.disease_id,
        names.disease_id as named_disease_id,
    from records
    inner join record_diseases
        on
            records.test_set = record_diseases.test_set
            and records.record_number = record_diseases.record_number
    inner join names on {{ normalise_name("records.written_as") }} = names.alias_normalised
    where record_diseases.disease_id != names.disease_id
)

select * from final
