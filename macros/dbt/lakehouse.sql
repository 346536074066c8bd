{#
  What a run on Spark reads and does not build: a table for each folder or file of Parquet that
  `kernel29 lakehouse` has written, or that workers have (docs/scale.md). Nothing is copied. DuckDB
  has no need of it.
#}
{% macro open_lakehouse() -%}
  {%- if target.type == "duckdb" or not execute -%}{{ return("") }}{%- endif -%}
  {%- set inputs = adapter.absolute(env_var("KERNEL29_LAKEHOUSE", "lakehouse")) ~ "/inputs" -%}
  {%- do run_query("create schema if not exists " ~ target.schema) -%}
  {%- set opened = [] -%}
  {%- for unique_id in selected_resources if unique_id in graph.nodes -%}
    {%- for parent in graph.nodes[unique_id].depends_on.nodes
      if parent not in selected_resources and parent not in opened and parent in graph.nodes -%}
      {%- do opened.append(parent) -%}
      {%- set node = graph.nodes[parent] -%}
      {%- if node.resource_type in ["model", "seed"] -%}
        {%- set relation = target.schema ~ "." ~ node.alias -%}
        {%- do run_query(
          "create table if not exists " ~ relation ~ " using parquet location '" ~ inputs ~ "/"
          ~ node.alias ~ "'"
        ) -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endfor -%}
{%- endmacro %}


{#
  How many rows Spark has written into each table, as a table beside them: `kernel29 lakehouse
  --serve` serves no table of which a file is missing. Rows of earlier runs stay for the tables that
  this run has not written.
#}
{% macro note_written(results) -%}
  {%- if target.type == "duckdb" or not execute -%}{{ return("") }}{%- endif -%}
  {%- set noted = target.schema ~ ".rows_written" -%}
  {%- set counts = [] -%}
  {%- set names = [] -%}
  {%- for result in results
    if result.status == "success" and result.node.resource_type == "model"
    and result.node.config.materialized == "table" -%}
    {%- set name = "'" ~ result.node.alias ~ "'" -%}
    {%- do names.append(name) -%}
    {%- do counts.append(
      "select " ~ name ~ " as table_name, count(*) as n_rows from "
      ~ target.schema ~ "." ~ result.node.alias
    ) -%}
  {%- endfor -%}
  {%- if counts -%}
    {%- do run_query(
      "create table if not exists " ~ noted ~ " (table_name string, n_rows bigint) using parquet"
    ) -%}
    {%- do run_query("drop table if exists " ~ noted ~ "__new") -%}
    {%- do run_query(
      "create table " ~ noted ~ "__new using parquet as " ~ counts | join(" union all ")
      ~ " union all select table_name, n_rows from " ~ noted
      ~ " where table_name not in (" ~ names | join(", ") ~ ")"
    ) -%}
    {%- do run_query("drop table " ~ noted) -%}
    {%- do run_query("alter table " ~ noted ~ "__new rename to " ~ noted) -%}
  {%- endif -%}
{%- endmacro %}
