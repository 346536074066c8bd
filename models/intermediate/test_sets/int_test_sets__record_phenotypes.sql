with recursive records as (
    select * from {{ ref('int_test_sets__records') }}
),

{{ current_hpo_terms() }},

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
        current_terms.current_hpo_id as hpo_id,
        identified.is_excluded,
    from identified
    left join current_terms on identified.hpo_id = current_terms.hpo_id
)

select * from final
