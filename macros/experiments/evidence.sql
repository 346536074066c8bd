{#- The row shape of evidence, the input to the vote of the terminology judge: a gold diagnosis, a
    way to read an answer, a rule of the semantic_rules seed and the text that shows why it applies.
    `rule` and `reason` are SQL. -#}
{% macro evidence(rule, reason) -%}
    gold_key,
    reading_key,
    {{ rule }} as rule,
    {{ reason }} as reason,
    is_alternative,
{%- endmacro %}

{#- Pairs whose names mean two diseases of Mondo (`gold_key`, `reading_key`), and whether one of the two
    stands above the other (`is_linked`), as a query. -#}
{% macro two_diseases() -%}
select
    pairs.gold_key,
    pairs.reading_key,
    -- counted here: as a condition of the join it would compare every pair with every class
    count(*) filter (
        where shared_classes.class_id in (concepts.concept_id, gold_concepts.concept_id)
    ) > 0 as is_linked,
from {{ ref('int_experiments__judged_pairs') }} as pairs
inner join {{ ref('int_experiments__diagnosis_concepts') }} as concepts
    on
        pairs.reading_key = concepts.reading_key
        and concepts.vocabulary = 'mondo'
        and concepts.is_exact
inner join {{ ref('int_experiments__gold_concepts') }} as gold_concepts
    on
        pairs.gold_key = gold_concepts.gold_key
        and gold_concepts.vocabulary = 'mondo'
        and gold_concepts.is_exact
left join {{ ref('int_experiments__shared_classes') }} as shared_classes
    on
        concepts.concept_id = shared_classes.mondo_id
        and gold_concepts.concept_id = shared_classes.gold_mondo_id
group by all
having not bool_or(concepts.concept_id = gold_concepts.concept_id)
{%- endmacro %}

{#- One row of evidence per pair and rule: of several reasons the alphabetically first is shown. -#}
{% macro first_reasons(relation) -%}
    select
        gold_key,
        reading_key,
        rule,
        is_alternative,
        min(reason) as reason,
    from {{ relation }}
    group by all
{%- endmacro %}
