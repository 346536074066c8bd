{#- The row shape of evidence, the input to the vote of the terminology judge: a gold diagnosis, a
    way to read an answer, a rule of the semantic_rules seed and the text that shows why it applies.
    `rule` and `reason` are SQL. -#}
{% macro evidence(rule, reason) -%}
    gold_key,
    reading_key,
    {{ rule }} as rule,
    {{ reason }} as reason,
    is_alternative,
{%- endmacro %}

{#- Pairs whose names mean two diseases of Mondo (`gold_key`, `reading_key`), and whether one of the two
    stands above the other (`is_linked`), as a query. -#}
{% macro two_diseases() -%}
select
    pairs.gold_key,
    pairs.reading_key,
    -- counted here: as a condition of the join it would compare every pair with every class
    count(*) filter (
        where shared_classes.class_id in (concepts.concept_id, gold_concepts.concept_id)
    ) > 0 as is_linked,
from {{ ref('int_experiments__judged_pairs') }} as pairs
inner join {{ ref('int_experiments__diagnosis_concepts') }} as concepts
    on
        pairs.reading_key = concepts.reading_key
        and concepts.vocabulary = 'mondo'
        and concepts.is_exact
inner join {{ ref('int_experiments__gold_concepts') }} as gold_concepts
    on
        pairs.gold_key = gold_concepts.gold_key
        and gold_concepts.vocabulary = 'mondo'
        and gold_concepts.is_exact
left join {{ ref('int_experiments__shared_classes') }} as shared_classes
    on
        concepts.concept_id = shared_classes.mondo_id
        and gold_concepts.concept_id = shared_classes.gold_mondo_id
group by all
having not bool_or(concepts.concept_id = gold_concepts.concept_id)
{%- endmacro %}

{#- One row of evidence per pair and rule: of several reasons the alphabetically first is shown. -#}
{% macro first_reasons(relation) -%}
    select
        gold_key,
        reading_key,
        rule,
        is_alternative,
        min(reason) as reason,
    from {{ relation }}
    group by all
{%- endmacro %}

{#- Patterns of the words between a disease and what is said beside it: what it comes with (`company`),
    what it comes from (`origin`; `origin_of` before what may be meant instead), and what begins where,
    when or how far it is (`clause`). -#}
{% macro words_beside(kind) -%}
{{ {
    "company": "with|con|complicated by|complicad[oa] (?:con|por)|presenting (?:as|with)|causing"
        ~ "|leading to|resulting in",
    "origin": "due to|secondary to|caused by|associated with|related to|from|triggered by"
        ~ "|precipitated by|debid[oa] a|secundari[oa] a|causad[oa] por|asociad[oa] (?:a|con)|por",
    "origin_of": "due to|secondary to|caused by|from|debid[oa] a|secundari[oa] a|causad[oa] por|por",
    "clause": "at|in|on|as|after|following|involving|affecting|" ~ staging_systems()
        ~ "|stage|grade|class|requiring|needing|que requiere|como|en|del|tras|estadio|grado|clase",
}[kind] }}
{%- endmacro %}

{#- The names that an answer says beside something else, if no terminology knows the whole (`reading_key`,
    `is_alternative`, `part`, and `bare_part` without qualifiers), as a query: 'DVT' of 'DVT of the left leg'.
    `kind` says what stands beside it: its side (`side`), what it comes with (`company`), what it comes
    from (`cause`), or, of the cause itself, what that leads to (`consequence`). -#}
{% macro spoken_parts() -%}
{%- set company = words_beside("company") -%}
{%- set origin = words_beside("origin") -%}
{%- set origin_of = words_beside("origin_of") -%}
{%- set degree = "onset|stage|grade|phase|severity|severe|moderate|mild|relapsing|inicio|estadio"
    ~ "|grado|fase|grave|leve" -%}
{%- set side = "(?:(?:of|in|on|en|de|del) )?(?:(?:the|el|la) )?"
    ~ "(?:(?:left|right|both)(?: [a-z]+){0,2}|[a-z]+ (?:izquierd[oa]|derech[oa]))" -%}
{%- set side_first = "(?:(?:left|right)(?: sided)?|bilateral)"
    ~ "(?: (?:upper|middle|lower))?(?: lobe| lobar)?" -%}
select
    readings.reading_key,
    readings.is_alternative,
    unnest([
        regexp_extract(readings.reading, '^(.+?) (?:{{ company }}|{{ origin }}) .+$', 1),
        regexp_extract(readings.reading, '^(.+) (?:{{ company }}|{{ origin }}) .+$', 1),
        regexp_extract(readings.reading, '^.+? (?:{{ origin_of }}) (.+)$', 1),
        regexp_extract(
            readings.reading, '^.+? (?:{{ origin_of }}) (.+?) (?:{{ company }}|{{ origin }}) .+$', 1
        ),
        regexp_extract(readings.reading, '^(.+?) (?:{{ words_beside('clause') }}) .+$', 1),
        regexp_extract(
            readings.reading, '^(.+?) [a-z0-9]+ (?:positive|negative|positiv[oa]|negativ[oa])$', 1
        ),
        regexp_extract(readings.reading, '^(.+?) {{ side }}$', 1),
        regexp_extract(readings.reading, '^{{ side_first }} (.+)$', 1),
        readings.own_head,
    ]) as part,
    unnest([
        if(
            regexp_full_match(
                regexp_extract(readings.reading, '^.+? ({{ company }}|{{ origin }}) .+$', 1),
                '{{ company }}'
            ),
            'company',
            'cause'
        ),
        'cause',
        'consequence',
        'consequence',
        if(regexp_matches(readings.reading, ' (?:{{ origin }}) '), 'cause', 'company'),
        'company',
        'side',
        'side',
        if(
            regexp_matches(
                substr(readings.reading, length(readings.own_head) + 1), ' (?:{{ degree }})\b'
            ),
            'company',
            'cause'
        ),
    ]) as kind,
    {{ without_words("part", "minor_words.qualifiers") }} as bare_part,
from {{ ref('int_experiments__diagnosis_readings') }} as readings
cross join (
    select list(word) as qualifiers,
    from {{ ref('name_words') }}
    where kind = 'qualifier'
) as minor_words
where
    readings.reading_key not in (
        select reading_key from {{ ref('int_experiments__diagnosis_concepts') }}
        where is_exact
    )
{%- endmacro %}

{#- The ends of an unknown phrase that may name the disease it is a form of, as a query (`reading_key`,
    `reading`, `is_alternative`, `part`, its `n_words`, and `rest`, the other words): behind the adjectives in English, and before
    them in Spanish: 'PPI-induced tubulointerstitial nephritis', 'neumonia lobar neumococica'. -#}
{% macro phrase_heads() -%}
{%- set beside = ["of|to|de", words_beside("company"), words_beside("origin"), words_beside("clause")]
    | join("|") -%}
select
    reading_key,
    reading,
    is_alternative,
    if(language = 'en', phrase, null) as phrase,
    language,
    n_words,
    array_to_string(
        case language
            when 'es' then list_slice(words, 1, n_words)
            else list_slice(words, len(words) - n_words + 1, len(words))
        end,
        ' '
    ) as part,
    if(
        language = 'en', array_to_string(list_slice(words, 1, len(words) - n_words), ' '), null
    ) as rest,
from (
    select
        readings.*,
        languages.language,
        unnest(range(1, len(readings.words) + 1)) as n_words,
    from (
        select
            reading_key,
            reading,
            is_alternative,
            unnest([
                regexp_replace(reading, ' (?:{{ beside }}) .+$', ''),
                regexp_replace(own_head, ' (?:{{ beside }}) .+$', ''),
                reading,  -- 'cefalea en racimos episodica'
            ]) as phrase,
            string_split(phrase, ' ') as words,
        from {{ ref('int_experiments__diagnosis_readings') }}
        where
            reading like '% %'
            and reading_key not in (
                select reading_key from {{ ref('int_experiments__diagnosis_concepts') }}
                where is_exact
            )
    ) as readings
    cross join (
        select unnest(['en', 'es']) as language,
    ) as languages
    where languages.language = 'es' or not regexp_matches(readings.phrase, ' (?:{{ beside }}) ')
) as ends
{%- endmacro %}
