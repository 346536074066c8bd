{#
  What a build notes of each node in build_state.node, and how it tells that a node is current
  (python_llm/job/changes/state.py has the table). A note is written in the transaction of the table it is
  of: a build that is killed at any moment leaves a warehouse that knows what it holds.
#}

{# The script that notes a model or seed after its table or view was made. #}
{% macro note_sql(relation, model) -%}
  {%- set name = relation.schema ~ "." ~ relation.identifier -%}
  insert into build_state.node (unique_id, relation, parts, inputs, content)
  select
    '{{ model.unique_id }}',
    '{{ name }}',
    node_parts('{{ model.unique_id }}', 'made'),
    inputs,
    node_content('{{ model.unique_id }}', build_state.content('{{ name }}'))
  from ({{ inputs_sql(model) }})
{%- endmacro %}


{#
  Notes the tests of a run, when it ends (on-run-end): those that passed, with what they passed on,
  in one statement for all. A test that failed or warned is forgotten, so it stays due.
#}
{% macro note_tests(results) -%}
  {%- if target.type != "duckdb" -%}{{ return("") }}{%- endif -%}
  {%- set passed = [] -%}
  {%- set others = [] -%}
  {%- set parents = [] -%}
  {%- for result in results if result.node.resource_type == "test" -%}
    {%- set name = "('" ~ result.node.unique_id ~ "')" -%}
    {%- if result.status == "pass" -%}
      {%- do passed.append(name) -%}
      {%- for parent in result.node.depends_on.nodes | unique if not parent.startswith("source.") -%}
        {%- do parents.append("('" ~ result.node.unique_id ~ "', '" ~ parent ~ "')") -%}
      {%- endfor -%}
    {%- elif result.status in ["fail", "warn", "error"] -%}
      {%- do others.append(name) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if others %}
  delete from build_state.node
  where unique_id in ({{ others | join(", ") }});
  {%- endif %}
  {%- if passed %}
  insert into build_state.node (unique_id, parts, inputs, content)
  with passed as (
    select unique_id, node_parts(unique_id, 'now') as parts
    from (values {{ passed | join(", ") }}) as tests (unique_id)
  ),

  inputs as (
    select
      read.unique_id,
      if(
        bool_and(latest.content is not null),
        string_agg(read.parent || ' ' || latest.content, ', ' order by read.parent),
        null
      ) as inputs
    from (values {{ (parents or ["(null, null)"]) | join(", ") }}) as read (unique_id, parent)
    left join build_state.latest on read.parent = latest.unique_id
    group by read.unique_id
  )

  select
    passed.unique_id,
    passed.parts,
    if(inputs.unique_id is null, '', inputs.inputs) as inputs,
    'passed' as content
  from passed
  left join inputs on passed.unique_id = inputs.unique_id
  left join build_state.latest on passed.unique_id = latest.unique_id
  where (passed.parts, if(inputs.unique_id is null, '', inputs.inputs))
    is distinct from (latest.parts, latest.inputs)
  {%- endif %}
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


{#
  Looks at what a node reads outside the warehouse before it is built, for the note: it may change
  it. `kernel29 build` looks before it gives the node to dbt, which the tag says (job/build.py).
#}
{% macro look_outside(model) -%}
  {%- if execute and "kernel29_looked" not in model.tags -%}
    {%- do run_query("select node_parts('" ~ model.unique_id ~ "', 'now')") -%}
  {%- endif -%}
{%- endmacro %}
