{# The root of the whole ontology, "All". #}
{% macro hpo_root() -%}
  HP:0000001
{%- endmacro %}


{# The root of the findings a patient can have, "Phenotypic abnormality". The other branches hold
    inheritance, onset and frequency. #}
{% macro hpo_phenotypic_abnormality() -%}
  HP:0000118
{%- endmacro %}


{# The root of the ages of onset, "Onset". #}
{% macro hpo_onset() -%}
  HP:0003674
{%- endmacro %}


{# The roots of laboratory findings: "Abnormal circulating metabolite concentration" and "Abnormal
    homeostasis" (glucose, acid and base, temperature). #}
{% macro hpo_measurements() -%}
  ('HP:0032180', 'HP:0012337')
{%- endmacro %}


{# The root of the tumors among them, "Neoplasm". #}
{% macro hpo_neoplasm() -%}
  HP:0002664
{%- endmacro %}


{# The class of tumors in Mondo, "neoplasm". #}
{% macro mondo_neoplasm() -%}
  MONDO:0005070
{%- endmacro %}
