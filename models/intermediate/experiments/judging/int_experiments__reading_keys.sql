{#- words that make a name a category: 'Metabolic disorder - X' names X -#}
{%- set category_end = "(disorders?|diseases?|syndromes?|conditions?|errors? of metabolism|defects?"
    ~ "|infections?|trastornos?|enfermedad(es)?|sindromes?)" -%}
{%- set example = "^\\s*(e\\.? ?g\\b\\.?|such as|like|including|for example|por ejemplo)" -%}
{%- set several = "(?i)\\s+(and/or|and|or|versus|vs\\.?|y|o)\\s+|[,/;|]" -%}
{%- set either = "(?i)\\s+(and/or|or|versus|vs\\.?|o)\\s+|[/;]" -%}
{%- set adjective = "[a-z]+(al|ic|ous|ary|ive|ar)" -%}
{%- set in_brackets = "'[(\\[][^)\\]]*[)\\]]'" -%}
{%- set readings -%}
    list(
        {
            reading: text_readings.reading,
            reading_order: text_readings.reading_order,
            is_alternative: text_readings.is_alternative
        } order by text_readings.reading
    ) filter (where text_readings.reading is not null)
{%- endset -%}
-- An answer is split in every way it can be meant, and each part that can name a disease is a
-- reading. The first in `reading_order` is the closest to the written text.
with diagnoses as (
    select diagnosis,
    from {{ ref('int_experiments__judged_lists') }}
    where is_judged
    union
    select diagnosis,
    from {{ ref('judge_anchors') }}
),

written as (
    select
        diagnosis,
        {{ plain_punctuation("diagnosis") }} as text,
        {{ normalise_name("diagnosis") }} as diagnosis_normalised,
        -- what stands before the first comma: a disease with its site, stage or form behind it
        regexp_extract(text, '^([^,(\[]{3,}),\s*\S', 1) as before_comma,
        if(
            before_comma = ''
            or regexp_matches(lower(before_comma), '\b(and|or|y|o)\b')
            or {{ has_foreign_letters("before_comma") }},
            null,
            {{ american_spelling(normalise_name("before_comma")) }}
        ) as head,
    from diagnoses
),

-- the meaning of a name by itself. ICD-10-CM codes diagnoses, which are not always diseases
-- ('family history of ...'), and a heading does not mean everything coded to it
known_names as (
    select
        alias_normalised as name,
        bool_or(vocabulary in ('disease', 'mondo')) as is_disease,
        bool_or(vocabulary in ('disease', 'icd10cm', 'mondo')) as is_diagnosis,
        bool_or(scope in ('preferred', 'exact')) as is_spelt_out,
        coalesce(
            list(distinct concept_id)
            filter (where scope in ('preferred', 'exact', 'abbreviation')),
            []
        ) as concept_ids,
    from {{ ref('dim_concept_alias') }}
    group by all
),

-- an answer that grades itself addresses the judge and names no disease
self_gradings as (
    select written.diagnosis,
    from written
    semi join {{ ref('semantic_relations') }} as relations
        on
            relations.is_label
            and contains(
                written.diagnosis_normalised, {{ normalise_name("relations.semantic_relation") }}
            )
),

pieces as (
    select
        written.diagnosis,
        unnest(string_split_regex(written.text, '{{ several }}')) as piece,
    from written
    anti join known_names
        on written.diagnosis_normalised = known_names.name and known_names.is_diagnosis
),

-- one rank holds one diagnosis: an answer with more names than a list has ranks has not decided;
-- one that repeats a single name has
crowded_texts as (
    select pieces.diagnosis,
    from pieces
    left join known_names
        on {{ normalise_name("pieces.piece") }} = known_names.name and known_names.is_diagnosis
    group by all
    having
        count(distinct known_names.name) > {{ max_scored_rank() }}
        or count(distinct {{ normalise_name("pieces.piece") }}) > 2 * {{ max_scored_rank() }}
),

-- after a category, the rest is the diagnosis
texts as (
    select
        diagnosis,
        unnest([
            text,
            regexp_extract(
                text, '^[^:(\[]{3,60}\b{{ category_end }}\s*(:| - | – | — )\s*(.{3,})$', 4, 'i'
            )
        ]) as text,
        unnest([0, 1]) as text_order,
    from written
    anti join self_gradings using (diagnosis)
    anti join crowded_texts using (diagnosis)
),

outside_brackets as (
    select
        diagnosis,
        text_order,
        regexp_replace(text, {{ in_brackets }}, ' ', 'g') as text,
    from texts
    where text != ''
),

bracketed as (
    select
        diagnosis,
        text_order,
        unnest(regexp_extract_all(text, '[(\[]([^)\]]{3,})[)\]]', 1)) as text,
    from texts
),

-- brackets hold another name of the same disease, or examples; '(hepatic type)' is neither, nor is
-- '(chlamydial)'
examples as (
    select
        diagnosis,
        text_order,
        regexp_replace(text, '{{ example }}', '', 'i') as text,
        regexp_matches(text, '{{ example }}', 'i') as is_example,
    from bracketed
    left join known_names on {{ normalise_name("bracketed.text") }} = known_names.name
    where
        not regexp_matches(text, '\b(type|form|variant|tipo|forma|variante)\s*$', 'i')
        and (
            coalesce(known_names.is_diagnosis, false)
            or not regexp_full_match({{ normalise_name("text") }}, '{{ adjective }}')
        )
),

-- one of several diseases named together: 'X or Y', 'X/Y', examples in brackets. Alternatives in
-- one place can be names of one disease, examples never are; commas separate names only there
alternatives as (
    select
        diagnosis,
        text_order,
        'text' as place,
        unnest(string_split_regex(text, '{{ either }}')) as text,
    from outside_brackets
    anti join known_names
        on
            {{ normalise_name("outside_brackets.text") }} = known_names.name
            and known_names.is_diagnosis
    where regexp_matches(text, '{{ either }}|,')
    union all by name
    select
        diagnosis,
        text_order,
        if(is_example, null, 'brackets') as place,
        unnest(string_split_regex(text, '(?i)\s+(and/or|and|or|y|o)\s+|[,/;]')) as text,
    from examples
    where is_example or regexp_matches(text, '[,/;]|(?i)\sor\s')
),

parts as (
    {%- for source, order, is_alternative in [
        ("texts", 1, "false"), ("outside_brackets", 3, "false"), ("examples", 5, "is_example"),
        ("alternatives", 7, "true"),
    ] %}
        select
            diagnosis,
            text,
            {{ "place" if source == "alternatives" else "null" }} as place,
            {{ order }} + text_order as reading_order,
            {{ is_alternative }} as is_alternative,
        from {{ source }}
        where {{ normalise_name("text") }} != ''
        {%- if not loop.last %}
            union
        {%- endif %}
    {%- endfor %}
),

-- an alternative, or its parts between commas if the whole is unknown: 'X/X, X'
separate_texts as (
    select distinct
        parts.diagnosis,
        parts.reading_order,
        parts.place,
        trim(unnest(
            if(len(known_names.concept_ids) > 0, [parts.text], string_split(parts.text, ','))
        )) as text,
    from parts
    left join known_names on {{ normalise_name("parts.text") }} = known_names.name
    where parts.place is not null
),

names as (
    select
        separate_texts.*,
        {{ normalise_name("separate_texts.text") }} as name,
        coalesce(len(known_names.concept_ids) > 0, false) as is_known,
        -- an unknown name means itself
        unnest(
            if(
                len(known_names.concept_ids) > 0,
                known_names.concept_ids,
                [{{ normalise_name("separate_texts.text") }}]
            )
        ) as concept_id,
        {{ is_imported_abbreviation("separate_texts.text") }}
        and not coalesce(known_names.is_spelt_out, false) as is_abbreviation,
        {{ has_foreign_letters("separate_texts.text") }} as is_foreign,
        coalesce({{ normalise_name(latin_text("separate_texts.text")) }}, '') as latin_name,
    from separate_texts
    left join known_names on {{ normalise_name("separate_texts.text") }} = known_names.name
    where {{ normalise_name("separate_texts.text") }} != ''
),

-- beside a readable name, its abbreviation and text in another script add nothing, unless they
-- abbreviate another disease or contain its Latin name
redundant_names as (
    select
        names.diagnosis,
        names.reading_order,
        names.place,
        names.name,
    from names
    inner join names as beside
        on
            names.diagnosis = beside.diagnosis
            and names.reading_order = beside.reading_order
            and names.place = beside.place
            and not beside.is_abbreviation
            and not beside.is_foreign
    where
        (
            names.is_foreign
            and not names.is_known
            and (
                names.latin_name = ''
                or contains(' ' || beside.name || ' ', ' ' || names.latin_name || ' ')
            )
        )
        or (
            names.is_abbreviation
            and (names.name = {{ initials("beside.name") }} or not names.is_known)
            -- its letters in this order
            and beside.name like (
                '%' || array_to_string(regexp_extract_all(names.name, '\p{L}'), '%') || '%'
            )
        )
),

telling_names as (
    select
        *,
        count(distinct name) over (partition by diagnosis, reading_order, place) as n_names,
    from names
    anti join redundant_names using (diagnosis, reading_order, place, name)
),

-- names of one disease leave nothing open: one concept has them all
single_diseases as (
    select
        diagnosis,
        reading_order,
        place,
    from telling_names
    group by diagnosis, reading_order, place, concept_id, n_names
    having count(distinct name) = n_names
),

-- 'X 综合征' is read as X too
readings as (
    select
        diagnosis,
        {{ normalise_name("unnest([text, " ~ latin_text("text") ~ "])") }} as reading,
        reading_order,
        is_alternative,
    from parts
    anti join single_diseases using (diagnosis, reading_order, place)
    union all
    select
        diagnosis,
        name as reading,
        reading_order,
        false as is_alternative,
    from telling_names
    semi join single_diseases using (diagnosis, reading_order, place)
    union all
    -- an abbreviation of one meaning is spelt out beside other words: 'ACV hemorrágico'
    select
        parts.diagnosis,
        trim(
            replace(
                ' ' || {{ normalise_name("parts.text") }} || ' ',
                ' ' || {{ normalise_name("abbreviations.abbreviation") }} || ' ',
                ' ' || {{ normalise_name("abbreviations.expansion") }} || ' '
            )
        ) as reading,
        10 + parts.reading_order as reading_order,
        parts.is_alternative,
    from (
        select
            *,
            unnest(regexp_extract_all(text, '[\p{L}\p{N}]+')) as word,
        from parts
        where place is null
    ) as parts
    inner join {{ ref('clinical_abbreviation') }} as abbreviations
        on parts.word = abbreviations.abbreviation
    where
        not regexp_matches(parts.text, '[(\[]')
        and {{ normalise_name("parts.text") }}
        != {{ normalise_name("abbreviations.abbreviation") }}
        and not contains(
            {{ normalise_name("parts.diagnosis") }},
            {{ normalise_name("abbreviations.expansion") }}
        )
        and {{ has_one_sense("abbreviations.abbreviation") }}
),

-- denied diseases are not read, unless the wording is part of a disease's name
text_readings as (
    select
        readings.diagnosis,
        {{ american_spelling("readings.reading") }} as reading,
        min(readings.reading_order)::integer as reading_order,
        bool_and(readings.is_alternative) as is_alternative,
    from readings
    left join known_names on readings.reading = known_names.name
    where
        length(readings.reading) >= 2
        and (not {{ is_denied('readings.reading') }} or coalesce(known_names.is_disease, false))
    group by all
),

-- The key is made of what is read and nothing else: texts with the same readings are judged once,
-- and two that only normalise alike ('type II (Pompe disease)', 'type II Pompe disease') are not.
final as (
    select
        written.diagnosis,
        {{ readings }} as readings,
        if(bool_and(text_readings.reading != written.head), written.head, null) as own_head,
        md5(coalesce(to_json({{ readings }})::varchar, '') || coalesce(own_head, ''))
            as reading_key,
    from written
    left join text_readings using (diagnosis)
    group by written.diagnosis, written.head
)

select * from final
