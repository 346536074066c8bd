{#
  What a run on Spark reads and does not build: a table for each folder or file of Parquet that
  `kernel29 lakehouse` has written, or that workers have (docs/scale.md). Nothing is copied. DuckDB
  has no need of it.
#}
{% macro open_lakehouse() -%}
  {%- if target.type == "duckdb" or not execute -%}{{ return("") }}{%- endif -%}
  {%- set inputs = env_var("KERNEL29_LAKEHOUSE", "lakehouse") ~ "/inputs" -%}
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
