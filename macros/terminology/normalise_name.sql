{#
  A clinical name in the form used for comparison: lower case, without accents and without the
  possessive 's of an eponym (Crohn's disease is Crohn disease), every run of punctuation one space,
  no space at the ends. Letters of other alphabets stay (beta is not β here). Null stays null.
#}
{% macro normalise_name(expression) -%}
  trim(
    regexp_replace(
      regexp_replace(lower(strip_accents({{ expression }})), '[''’`´]s\b', '', 'g'),
      '[^\p{L}\p{N}]+', ' ', 'g'
    )
  )
{%- endmacro %}


{#
  A normalised name in American spelling, which ICD-10-CM, HPO and most names of Mondo have: haemorrhage
  is hemorrhage, oedema edema, tumour tumor. The letter that goes does so only before or after what shows
  that the word is one of these: angioedema and gastroesophageal keep their o, Legionella pneumoniae
  its a.
#}
{% macro american_spelling(normalised_expression) -%}
  {%- set spelt = namespace(sql="regexp_replace(" ~ normalised_expression ~ ", '"
    ~ british_letters() ~ "', '\\1\\2\\3\\4\\5\\6\\7\\8', 'g')") -%}
  {%- for british, american in british_words() -%}
    {%- set spelt.sql = "replace(" ~ spelt.sql ~ ", '" ~ british ~ "', '" ~ american ~ "')" -%}
  {%- endfor -%}
  {{ spelt.sql }}
{%- endmacro %}


{# Whether a normalised name has any of what american_spelling replaces, which is told sooner. #}
{% macro is_spelt_in_british(normalised_expression) -%}
  regexp_matches(
    {{ normalised_expression }},
    '{{ british_letters() }}|{{ british_words() | map("first") | join("|") }}'
  )
{%- endmacro %}


{% macro british_letters() -%}
  {{ return(
    "a(em[aio]|esthe|eochrom|ev(?:us|i|ia|oid)\\b|esarean|etiol|eces)"
    ~ "|[ao](ediatr|edic|eliac|ec(?:al|um|it|om|ol))"
    ~ "|(rrh|pn)o(e)|(f|am)o(et|eb)"
    ~ "|(lymph|myx|papill|o|\\b)o(edem|esoph|estr)"
  ) }}
{%- endmacro %}


{% macro british_words() -%}
  {{ return([
    ('tumour', 'tumor'), ('behaviour', 'behavior'), ('goitre', 'goiter'), ('leucocyt', 'leukocyt'),
    ('sulph', 'sulf'), ('necrotis', 'necrotiz'), ('generalis', 'generaliz'),
    ('localis', 'localiz'), ('organising', 'organizing'), ('labour', 'labor'),
    ('fibre', 'fiber'), ('leucop', 'leukop'),
  ]) }}
{%- endmacro %}


{#
  The words of a normalised name in alphabetical order: the form that an inverted heading
  (Emphysema, congenital lobar) and the spoken name (Congenital lobar emphysema) share.
#}
{% macro name_words(normalised_expression) -%}
  array_to_string(list_sort(string_split({{ normalised_expression }}, ' ')), ' ')
{%- endmacro %}


{#
  Whether a synonym that is not marked as such is an abbreviation: one word of two to eight
  characters with at least two capitals (AxD, CADASIL, MODY2).
#}
{% macro is_imported_abbreviation(name) -%}
  (
    regexp_full_match({{ name }}, '\S{2,8}')
    and regexp_matches({{ name }}, '[A-Z].*[A-Z0-9]')
    and not regexp_matches({{ name }}, '[a-z]{4}')
  )
{%- endmacro %}
