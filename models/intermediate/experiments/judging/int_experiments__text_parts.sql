{#- words that make a name the name of a class: 'Metabolic disorder - X' names X -#}
{%- set category_end = "(disorders?|diseases?|syndromes?|conditions?|errors? of metabolism|defects?"
    ~ "|infections?|trastornos?|enfermedad(es)?|sindromes?)" -%}
{%- set example = "^\\s*(e\\.? ?g\\b\\.?|such as|like|including|for example|por ejemplo)" -%}
{%- set several = "(?i)\\s+(and/or|and|or|versus|vs\\.?|y|o)\\s+|[,/;|]" -%}
{%- set either = "(?i)\\s+(and/or|or|versus|vs\\.?|o)\\s+|[/;]" -%}
{%- set in_brackets = "'[(\\[][^)\\]]*[)\\]]'" -%}
with written as (
    select
        diagnosis,
        {{ plain_punctuation("diagnosis") }} as text,
        {{ normalise_name("diagnosis") }} as diagnosis_normalised,
    from {{ ref('int_experiments__diagnosis_texts') }}
),

-- an answer that grades itself speaks to the judge and names no disease
graded as (
    select written.diagnosis,
    from written
    semi join {{ ref('semantic_relations') }} as relations
        on
            relations.is_label
            and contains(
                written.diagnosis_normalised, {{ normalise_name("relations.semantic_relation") }}
            )
),

known as (
    select distinct alias_normalised,
    from {{ ref('dim_concept_alias') }}
    where vocabulary in ('disease', 'icd10cm', 'mondo')
),

-- one rank holds one diagnosis: who writes more into it than a list has ranks has not decided, and
-- who writes the same one again and again has
parts as (
    select
        diagnosis,
        unnest(string_split_regex(text, '{{ several }}')) as part,
    from written
    where diagnosis_normalised not in (select alias_normalised from known)
),

crowded as (
    select parts.diagnosis,
    from parts
    left join known on {{ normalise_name("parts.part") }} = known.alias_normalised
    group by all
    having
        count(distinct known.alias_normalised) > {{ max_scored_rank() }}
        or count(distinct {{ normalise_name("parts.part") }}) > 2 * {{ max_scored_rank() }}
),

named as (
    select
        written.diagnosis,
        written.text,
    from written
    anti join graded on written.diagnosis = graded.diagnosis
    anti join crowded on written.diagnosis = crowded.diagnosis
),

-- with a category in front, the diagnosis is what stands behind it
texts as (
    select
        diagnosis,
        text,
        0 as text_order,
    from named
    union all
    select
        diagnosis,
        regexp_extract(
            text, '^[^:(\[]{3,60}\b{{ category_end }}\s*(:| - | – | — )\s*(.{3,})$', 4, 'i'
        ) as text,
        1 as text_order,
    from named
    where regexp_matches(text, ':| - | – | — ')
),

bracketed as (
    select
        diagnosis,
        text_order,
        unnest(regexp_extract_all(text, '[(\[]([^)\]]{3,})[)\]]', 1)) as text,
    from texts
),

outside_brackets as (
    select
        diagnosis,
        text_order,
        regexp_replace(text, {{ in_brackets }}, ' ', 'g') as text,
    from texts
    where text != ''
),

-- brackets hold another name of the same, or examples
examples as (
    select
        diagnosis,
        text_order,
        regexp_replace(text, '{{ example }}', '', 'i') as text,
        regexp_matches(text, '{{ example }}', 'i') as is_example,
    from bracketed
),

-- one of several things named together: 'X or Y', 'X/Y', examples in brackets. What stands in one
-- place can be names of one disease, examples never are; commas alone set names apart only there
alternatives as (
    select
        diagnosis,
        text_order,
        'text' as place,
        unnest(string_split_regex(text, '{{ either }}')) as text,
    from outside_brackets
    where
        regexp_matches(text, '{{ either }}|,')
        and {{ normalise_name("text") }} not in (select alias_normalised from known)
    union all
    select
        diagnosis,
        text_order,
        if(is_example, null, 'brackets') as place,
        unnest(string_split_regex(text, '(?i)\s+(and/or|and|or|y|o)\s+|[,/;]')) as text,
    from examples
    where is_example or regexp_matches(text, '[,/;]|(?i)\sor\s')
),

everything as (
    select
        diagnosis,
        text,
        1 + text_order as reading_order,
        null as place,
        false as is_alternative,
    from texts
    union all
    select
        diagnosis,
        text,
        3 + text_order as reading_order,
        null as place,
        false as is_alternative,
    from outside_brackets
    union all
    select
        diagnosis,
        text,
        5 + text_order as reading_order,
        null as place,
        is_example as is_alternative,
    from examples
    union all
    select
        diagnosis,
        text,
        7 + text_order as reading_order,
        place,
        true as is_alternative,
    from alternatives
),

final as (
    select distinct
        diagnosis,
        text,
        reading_order,
        place,
        is_alternative,
    from everything
    where {{ normalise_name("text") }} != ''
)

select * from final
