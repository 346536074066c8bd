{#-
  The CTEs from `aliases` (dim_concept_alias) to `disease_codes`: canonical diseases (`disease_id`)
  with the ICD-10-CM code that has their name (`icd10_code`). ICD-10-CM has codes for few rare
  diseases: only those with exactly the same name, which no other code has, get one. The nearest
  link counts: a name of the disease itself before another name of the same disease in Mondo
  (Kawasaki disease is the mucocutaneous lymph node syndrome), and whole names of a code before
  their halves.
-#}
{% macro codes_of_diseases() -%}
-- `and` in a title means `and` or `or` (ICD-10-CM guidelines, I.A.14): 'Acromegaly and pituitary
-- gigantism' codes either. What restricts one of them (`of`, a comma) may restrict both. A name in
-- square brackets stands for the word before it: 'Severe [Duchenne] muscular dystrophy'
names_of_codes as (
    select
        alias_normalised,
        concept_id as icd10_code,
        0 as distance,
    from aliases
    where vocabulary = 'icd10cm' and scope != 'abbreviation'
    union all
    select
        {{ normalise_name("unnest(string_split(alias, ' and '))") }} as alias_normalised,
        concept_id as icd10_code,
        2 as distance,
    from aliases
    where
        vocabulary = 'icd10cm'
        and source = 'title'
        and regexp_matches(alias, '^[^,]+ and [^,]+$')
        and not regexp_matches(alias, ' and .* (of|in|with|due|without|by|for) ')
    union all
    select
        {{ normalise_name("regexp_replace(alias, '^[A-Za-z]+ \\[([A-Za-z]+)\\] (.+)$', '\\1 \\2')") }}
            as alias_normalised,
        concept_id as icd10_code,
        2 as distance,
    from aliases
    where
        vocabulary = 'icd10cm'
        and source = 'inclusion_term'
        and regexp_matches(alias, '^[A-Za-z]+ \[[A-Z][a-z][a-z][a-z]+\] .+$')
),

-- a name written by hand says what a disease is called, not how it is coded
names_of_diseases as (
    select
        concept_id as disease_id,
        alias_normalised,
        0 as distance,
    from aliases
    where vocabulary = 'disease' and scope != 'abbreviation' and source != 'clinical usage'
    union all
    select
        diseases.concept_id as disease_id,
        others.alias_normalised,
        1 as distance,
    from aliases as diseases
    inner join aliases as classes
        on diseases.alias_normalised = classes.alias_normalised
    inner join aliases as others on classes.concept_id = others.concept_id
    where
        diseases.vocabulary = 'disease' and diseases.scope = 'preferred'
        and classes.vocabulary = 'mondo' and classes.scope = 'preferred'
        and others.scope in ('preferred', 'exact') and others.source != 'clinical usage'
),

nearest_codes as (
    select
        names_of_diseases.disease_id,
        names_of_codes.icd10_code,
    from names_of_diseases
    inner join names_of_codes using (alias_normalised)
    qualify
        names_of_diseases.distance + names_of_codes.distance
        = min(names_of_diseases.distance + names_of_codes.distance) over (
            partition by names_of_diseases.disease_id
        )
),

disease_codes as (
    select
        disease_id,
        min(icd10_code) as icd10_code,
    from nearest_codes
    group by all
    having count(distinct icd10_code) = 1
)
{%- endmacro %}
