{#- How an encounter ended, worst first: a death; an ICU stay or at least 18 days on a ward; 5 to 17
    days on a ward (docs/specification.md#encounter-outcomes). Days are whole and may be null (not
    admitted). -#}
{% macro encounter_outcome(discharge_reason, ward_days, icu_days) -%}
    case
        when {{ normalise_name(discharge_reason) }} in ('fallecimiento', 'exitus') then 'death'
        when coalesce({{ icu_days }}, 0) > 0 or coalesce({{ ward_days }}, 0) >= 18 then 'critical'
        when coalesce({{ ward_days }}, 0) >= 5 then 'severe'
        else 'other'
    end
{%- endmacro %}

{#- An ICD-10 code in the form used for look-ups: upper case, letters and digits only, a dot after
    the third character. 'j189 ' is J18.9. -#}
{% macro clean_icd10_code(text) -%}
    regexp_replace(
        regexp_replace(upper({{ text }}), '[^A-Z0-9]', '', 'g'), '^(.{3})(.+)$', '\1.\2'
    )
{%- endmacro %}

{#- A measured value as people type it: decimal comma or point, perhaps followed by a unit or a
    percent sign. Null for anything that is not a number or that nobody survives for an hour. -#}
{% macro vital_sign(text, lowest, highest) -%}
    case
        when
            try_cast(
                replace(regexp_extract({{ text }}, '^\s*(\d+([.,]\d+)?)', 1), ',', '.') as double
            ) between {{ lowest }} and {{ highest }}
            then replace(regexp_extract({{ text }}, '^\s*(\d+([.,]\d+)?)', 1), ',', '.')::double
    end
{%- endmacro %}

{#- A phrase of the generator for one patient, with gender endings and sides filled in. -#}
{% macro fill_phrase(phrase, sex, side) -%}
    replace(replace(replace(replace(
        {{ phrase }},
        '{o}', if({{ sex }} = 'female', 'a', 'o')),
        '{a}', if({{ sex }} = 'female', 'a', '')),
        '{lado}', if({{ side }} = '1', 'derecho', 'izquierdo')),
        '{lada}', if({{ side }} = '1', 'derecha', 'izquierda'))
{%- endmacro %}

{#- First letter upper case. -#}
{% macro sentence_case(text) -%}
    upper(left({{ text }}, 1)) || substr({{ text }}, 2)
{%- endmacro %}

{#- Where one free-text judgement lists several diagnoses: a slash, a plus sign or a line break
    between blanks, the end of a sentence, the number of a list. 'ICC DESCOMPENSADA / EPOC' is two,
    'Otitis externa derecha. Otitis media' is two, 'Insuf. cardiaca' and 'Fx. de radio' are one
    each. -#}
{% macro judgement_parts(text) -%}
    list_filter(
        list_transform(
            regexp_split_to_array(
                regexp_replace(
                    {{ points_of_abbreviations(numbers_as_lines(text), "chr(2)") }},
                    '([\p{L}\p{N})\]%])\.[\-–]?\s+(\p{Lu})', e'\\1\n\\2', 'g'
                ),
                '(\s/\s)|(\s\+\s)|(\s*\n\s*)'
            ),
            lambda part: trim(regexp_replace(replace(part, chr(2), '.'), '[\s.,;\-]+$', ''))
        ),
        lambda part: part != ''
    )
{%- endmacro %}

{#- The parts that name what the patient has: 'No TCE' and 'Antecedente de ictus' are no gold
    diagnosis, unless nothing else was written. -#}
{% macro stated_parts(text) -%}
    coalesce(
        nullif(
            list_filter(
                {{ judgement_parts(text) }},
                lambda part: not {{ is_denied(normalise_name("part")) }}
            ),
            []
        ),
        {{ judgement_parts(text) }}
    )
{%- endmacro %}

{#- '1. Otitis 2.- Gripe' without its numbers, a line each; only where the text begins with such a
    1. -#}
{% macro numbers_as_lines(text) -%}
    if(
        regexp_matches({{ text }}, '^\s*1\s?(\.-|[.)\-])\s*\p{L}'),
        regexp_replace({{ text }}, '(^|\s)\d{1,2}\s?(\.-|[.)\-])\s*(\p{L})', e'\n\\3', 'g'),
        {{ text }}
    )
{%- endmacro %}

{#- A text with the points of its abbreviations written as `mark`: those of the list below, initials
    (p.ej., I.R.A.), and what has no vowel and is not all in capitals (Fx., Tto.). -#}
{% macro points_of_abbreviations(text, mark) -%}
    {%- set abbreviations = [
        "abd", "ac", "ag", "agudiz", "angiop", "ant", "antec", "aprox", "art", "bacter", "bronq",
        "ca", "card", "cardiop", "col", "compl", "congest", "cont", "contus", "cr", "cron", "dd",
        "deg", "descomp", "dg", "diag", "dif", "disn", "doc", "dr", "dra", "dx", "ej", "enf",
        "epis", "esp", "esguin", "est", "etc", "exac", "ext", "fam", "fib", "fig", "fr", "fract",
        "fx", "gastr", "gest", "gral", "grav", "ha", "hª", "hemorr", "hep", "hip", "hosp", "hx",
        "iatrog", "idiop", "incl", "inf", "infec", "infecc", "ins", "insuf", "int", "intest", "iq",
        "lat", "leuc", "lev", "lig", "lumb", "mal", "max", "med", "metast", "min", "mod", "muscul",
        "neo", "neum", "neur", "no", "nº", "num", "núm", "obs", "obstr", "occ", "orig", "pac",
        "part", "pat", "perif", "plq", "pop", "post", "postop", "pos", "ppal", "prev", "prim",
        "prob", "probl", "prof", "psiq", "pulm", "quir", "reag", "rec", "recid", "ref", "resp",
        "resid", "rev", "rx", "sd", "sdr", "sec", "secund", "sept", "sind", "síd", "síndr", "sindr",
        "sínd", "sosp", "sr", "sra", "st", "sta", "sto", "subag", "sup", "superf", "supp", "susp",
        "sx", "tej", "trast", "traum", "trat", "tto", "tx", "urg", "urin", "vasc", "ven", "vert",
        "vs",
    ] -%}
    regexp_replace(
        regexp_replace(
            regexp_replace(
                {{ text }},
                '(^|[\s(/+\-])({{ abbreviations | join("|") }})\.', '\1\2' || {{ mark }}, 'gi'
            ),
            '(^|[\s(/+\-])((?:\p{L}{1,3}\.)+\p{L}{1,3}|\p{L})\.', '\1\2' || {{ mark }}, 'g'
        ),
        '(^|[\s(/+\-])([B-DF-HJ-NP-TV-Zb-df-hj-np-tv-z][b-df-hj-np-tv-z]{1,3})\.', '\1\2' || {{ mark }}, 'g'
    )
{%- endmacro %}

{#- A text as one person types: without accents, or in capitals, if that is their way. -#}
{% macro in_own_style(text, is_without_accents, is_upper_case) -%}
    case
        when {{ is_without_accents }} and {{ is_upper_case }} then upper(strip_accents({{ text }}))
        when {{ is_without_accents }} then strip_accents({{ text }})
        when {{ is_upper_case }} then upper({{ text }})
        else {{ text }}
    end
{%- endmacro %}
