{#- A name may carry its abbreviation behind it, in brackets or after a semicolon. -#}
{%- set abbreviation = '[A-Z][A-Z0-9-]*[A-Z0-9]' -%}
with headings as (
    select * from {{ ref('disease') }}
),

parts as (
    select
        disease_id as source_disease_id,
        split_part(disease_id, ':', 1) as source_vocabulary,
        n_annotations,
        last_curated_on,
        trim(unnest(regexp_split_to_array(name, ';+'))) as part,
        generate_subscripts(regexp_split_to_array(name, ';+'), 1) as part_number,
    from headings
),

full_names as (
    select
        source_disease_id,
        source_vocabulary,
        trim(regexp_replace(part, '\s*\({{ abbreviation }}\)$', '')) as disease_name,
        part_number > 1 and regexp_full_match(part, '{{ abbreviation }}') as is_abbreviation,
        part_number = 1 as is_main,
        n_annotations,
        last_curated_on,
    from parts
    where part != ''
),

bracketed_abbreviations as (
    select
        source_disease_id,
        source_vocabulary,
        regexp_extract(part, '\(({{ abbreviation }})\)$', 1) as disease_name,
        true as is_abbreviation,
        false as is_main,
        n_annotations,
        last_curated_on,
    from parts
    where regexp_matches(part, '.\({{ abbreviation }}\)$')
),

-- current names of an imported nomenclature
imported_names as (
    select distinct
        source_disease_id,
        source_vocabulary,
        source_name as disease_name,
        name_kind = 'synonym' and {{ is_imported_abbreviation("source_name") }} as is_abbreviation,
        name_kind = 'name' as is_main,
        source || ' ' || release as imported_release,
    from {{ ref('stg_import__disease_name') }}
    where is_active and language = 'en'
),

names as (
    select * from full_names
    union all by name
    select * from bracketed_abbreviations
    union all by name
    select * from imported_names
),

final as (
    select
        source_disease_id,
        source_vocabulary,
        disease_name,
        {{ normalise_name("disease_name") }} as disease_name_normalised,
        bool_and(is_abbreviation) as is_abbreviation,
        bool_or(is_main) as is_main,
        coalesce(sum(n_annotations), 0)::integer as n_annotations,
        max(last_curated_on) as last_curated_on,
        case
            when count(imported_release) = count(*) then max(imported_release)
        end as imported_release,
    from names
    group by source_disease_id, source_vocabulary, disease_name
)

select * from final
