{#
  How tables and views are written here. dbt's own way builds under another name, renames the old
  one, renames the new one and drops the old one in a transaction of its own: ten statements for
  what DuckDB does in one. Here a relation is replaced in place, with its comments, in one
  transaction: a model that fails leaves what was there before. Grants, indexes and foreign keys are
  not supported, because nothing here needs them.
#}
{% materialization table, adapter="duckdb", supported_languages=["sql", "python"] %}
  {%- set relation = this.incorporate(type="table") -%}
  {%- do look_outside(model) -%}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {%- if model["language"] == "python" -%}
    {#- outside any transaction: a model that asks providers may run for hours -#}
    {%- do drop_other_type(relation) -%}
    {%- call statement("main", language="python") -%}
      {{ replace_table_python(relation, compiled_code) }}
    {%- endcall -%}
  {%- else -%}
    {%- do adapter.ensure_transaction() -%}
    {{ run_hooks(pre_hooks, inside_transaction=True) }}
    {%- do drop_other_type(relation) -%}
    {%- call statement("main") -%}
      {{ replace_table_sql(relation, compiled_code) }}
    {%- endcall -%}
    {%- do persist_docs(relation, model) -%}
    {%- call statement("note") -%}{{ note_sql(relation, model) }}{%- endcall -%}
  {%- endif -%}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {%- do adapter.commit() -%}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({"relations": [relation]}) }}
{% endmaterialization %}


{% materialization view, adapter="duckdb" %}
  {%- set relation = this.incorporate(type="view") -%}
  {%- do look_outside(model) -%}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {%- do adapter.ensure_transaction() -%}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}
  {%- do drop_other_type(relation) -%}
  {%- if config.get("contract").enforced -%}
    {{ get_assert_columns_equivalent(compiled_code) }}
  {%- endif -%}
  {%- call statement("main") -%}
    create or replace view {{ relation }} as (
      {{ compiled_code }}
    )
  {%- endcall -%}
  {%- do persist_docs(relation, model) -%}
  {%- call statement("note") -%}{{ note_sql(relation, model) }}{%- endcall -%}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {%- do adapter.commit() -%}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({"relations": [relation]}) }}
{% endmaterialization %}


{# Drops a relation of the same name and another type: DuckDB replaces like with like only. #}
{% macro drop_other_type(relation) %}
  {%- set existing = load_cached_relation(relation) -%}
  {%- if existing is not none and existing.type != relation.type -%}
    {%- do adapter.drop_relation(existing) -%}
  {%- endif -%}
{% endmacro %}


{% macro replace_table_sql(relation, sql) %}
  {%- if config.get("contract").enforced -%}
    {{ get_assert_columns_equivalent(sql) }}
    create or replace table {{ relation }}
    {{ get_table_columns_and_constraints() }};
    insert into {{ relation }} {{ get_column_names() }} (
      {{ get_select_subquery(sql) }}
    )
  {%- else -%}
    create or replace table {{ relation }} as (
      {{ sql }}
    )
  {%- endif -%}
{%- endmacro %}


{# The rows of a Python model come from outside any transaction; its table, comments and note are
    one. #}
{% macro replace_table_python(relation, code) -%}
{{ code }}


def materialize(df, con):
    con.register("dbt_model_result", df)
    con.execute("begin")
    try:
        con.execute('create or replace table {{ relation }} as select * from dbt_model_result')
        con.execute({{ tojson(comments_sql(relation, model)) }} + {{ tojson(note_sql(relation, model)) }})
        con.execute("commit")
    except BaseException:
        con.execute("rollback")
        raise
    finally:
        con.unregister("dbt_model_result")
{%- endmacro %}


{# The comments of a relation and of its columns; a documented column that does not exist is an
    error. #}
{% macro duckdb__persist_docs(relation, model, for_relation, for_columns) -%}
  {%- set comments = comments_sql(relation, model) -%}
  {%- if comments -%}
    {%- call statement("persist_docs") -%}{{ comments }}{%- endcall -%}
  {%- endif -%}
{%- endmacro %}


{# The same as one script, which may be empty. #}
{% macro comments_sql(relation, model) -%}
  {%- set comments = [] -%}
  {%- if config.persist_relation_docs() and model.description -%}
    {%- do comments.append(alter_relation_comment(relation, model.description) | trim ~ "\n") -%}
  {%- endif -%}
  {%- if config.persist_column_docs() -%}
    {%- for name, column in model.columns.items() if column.description -%}
      {%- do comments.append(
        "comment on column " ~ relation ~ "." ~ adapter.quote(name) ~ " is "
        ~ duckdb_escape_comment(column.description) | trim ~ ";\n"
      ) -%}
    {%- endfor -%}
  {%- endif -%}
  {{- return(comments | join("")) -}}
{%- endmacro %}
