{# The root of the whole ontology, "All". #}
{% macro hpo_root() -%}
  HP:0000001
{%- endmacro %}


{# The root of what a patient can have, "Phenotypic abnormality"; the other branches say how it is
   inherited, when it began, how often it is seen. #}
{% macro hpo_phenotypic_abnormality() -%}
  HP:0000118
{%- endmacro %}


{# The root of the ages a disease begins at, "Onset". #}
{% macro hpo_onset() -%}
  HP:0003674
{%- endmacro %}


{# The roots of what the laboratory measures: "Abnormal circulating metabolite concentration" and
   "Abnormal homeostasis" (glucose, acid and base, temperature). #}
{% macro hpo_measurements() -%}
  ('HP:0032180', 'HP:0012337')
{%- endmacro %}
