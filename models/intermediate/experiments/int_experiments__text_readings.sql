{#- words that make a name the name of a class: 'Metabolic disorder - X' names X -#}
{%- set category_end = "(disorders?|diseases?|syndromes?|conditions?|errors? of metabolism|defects?"
    ~ "|infections?|trastornos?|enfermedad(es)?|sindromes?)" -%}
{%- set example = "^\\s*(e\\.? ?g\\b\\.?|such as|like|including|for example|por ejemplo)" -%}
{%- set several = "(?i)\\s+(and/or|and|or|versus|vs\\.?|y|o)\\s+|[,/;|]" -%}
{#- a disease that is denied, past, a relative's or only carried is not the diagnosis -#}
{%- set denial = "^(no|not|sin|anything but|other than|negative for|negativo para|riesgo de"
    ~ "|((past |personal |family |familial )*history|risk) of|antecedentes?( familiares| personales)* de)\\b"
    ~ "|\\b(ruled out|excluded|unlikely|improbable|descartad[oa]s?|excluid[oa]s?"
    ~ "|(no|without|sin) (evidence|evidencia) (of|de)|(carriers?|portador(a|es)?) (of|for|de))\\b"
    ~ "|\\b(carrier|portadora?)( status)?$" -%}
{%- set in_brackets = "'[(\\[][^)\\]]*[)\\]]'" -%}
with written as (
    select
        diagnosis,
        {{ normalise_name("diagnosis") }} as diagnosis_normalised,
    from {{ ref('int_experiments__diagnosis_texts') }}
),

-- an answer that grades itself speaks to the judge and names no disease
graded as (
    select written.diagnosis,
    from written
    semi join {{ ref('stg_registry__semantic_relation') }} as relations
        on
            relations.is_label
            and contains(
                written.diagnosis_normalised, {{ normalise_name("relations.semantic_relation") }}
            )
),

known as (
    select
        alias_normalised,
        -- what ICD-10-CM codes is not always a disease: 'family history of ...'
        bool_or(vocabulary != 'icd10cm') as is_disease,
    from {{ ref('dim_concept_alias') }}
    where vocabulary in ('disease', 'icd10cm', 'mondo')
    group by all
),

diseases as (
    select alias_normalised,
    from known
    where is_disease
),

-- one rank holds one diagnosis: who writes more into it than a list has ranks has not decided
parts as (
    select
        diagnosis,
        unnest(string_split_regex(diagnosis, '{{ several }}')) as part,
    from written
    where diagnosis_normalised not in (select alias_normalised from known)
),

crowded as (
    select parts.diagnosis,
    from parts
    left join known on {{ normalise_name("parts.part") }} = known.alias_normalised
    group by all
    having
        count(known.alias_normalised) > {{ max_scored_rank() }}
        or count(*) > 2 * {{ max_scored_rank() }}
),

named as (
    select written.diagnosis,
    from written
    anti join graded on written.diagnosis = graded.diagnosis
    anti join crowded on written.diagnosis = crowded.diagnosis
),

-- with a category in front, the diagnosis is what stands behind it
texts as (
    select
        diagnosis,
        diagnosis as text,
        0 as text_order,
    from named
    union all
    select
        diagnosis,
        regexp_extract(
            diagnosis, '^[^:(\[]{3,60}\b{{ category_end }}\s*(:| - | – | — )\s*(.{3,})$', 4, 'i'
        ) as text,
        1 as text_order,
    from named
    where regexp_matches(diagnosis, ':| - | – | — ')
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

-- one of several things named together: 'X or Y', 'X/Y', examples in brackets
alternatives as (
    select
        diagnosis,
        text_order,
        unnest(string_split_regex(text, '(?i)\s+(and/or|or|versus|vs\.?|o)\s+|/|;')) as text,
    from outside_brackets
    where
        regexp_matches(text, '(?i)\s(and/or|or|versus|vs\.?|o)\s|/|;')
        and {{ normalise_name("text") }} not in (select alias_normalised from known)
    union all
    select
        diagnosis,
        text_order,
        unnest(string_split_regex(text, '(?i)\s+(and/or|and|or|y|o)\s+|[,/;]')) as text,
    from examples
    where is_example or regexp_matches(text, '[,/;]|(?i)\sor\s')
),

everything as (
    select
        diagnosis,
        text,
        1 + text_order as reading_order,
        false as is_alternative,
    from texts
    union all
    select
        diagnosis,
        text,
        3 + text_order as reading_order,
        false as is_alternative,
    from outside_brackets
    union all
    select
        diagnosis,
        text,
        5 + text_order as reading_order,
        is_example as is_alternative,
    from examples
    union all
    select
        diagnosis,
        text,
        7 + text_order as reading_order,
        true as is_alternative,
    from alternatives
),

readings as (
    select
        diagnosis,
        {{ normalise_name("text") }} as reading,
        reading_order,
        is_alternative,
    from everything
),

final as (
    select
        diagnosis,
        reading,
        min(reading_order)::integer as reading_order,
        bool_and(is_alternative) as is_alternative,
    from readings
    where
        length(reading) >= 2
        and (
            not regexp_matches(reading, '{{ denial }}')
            or reading in (select alias_normalised from diseases)
        )
    group by all
)

select * from final
