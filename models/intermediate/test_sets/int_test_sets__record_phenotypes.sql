with records as (
    select * from {{ ref('int_test_sets__records') }}
),

listed_terms as (
    select * from {{ ref('hpo_term') }}
),

-- a term's own record wins over its being the alternative of another
terms as (
    select
        id as hpo_id,
        coalesce(replaced_by, id) as current_hpo_id,
        is_obsolete and replaced_by is null as is_without_successor,
    from listed_terms
    union all
    select
        alternatives.alt_id as hpo_id,
        alternatives.id as current_hpo_id,
        false as is_without_successor,
    from {{ ref('hpo_alt_id') }} as alternatives
    anti join listed_terms on alternatives.alt_id = listed_terms.id
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
    {%- for column, kind, is_excluded in [
        ("hpo_ids", "id", false), ("excluded_hpo_ids", "id", true), ("hpo_names", "name", false),
    ] %}
        select
            test_set,
            record_number,
            unnest({{ column }}) as written_as,
            '{{ kind }}' as kind,
            {{ is_excluded | lower }} as is_excluded,
        from records
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
),

identified as (
    select
        written.*,
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
