{%- set gene = "((?:mt )?[a-z][a-z0-9]{1,9})" -%}
{%- set alteration = "(?:mutations?|variants?|mutacion(?:es)?|variantes?)" -%}
{%- set cause = "(?:due to|caused by|with|related to|associated with|debid[oa] a|por|con"
    ~ "|relacionad[oa] con|asociad[oa] a)" -%}
{%- set altered_gene = "(?:(?:a|an|una) )?(?:(?:pathogenic|patogenicas?) )?(?:" ~ alteration
    ~ " (?:in|of|en|de) )?(?:(?:the|el gen) )?" ~ gene ~ "(?: gene)?(?: " ~ alteration ~ ")?" -%}
{#- words beside the symbol of a gene that say no more of the disease than the gene does -#}
{%- set empty_words = "(related|associated|linked|relacionad[oa]|asociad[oa]|con|a|gene?|spectrum"
    ~ "|espectro|mutations?|variants?|mutacion(es)?|variantes?|pathogenic|patogenicas?|disorders?"
    ~ "|diseases?|syndromes?|conditions?|trastornos?|enfermedad(es)?|sindromes?|deficiency"
    ~ "|deficit|deficiencia|haploinsufficiency|channelopathy|canalopatia)" -%}
-- Distinct by key, not by text: many spellings lead to one set of readings, and the heavy joins of
-- the terminology judge run once per set.
with keys as (
    select distinct
        reading_key,
        own_head,
        unnest(readings) as item,
    from {{ ref('int_experiments__reading_keys') }}
),

symbols as (
    select distinct
        gene_symbol,
        {{ normalise_name("gene_symbol") }} as name,
    from {{ ref('bridge_disease_gene') }}
),

-- 'SCN1A-related epilepsy', 'SLC2A1 encephalopathy', 'epilepsy due to a SCN1A mutation'
places as (
    select distinct
        item.reading,
        unnest([
            regexp_extract(item.reading, '^{{ gene }} ', 1),
            regexp_extract(item.reading, ' {{ cause }} {{ altered_gene }}$', 1),
            regexp_extract(
                item.reading, '^{{ alteration }} (?:in|of|en|de|del gen) (?:the )?{{ gene }}', 1
            )
        ]) as gene_name,
    from keys
),

gene_names as (
    select
        places.reading,
        min(symbols.gene_symbol) as gene_symbol,
        min_by(places.gene_name, symbols.gene_symbol) as gene_name,
    from places
    inner join symbols on places.gene_name = symbols.name
    group by all
),

final as (
    select
        keys.reading_key,
        keys.item.reading,
        keys.item.reading_order,
        keys.item.is_alternative,
        if(starts_with(keys.item.reading, keys.own_head || ' '), keys.own_head, null) as own_head,
        gene_names.gene_symbol,
        trim(
            regexp_replace(
                replace(
                    ' ' || gene_names.reading || ' ', ' ' || gene_names.gene_name || ' ', ' '
                ),
                ' ({{ empty_words }}|{{ cause }}|in|of|the|an|en|de|del|una|el)\b',
                '',
                'g'
            )
        ) as beside_gene,
    from keys
    left join gene_names on keys.item.reading = gene_names.reading
)

select * from final
