{#
  The frequency of a finding in a disease, as phenotype.hpoa writes it: a term of the HPO frequency
  branch (HP:0040281), a count of persons (7/13), a percentage (45%), or nothing.
#}

{# Which of the four forms a text has: term, count, percentage, or none; null for any other text. #}
{% macro frequency_kind(text) -%}
  case
    when coalesce(trim({{ text }}), '') = '' then 'none'
    when regexp_full_match(trim({{ text }}), 'HP:\d{7}') then 'term'
    when regexp_full_match(trim({{ text }}), '\d+\s*/\s*0*[1-9]\d*') then 'count'
    when regexp_full_match(trim({{ text }}), '\d+(\.\d+)?\s*%') then 'percentage'
  end
{%- endmacro %}


{# Persons with the finding, the n of n/m; null for the other forms. #}
{% macro frequency_n_observed(text) -%}
  case
    when {{ frequency_kind(text) }} = 'count' then trim(split_part({{ text }}, '/', 1))::integer
  end
{%- endmacro %}


{# Persons examined, the m of n/m; null for the other forms. #}
{% macro frequency_n_total(text) -%}
  case
    when {{ frequency_kind(text) }} = 'count' then trim(split_part({{ text }}, '/', 2))::integer
  end
{%- endmacro %}


{# A percentage as a fraction of 1; null for the other forms. #}
{% macro frequency_percentage(text) -%}
  case
    when {{ frequency_kind(text) }} = 'percentage'
      then trim(replace({{ text }}, '%', ''))::double / 100
  end
{%- endmacro %}


{#
  What stands for the frequency of an annotation that states none: 0.5, the middle of what is
  possible and close to the annotations that state one (OMIM, counts of five persons and more: mean
  0.46; DECIPHER: mean 0.49). Not 1: an unstated frequency is no claim that every patient has the
  finding.
#}
{% macro default_phenotype_frequency() -%}
  {{ var("default_phenotype_frequency", 0.5) }}
{%- endmacro %}


{#
  The fewest persons, pooled, whose count outweighs an expert's frequency term: 1/1 is not
  "100 %", and below five the 95 % interval of an observed proportion is wider than any HPO term.
#}
{% macro min_counted_persons() -%}
  {{ var("min_counted_persons", 5) }}
{%- endmacro %}


{#
  The one frequency of a (disease, finding) pair out of all that is known of it, 0 to 1: the pooled
  count when enough persons were counted, then the mean percentage, then the mean of the frequency
  terms' points, then a pooled count however small, then the default. Only NOT annotations: 0.
#}
{% macro pooled_frequency(n_affirmed, n_observed, n_total, percentage, term_point) -%}
  case {{ pooled_frequency_source(n_affirmed, n_total, percentage, term_point) }}
    when 'excluded' then 0.0
    when 'count' then {{ n_observed }}::double / {{ n_total }}
    when 'percentage' then {{ percentage }}::double
    when 'term' then {{ term_point }}::double
    when 'default' then {{ default_phenotype_frequency() }}
  end::double
{%- endmacro %}


{# Which of the rules of pooled_frequency decided. #}
{% macro pooled_frequency_source(n_affirmed, n_total, percentage, term_point) -%}
  case
    when {{ n_affirmed }} = 0 then 'excluded'
    when {{ n_total }} >= {{ min_counted_persons() }} then 'count'
    when {{ percentage }} is not null then 'percentage'
    when {{ term_point }} is not null then 'term'
    when {{ n_total }} > 0 then 'count'
    else 'default'
  end
{%- endmacro %}


{#
  The mean of fractions, summed as decimals: a sum of doubles depends on the order in which threads
  deliver them, and two builds would differ in the last digit.
#}
{% macro exact_mean(fraction, condition) -%}
  sum({{ fraction }}::decimal(9, 6)) filter (where {{ condition }})::double
  / count({{ fraction }}) filter (where {{ condition }})
{%- endmacro %}
