{#
  The names of the levels, from the widest down (docs/specification.md#icd-10-levels). The seventh
  character, which the specification does not name, tells encounters, stages and sides apart.
#}
{% macro icd10_levels() %}
  {{- return([
    "specialty", "subspecialty", "disease_group", "disease", "variant", "subvariant",
    "seventh_character",
  ]) -}}
{% endmacro %}


{#
  The level of a code: chapters are specialties, blocks subspecialties, categories disease groups;
  below a category the number of characters decides, because placeholder X keeps it true: T07.XXXA
  is a seventh character straight below the disease group T07.
#}
{% macro icd10_level(kind, code) -%}
  case
    when {{ kind }} = 'chapter' then 'specialty'
    when {{ kind }} = 'block' then 'subspecialty'
    else case length(replace({{ code }}, '.', ''))
      when 3 then 'disease_group'
      when 4 then 'disease'
      when 5 then 'variant'
      when 6 then 'subvariant'
      when 7 then 'seventh_character'
    end
  end
{%- endmacro %}
