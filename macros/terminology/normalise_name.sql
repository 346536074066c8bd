{#
  A clinical name in the form used for comparison: lower case, accents off, the possessive 's of an
  eponym off (Crohn's disease is Crohn disease), every run of punctuation one space, no space at the
  ends. Letters of other alphabets stay (beta is not β here). Null stays null.
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
  The words of a normalised name in alphabetical order: what an inverted heading (Emphysema,
  congenital lobar) and the same name as it is spoken (Congenital lobar emphysema) share.
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
