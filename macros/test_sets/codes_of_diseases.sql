{#-
  Canonical diseases (`disease_id`) with the ICD-10-CM code of one of their names (`icd10_code`), as
  a query. ICD-10-CM has codes for few rare diseases: only those with exactly the same name, which
  no other code has, get one.
-#}
{% macro codes_of_diseases() -%}
select
    names.concept_id as disease_id,
    min(codes.concept_id) as icd10_code,
from {{ ref('dim_concept_alias') }} as names
inner join {{ ref('dim_concept_alias') }} as codes
    on names.alias_normalised = codes.alias_normalised and codes.vocabulary = 'icd10cm'
where
    names.vocabulary = 'disease'
    and names.scope != 'abbreviation'
    -- a name written by hand says what a disease is called, not how it is coded
    and names.source != 'clinical usage'
group by all
having count(distinct codes.concept_id) = 1
{%- endmacro %}
