{#- Whether a normalised name says that a disease is denied, past, a relative's or only carried: it
    is not the diagnosis then. -#}
{% macro is_denied(name) -%}
    {%- set pattern = "^(no|not|sin|anything but|other than|negative for|negativo para|riesgo de"
        ~ "|(se )?(descartar?|excluye)|((past |personal |family |familial )*history|risk) of"
        ~ "|antecedentes?( familiares| personales)* de)\\b"
        ~ "|\\b(ruled out|excluded|unlikely|improbable|descartad[oa]s?|excluid[oa]s?"
        ~ "|(no|without|sin) (evidence|evidencia) (of|de)"
        ~ "|(carriers?|portador(a|es)?) (of|for|de))\\b"
        ~ "|\\b(carrier|portadora?)( status)?$" -%}
    regexp_matches({{ name }}, '{{ pattern }}')
{%- endmacro %}
