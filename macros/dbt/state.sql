{#
  What a build notes of each node in build_state.node, and how it tells that a node is current
  (python_llm/job/state.py has the table). A note is written in the transaction of the table it is
  of: a build that is killed at any moment leaves a warehouse that knows what it holds.
#}

{# The script that notes a model or seed after its table or view was made. #}
{% macro note_sql(relation, model) -%}
  {%- set name = relation.schema ~ "." ~ relation.identifier -%}
  insert into build_state.node (unique_id, relation, parts, inputs, content)
  select
    '{{ model.unique_id }}',
    '{{ name }}',
    node_parts('{{ model.unique_id }}', 'after'),
    inputs,
    build_state.content('{{ name }}')
  from ({{ inputs_sql(model) }})
{%- endmacro %}


{# The same for a test that has passed. #}
{% macro note_pass_sql(model) -%}
  insert into build_state.node (unique_id, parts, inputs, content)
  select '{{ model.unique_id }}', node_parts('{{ model.unique_id }}', 'after'), inputs, 'passed'
  from ({{ inputs_sql(model) }})
{%- endmacro %}


{# One row: the content of the models and seeds a node reads; null if that of one is unknown. #}
{% macro inputs_sql(model) -%}
  {%- set parents = [] -%}
  {%- for parent in model.depends_on.nodes if not parent.startswith("source.") -%}
    {%- do parents.append(parent) -%}
  {%- endfor -%}
  {%- if not parents -%}
  select '' as inputs
  {%- else -%}
  select if(
    count(*) = {{ parents | unique | list | length }},
    string_agg(unique_id || ' ' || content, ', ' order by unique_id),
    null
  ) as inputs
  from (
    select unique_id, arg_max(content, made_at) as content
    from build_state.node
    where unique_id in ('{{ parents | join("', '") }}')
    group by unique_id
  )
  {%- endif -%}
{%- endmacro %}


{# Whether a node is to be left as it is: its parts and what it reads are what they were. #}
{% macro is_current(model) %}
  {%- if not execute -%}{{ return(false) }}{%- endif -%}
  {%- set sql -%}
    with now as materialized (
      select node_parts('{{ model.unique_id }}', 'before') as parts, inputs
      from ({{ inputs_sql(model) }})
    )

    select count(*)
    from now
    inner join (
      select parts, inputs
      from build_state.node
      where unique_id = '{{ model.unique_id }}'
      order by made_at desc
      limit 1
    ) as latest on latest.parts = now.parts and latest.inputs = now.inputs
  {%- endset -%}
  {%- set is_so = run_query(sql).rows[0][0] == 1 -%}
  {%- do adapter.commit() -%}
  {{ return(is_so) }}
{% endmacro %}


{# What a materialisation returns of a node that is left as it is. #}
{% macro left_as_it_is(relation) %}
  {% call noop_statement("main", "REUSED", "REUSED", 0) %}select 'reused'{% endcall %}
  {{ return({"relations": [relation]}) }}
{% endmacro %}
