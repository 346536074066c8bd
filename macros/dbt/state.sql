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
    node_parts('{{ model.unique_id }}', 'made'),
    inputs,
    build_state.content('{{ name }}')
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
  Whether a node is to be left as it is: its parts and what it reads are what they were. Only a
  node that kernel29 build has chosen (python_llm/job/build.py gives it the tag) can be: any other
  is to be built, and what it reads outside the warehouse is only looked at.
#}
{% macro is_current(model) %}
  {%- if not execute -%}{{ return(false) }}{%- endif -%}
  {%- set parts = "node_parts('" ~ model.unique_id ~ "', 'now')" -%}
  {%- if "kernel29_due" not in model.tags -%}
    {%- do run_query("select " ~ parts) if model.resource_type != "test" -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set sql -%}
    with now as materialized (
      select {{ parts }} as parts, inputs
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
