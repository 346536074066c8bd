{#
  The distance between two concepts in their hierarchy, for partial matches.

  ICD-10-CM is a tree, and its path (`path` of dim_icd10_code: IX > I30-I5A > I50 > I50.9) says all:
  the macros below are plain expressions over two paths. HPO is a graph with several parents a
  term: hpo_pair_similarity takes a relation of pairs and joins the ancestors.
#}

{# How many nodes two ICD-10-CM paths share, from the chapter down; 0 for two chapters. #}
{% macro icd10_shared_depth(path, other_path) -%}
  len(
    list_filter(
      range(1, len(string_split({{ path }}, ' > ')) + 1),
      lambda depth:
        list_slice(string_split({{ path }}, ' > '), 1, depth)
        = list_slice(string_split({{ other_path }}, ' > '), 1, depth)
    )
  )
{%- endmacro %}


{# The most specific code both are or are below; null for codes of different chapters. #}
{% macro icd10_common_ancestor(path, other_path) -%}
  string_split({{ path }}, ' > ')[{{ icd10_shared_depth(path, other_path) }}]
{%- endmacro %}


{#
  Steps between two ICD-10-CM codes: up from the one to the most specific code above both, and down
  to the other. 0 for the same code, 1 for parent and child, 2 for siblings; chapters count as
  siblings below one root. Null if a path is null. Blocks that hold blocks (C00-C96 > C00-C75) are
  steps too, so compare distances within one chapter, or take icd10_similarity.
#}
{% macro icd10_path_distance(path, other_path) -%}
  (
    len(string_split({{ path }}, ' > ')) + len(string_split({{ other_path }}, ' > '))
    - 2 * {{ icd10_shared_depth(path, other_path) }}
  )
{%- endmacro %}


{#
  Similarity of two ICD-10-CM codes, 0 (different chapters) to 1 (the same code): 2 c / (a + b), c
  the depth of the most specific code above both, a and b their own, a chapter having depth 1 (Wu
  and Palmer 1994). Null if a path is null.
#}
{% macro icd10_similarity(path, other_path) -%}
  (
    2.0::double * {{ icd10_shared_depth(path, other_path) }}
    / (len(string_split({{ path }}, ' > ')) + len(string_split({{ other_path }}, ' > ')))
  )
{%- endmacro %}


{#
  Two HPO terms against each other, for every pair of a relation.

  pairs      name of a relation or CTE with the columns hpo_id and other_hpo_id (current ids)
  ancestors, terms   other relations in place of bridge_hpo_ancestor and dim_hpo_term, for tests

  Returns a select of one row per distinct pair that shares an ancestor (two current terms always
  do):
    hpo_id, other_hpo_id
    distance                     is_a steps, shortest way over a common ancestor; 0: the same term
    common_ancestor_hpo_id       the most informative common ancestor; of equals the nearer, then by id
    information_content          of that ancestor, nats (Resnik 1995); null where no disease has it
    similarity                   2 IC(ancestor) / (IC + IC), 0 to 1 (Lin 1998); 1 for the same term,
                                 null where one of the terms is in no disease

  Used as a CTE:  similarities as ( {{ hpo_pair_similarity("pairs") }} )
#}
{% macro hpo_pair_similarity(pairs, ancestors=none, terms=none) %}
with asked as (
    select distinct
        hpo_id,
        other_hpo_id,
    from {{ pairs }}
),

common_ancestors as (
    select
        asked.hpo_id,
        asked.other_hpo_id,
        here.ancestor_hpo_id,
        here.distance + there.distance as steps,
        terms.information_content,
    from asked
    inner join {{ ancestors or ref('bridge_hpo_ancestor') }} as here
        on asked.hpo_id = here.hpo_id
    inner join {{ ancestors or ref('bridge_hpo_ancestor') }} as there
        on
            asked.other_hpo_id = there.hpo_id
            and here.ancestor_hpo_id = there.ancestor_hpo_id
    inner join {{ terms or ref('dim_hpo_term') }} as terms
        on here.ancestor_hpo_id = terms.hpo_id
),

nearest as (
    select
        hpo_id,
        other_hpo_id,
        min(steps)::integer as distance,
        arg_min(
            ancestor_hpo_id,
            (-coalesce(information_content, -1), steps, ancestor_hpo_id)
        ) as common_ancestor_hpo_id,
        max(information_content) as information_content,
    from common_ancestors
    group by all
)

select
    nearest.hpo_id,
    nearest.other_hpo_id,
    nearest.distance,
    nearest.common_ancestor_hpo_id,
    nearest.information_content,
    case
        when nearest.hpo_id = nearest.other_hpo_id then 1.0
        when here.information_content + there.information_content > 0
            then
                2 * nearest.information_content
                / (here.information_content + there.information_content)
    end::double as similarity,
from nearest
inner join {{ terms or ref('dim_hpo_term') }} as here on nearest.hpo_id = here.hpo_id
inner join {{ terms or ref('dim_hpo_term') }} as there on nearest.other_hpo_id = there.hpo_id
{%- endmacro %}
