{#- Overlap of two phenotype profiles weighted by information content, 0 to 1 (Jaccard): the shared
    over the total information content; sizes and overlap are sums of information content. -#}
{% macro profile_similarity(overlap, size, other_size) -%}
    round({{ overlap }} / nullif({{ size }} + {{ other_size }} - {{ overlap }}, 0), 9)
{%- endmacro %}

{#- A word that only distinguishes the members of a series: a number, a number with a letter, one
    letter. -#}
{% macro is_series_mark(word) -%}
    regexp_full_match({{ word }}, '[0-9]{1,2}[a-z]?|[a-z]')
{%- endmacro %}

{#- The words of a normalised name, in order. A negation is part of its word (non-Hodgkin is not
    Hodgkin), X-linked is one word (x is not a number here), an acute exacerbation is an exacerbation
    and makes no chronic disease acute, and Greek letters are spelt out. -#}
{% macro words_of_name(name_normalised) -%}
    {%- set worse = "(exacerbations?|flares?|exacerbacion(?:es)?|agudizacion)" -%}
    {%- set text = namespace(sql=name_normalised) -%}
    {%- for pattern, replacement in [
        ('\\b(non|not|without|no|sin) (\\p{L}+)', 'non\\2'),
        ('\\bx linked\\b', 'xlinked'),
        ('\\bacute ' ~ worse ~ '\\b|\\b' ~ worse ~ ' aguda\\b', '\\1\\2'),
    ] -%}
        {%- set text.sql = "regexp_replace(" ~ text.sql ~ ", '" ~ pattern ~ "', '" ~ replacement ~ "', 'g')" -%}
    {%- endfor -%}
    string_split({{ spell_greek(text.sql) }}, ' ')
{%- endmacro %}

{% macro spell_greek(text) -%}
    {%- set letters = [
        ('α', 'alpha'), ('β', 'beta'), ('γ', 'gamma'), ('δ', 'delta'), ('ε', 'epsilon'), ('κ', 'kappa'),
        ('λ', 'lambda'),
    ] -%}
    {%- set spelt = namespace(sql=text) -%}
    {%- for letter, name in letters -%}
        {%- set spelt.sql = "replace(" ~ spelt.sql ~ ", '" ~ letter ~ "', '" ~ name ~ "')" -%}
    {%- endfor -%}
    {{ spelt.sql }}
{%- endmacro %}

{#- A word without its English plural: -ies is -y, an -s goes unless the word ends in -ss, -us, -is
    or -eas (sclerosis, lupus, pancreas). Short words stay. -#}
{% macro singular(word) -%}
    case
        when length({{ word }}) > 5 and {{ word }} like '%ies' then left({{ word }}, -3) || 'y'
        when length({{ word }}) > 4 and regexp_matches({{ word }}, '([^suia]|[^e]a)s$') then left({{ word }}, -1)
        else {{ word }}
    end
{%- endmacro %}

{#- A form that the English and the Spanish spelling of one Greek or Latin word share: colecistitis and
    cholecystitis, leucemia and leukaemia, obesidad and obesity. Not a word to be read. -#}
{% macro latin_skeleton(word) -%}
    {%- set steps = [
        ('^es([bcdfglmnpqtv])', 's\\1'), ('^p([nst])', '\\1'), ('[ct]?tion', 'cion'),
        ('tial', 'cial'), ('ntia', 'ncia'), ('nct', 'nt'), ('n([bfmp])', 'm\\1'), ('ae|oe', 'e'),
        ('idad$', 'it'), ('ous$', 'os'),
        ('(b)b+|(c)c+|(d)d+|(f)f+|(g)g+|(l)l+|(m)m+|(n)n+|(p)p+', '\\1\\2\\3\\4\\5\\6\\7\\8\\9'),
        ('(r)r+|(s)s+|(t)t+', '\\1\\2\\3'), ('[aeio]+$', ''),
    ] -%}
    {%- set hard_letters = "regexp_replace(replace(" ~ word ~ ", 'ph', 'f'), 'qu|k|ch|z', 'c', 'g')" -%}
    {%- set skeleton = namespace(sql="translate(" ~ hard_letters ~ ", 'yh', 'i')") -%}
    {%- for pattern, replacement in steps -%}
        {%- set skeleton.sql = "regexp_replace(" ~ skeleton.sql ~ ", '" ~ pattern ~ "', '" ~ replacement ~ "', 'g')" -%}
    {%- endfor -%}
    {{ skeleton.sql }}
{%- endmacro %}

{#- Whether two lists of 'axis=value' contradict each other: they have an axis in common but no
    value on it (acute and chronic; not late and adult, which share a value). -#}
{% macro is_opposed(values, other_values) -%}
    len(
        list_filter(
            list_intersect(
                list_transform({{ values }}, lambda v: split_part(v, '=', 1)),
                list_transform({{ other_values }}, lambda v: split_part(v, '=', 1))
            ),
            lambda axis:
                not list_contains(
                    list_transform(
                        list_intersect({{ values }}, {{ other_values }}),
                        lambda v: split_part(v, '=', 1)
                    ),
                    axis
                )
        )
    ) > 0
{%- endmacro %}

{#- The initials of a name; prepositions, single letters and numbers are left out. -#}
{% macro initials(name_normalised) -%}
    regexp_replace(
        regexp_replace(
            ' ' || {{ name_normalised }},
            ' (of|the|and|in|to|with|due|by|de|del|la|el|y|[0-9]+[a-z]?|[a-z])\b',
            '',
            'g'
        ),
        ' (.)[^ ]*',
        '\1',
        'g'
    )
{%- endmacro %}

{#- A name with its Greek compounds as two words, since an abbreviation has a letter of each:
    DKA, HCM, FSGS, GPA, GERD, SDH. -#}
{% macro compounds_apart(name_normalised) -%}
    {%- set heads = [
        'adreno', 'arterio', 'broncho', 'cardio', 'cerebro', 'cortico', 'encephalo', 'entero', 'gastro',
        'glomerulo', 'hepato', 'keto', 'leuko', 'lympho', 'membrano', 'meningo', 'myelo', 'neuro', 'osteo',
        'poly', 'spondylo', 'sub', 'tubulo', 'xantho',
    ] -%}
    regexp_replace({{ name_normalised }}, '\b({{ heads | join("|") }})([a-z]{5,})', '\1 \2', 'g')
{%- endmacro %}

{#- The words that are made of the first letters of a name, as a list. -#}
{% macro abbreviations(name_normalised) -%}
    [
        {{ initials(name_normalised) }},
        {{ initials(compounds_apart(name_normalised)) }},
        regexp_replace(' ' || {{ name_normalised }}, ' (.)[^ ]*', '\1', 'g')
    ]
{%- endmacro %}

{#- Whether a word is made of the first letters of a name. -#}
{% macro abbreviates(word, name_normalised) -%}
    list_contains({{ abbreviations(name_normalised) }}, {{ word }})
{%- endmacro %}

{#- Whether a short text consists of the initials of a name, in any order: EPI and 'enfermedad
    inflamatoria pélvica'. -#}
{% macro has_letters_of(short, name) -%}
    (
        length(trim({{ short }})) between 2 and 6
        and list_sort(string_split({{ normalise_name(short) }}, ''))
        = list_sort(string_split({{ initials(normalise_name(name)) }}, ''))
    )
{%- endmacro %}

{#- Whether an abbreviation of the clinical_abbreviation seed stands for one diagnosis only. -#}
{% macro has_one_sense(abbreviation) -%}
    {{ abbreviation }} not in (
        select abbreviation
        from {{ ref('clinical_abbreviation') }}
        group by abbreviation
        having
            count(distinct coalesce(icd10_code, expansion)) > 1
            or bool_or(icd10_code is null)
    )
{%- endmacro %}

{#- A name without some of its words, which are a list: 'chronic ITP' without qualifiers is ITP. -#}
{% macro without_words(name_normalised, words) -%}
    array_to_string(
        list_filter(
            string_split({{ name_normalised }}, ' '), lambda w: not list_contains({{ words }}, w)
        ),
        ' '
    )
{%- endmacro %}

{#- The terminology judge's input about a gold diagnosis, as one key: gold diagnoses with the same
    names and codes are judged as one, and no id of a case is part of it. -#}
{% macro gold_key(names, codes="[]", concept_id="null", icd10_code="null") -%}
    md5(
        to_json({
            'names': {{ names }},
            'codes': {{ codes }},
            'concept_id': {{ concept_id }},
            'icd10_code': {{ icd10_code }}
        })::varchar
    )
{%- endmacro %}

{#- A text with full-width East Asian punctuation replaced by the signs at which names are
    split. -#}
{% macro plain_punctuation(text) -%}
    translate({{ text }}, '（）［］【】／｜；：，、　', '()[][]/|;:,, ')
{%- endmacro %}

{#- A pattern for letters that are neither Latin nor Greek, and for Greek words: one Greek letter is
    part of a Latin name (β-thalassemia, the micro sign too). -#}
{% macro foreign_letters() -%}
    '[^\p{Latin}\p{Greek}\P{L}µ]+|\p{Greek}{2,}'
{%- endmacro %}

{% macro has_foreign_letters(text) -%}
    regexp_matches({{ text }}, {{ foreign_letters() }})
{%- endmacro %}

{#- The Latin name in a text that writes it beside another script (Brugada综合征); null where the text
    has one script, or no Latin word of three letters. -#}
{% macro latin_text(text) -%}
    case
        when {{ has_foreign_letters(text) }} and regexp_matches({{ text }}, '\p{Latin}{3}')
            then regexp_replace({{ text }}, {{ foreign_letters() }}, ' ', 'g')
    end
{%- endmacro %}

{#- How far a disease is, by the name of who graded it or of what is graded: 'CLL, Rai stage III'. -#}
{% macro staging_systems() -%}
    ann arbor|bclc|binet|braak|child pugh|durie salmon|ecog|fontaine|forrest|garden|gleason|gold|gustilo|hinchey|hoehn|hunt hess|hurley|killip|nyha|rai|rutherford|salter harris|tanner|wagner|figo|tnm|ajcc
{%- endmacro %}
