{#
  How tables and views are written on Spark. A table is written under another name and renamed, so a
  model that fails leaves what was there before; Delta and Iceberg replace a table themselves. A
  contract is kept by casting: each declared column, in the declared order and type; columns that
  `partition_by` lists are the names of folders, and come last.
#}
{% materialization table, adapter="kernel29spark", supported_languages=["sql", "python"] %}
  {%- set relation = this.incorporate(type="table") -%}
  {{ run_hooks(pre_hooks) }}
  {%- if model["language"] == "python" -%}
    {%- do drop_view(relation) -%}
    {%- call statement("main", language="python") -%}{{ compiled_code }}{%- endcall -%}
  {%- else -%}
    {%- set file_format = config.get("file_format", "parquet") -%}
    {%- set replaces = file_format in ["delta", "iceberg"] -%}
    {%- set written = relation if replaces else relation.incorporate(
      path={"identifier": relation.identifier ~ "__new"}
    ) -%}
    {%- do drop_view(relation) -%}
    {%- if not replaces -%}{%- do run_query("drop table if exists " ~ written) -%}{%- endif -%}
    {%- call statement("main") -%}
      create {{ "or replace " if replaces }}table {{ written }} using {{ file_format }}
      {%- if config.get("partition_by") %}
      partitioned by ({{ config.get("partition_by") | join(", ") }})
      {%- endif %}
      as {{ with_contract(adapter.translate(compiled_code)) }}
    {%- endcall -%}
    {%- if not replaces -%}
      {%- do run_query("drop table if exists " ~ relation) -%}
      {%- do run_query("alter table " ~ written ~ " rename to " ~ relation) -%}
    {%- endif -%}
  {%- endif -%}
  {{ run_hooks(post_hooks) }}
  {{ return({"relations": [relation]}) }}
{% endmaterialization %}


{% materialization view, adapter="kernel29spark" %}
  {%- set relation = this.incorporate(type="view") -%}
  {{ run_hooks(pre_hooks) }}
  {%- set existing = load_cached_relation(relation) -%}
  {%- if existing is not none and existing.type != "view" -%}
    {%- do run_query("drop table if exists " ~ relation) -%}
  {%- endif -%}
  {%- call statement("main") -%}
    create or replace view {{ relation }} as {{ with_contract(adapter.translate(compiled_code)) }}
  {%- endcall -%}
  {{ run_hooks(post_hooks) }}
  {{ return({"relations": [relation]}) }}
{% endmaterialization %}


{% macro drop_view(relation) %}
  {%- set existing = load_cached_relation(relation) -%}
  {%- if existing is not none and existing.type == "view" -%}
    {%- do run_query("drop view if exists " ~ relation) -%}
  {%- endif -%}
{% endmacro %}


{# A query with the columns and types its model promises; the query itself where it promises none. #}
{% macro with_contract(sql) %}
  {%- if not config.get("contract").enforced -%}{{ return(sql) }}{%- endif -%}
  {%- set columns = [] -%}
  {%- for column in model.columns.values() -%}
    {%- set name = "`" ~ column.name ~ "`" -%}
    {%- do columns.append("cast(" ~ name ~ " as " ~ spark_type(column.data_type) ~ ") as " ~ name) -%}
  {%- endfor -%}
  {{ return("select " ~ columns | join(", ") ~ " from (" ~ sql ~ ") as promised") }}
{% endmacro %}


{# A type of DuckDB as Spark calls it. #}
{% macro spark_type(data_type) %}
  {%- set query = adapter.translate("select cast(null as " ~ data_type ~ ") as x") -%}
  {{ return(modules.re.search("(?is)cast\\(null as (.*)\\) as x", query).group(1)) }}
{% endmacro %}


{# A test's SQL is a model's: DuckDB's. #}
{% materialization test, adapter="kernel29spark" %}
  {%- set main_sql = adapter.translate(sql) -%}
  {%- call statement("main", fetch_result=True) -%}
    {{ get_test_sql(main_sql, config.get("fail_calc"), config.get("warn_if"), config.get("error_if"), none) }}
  {%- endcall -%}
  {{ return({"relations": []}) }}
{% endmaterialization %}
