{#
  Information content of a term, in nats: -ln(n / N), n diseases that have the term or anything
  below it among N diseases in all (Resnik 1995, with annotations in place of word counts). 0 for
  the root, null where no disease has the term.
#}
{% macro information_content(n_diseases, n_diseases_in_all) -%}
  case
    when {{ n_diseases }} > 0
      then abs(-ln({{ n_diseases }}::double / {{ n_diseases_in_all }}))
  end
{%- endmacro %}
