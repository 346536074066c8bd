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

{%- set an_id = "(?i)\\bHPO?[:_]?\\d{7}\\b" %}

-- a cell holds one phenotype or many: ids have a fixed form, names may hold commas
parts as (
    {%- for column, is_excluded in [
        ("hpo_ids", false), ("excluded_hpo_ids", true), ("hpo_names", false),
    ] %}
        select
            test_set,
            record_number,
            trim(
                unnest(
                    regexp_split_to_array(array_to_string({{ column }}, '|'), '[|;\n\r\t]')
                )
            ) as part,
            {{ is_excluded | lower }} as is_excluded,
        from records
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
),

-- what stands beside an id, up to the next comma, is its name
pieces as (
    select
        test_set,
        record_number,
        is_excluded,
        null::varchar as list_of_names,
        trim(unnest(regexp_split_to_array(part, ','))) as piece,
    from parts
    where regexp_matches(part, '{{ an_id }}')
    union all
    select
        test_set,
        record_number,
        is_excluded,
        part as list_of_names,
        trim(unnest([part] || regexp_split_to_array(part, ','))) as piece,
    from parts
    where not regexp_matches(part, '{{ an_id }}')
),

items as (
    select
        test_set,
        record_number,
        is_excluded,
        list_of_names,
        unnest(
            if(
                regexp_matches(piece, '{{ an_id }}'),
                regexp_extract_all(piece, '{{ an_id }}'),
                [piece]
            )
        ) as written_as,
    from pieces
),

identified as (
    select
        items.*,
        coalesce(
            names.hpo_id,
            regexp_replace(upper(items.written_as), '^HPO?[:_]?(\d{7})$', 'HP:\1')
        ) as hpo_id,
        items.written_as = items.list_of_names as is_whole,
        names.hpo_id is not null as is_name,
    from items
    left join names on {{ normalise_name("items.written_as") }} = names.alias_normalised
    where items.written_as != ''
),

-- the commas of a text without ids part it only if all parts are names and the whole is none
told_apart as (
    select
        *,
        bool_or(is_whole and is_name) over same_text as is_one_name,
        bool_and(is_name) filter (where not is_whole) over same_text as are_names,
    from identified
    window same_text as (partition by test_set, record_number, is_excluded, list_of_names)
),

final as (
    select distinct
        told_apart.test_set,
        told_apart.record_number,
        told_apart.written_as,
        current_terms.current_hpo_id as hpo_id,
        told_apart.is_excluded,
    from told_apart
    left join current_terms on told_apart.hpo_id = current_terms.hpo_id
    where
        told_apart.list_of_names is null
        or told_apart.is_whole
        = (told_apart.is_one_name or not coalesce(told_apart.are_names, false))
)

select * from final
