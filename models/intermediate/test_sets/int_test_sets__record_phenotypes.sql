with records as (
    select * from {{ ref('int_test_sets__records') }}
),

terms as (
    select
        hpo_id,
        coalesce(replaced_by, hpo_id) as current_hpo_id,
        is_obsolete and replaced_by is null as is_without_successor,
    from {{ ref('dim_hpo_term') }}
    union all
    select
        alt_hpo_id as hpo_id,
        hpo_id as current_hpo_id,
        false as is_without_successor,
    from {{ ref('stg_hpo__alt_id') }}
    where alt_hpo_id not in (select hpo_id from {{ ref('dim_hpo_term') }})
),

-- a name counts only if it means one term
names as (
    select
        alias_normalised,
        min(concept_id) as hpo_id,
    from {{ ref('dim_concept_alias') }}
    where vocabulary = 'hpo' and scope in ('preferred', 'exact')
    group by all
    having count(distinct concept_id) = 1
),

written as (
    select
        test_set,
        record_number,
        unnest(hpo_ids) as written_as,
        'id' as kind,
        false as is_excluded,
    from records
    union all
    select
        test_set,
        record_number,
        unnest(excluded_hpo_ids) as written_as,
        'id' as kind,
        true as is_excluded,
    from records
    union all
    select
        test_set,
        record_number,
        unnest(hpo_names) as written_as,
        'name' as kind,
        false as is_excluded,
    from records
),

identified as (
    select
        written.test_set,
        written.record_number,
        written.written_as,
        written.is_excluded,
        coalesce(
            names.hpo_id,
            regexp_replace(upper(trim(written.written_as)), '^HPO?[:_]?(\d{7})$', 'HP:\1')
        ) as hpo_id,
    from written
    left join names
        on
            written.kind = 'name'
            and {{ normalise_name("written.written_as") }} = names.alias_normalised
),

final as (
    select distinct
        identified.test_set,
        identified.record_number,
        identified.written_as,
        case when not terms.is_without_successor then terms.current_hpo_id end as hpo_id,
        identified.is_excluded,
    from identified
    left join terms on identified.hpo_id = terms.hpo_id
)

select * from final
