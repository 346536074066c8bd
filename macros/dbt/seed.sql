{#
  How seeds are loaded here. dbt's own way parses every file in Python first, cannot change a
  column's type without --full-refresh, and reports a faulty line in six lines of advice on other
  options. Here DuckDB reads the file once, with every option stated and nothing guessed:
  - a column is varchar unless `column_types` says otherwise; an empty field is null
  - the header must name the columns that `column_types` or `columns:` of the yml declare
  - a line with too few or too many fields, a stray quote, a value that does not fit its type or a
    byte that is not UTF-8 stops the seed with file, line and reason; the table keeps what it had
    before
#}
{% materialization seed, adapter="duckdb" %}
  {%- set target_relation = this.incorporate(type="table") -%}
  {%- do look_outside(model) -%}
  {%- set header = seed_header(model) -%}
  {%- do check_seed_header(model, header) -%}

  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}

  {%- do drop_other_type(target_relation) -%}
  {%- set load_sql = load_seed_sql(model, target_relation, header) -%}
  {%- call statement("load_seed") -%}
    {{ drop_seed_rejects() }};
    {{ load_sql }}
  {%- endcall -%}
  {%- set n_rows = count_seed_rows(model, target_relation) -%}
  {% call noop_statement("main", "INSERT " ~ n_rows, "INSERT", n_rows) %}
    {{ load_sql }}
  {% endcall %}
  {#- what `dbt seed --show` prints -#}
  {%- set sample = none -%}
  {%- if flags.SHOW -%}
    {%- set sample = run_query("select * from " ~ target_relation ~ " using sample 10 rows") -%}
  {%- endif -%}
  {%- do store_result("agate_table", response="OK", agate_table=sample) -%}
  {%- do persist_docs(target_relation, model) -%}
  {%- call statement("note") -%}{{ note_sql(target_relation, model) }}{%- endcall -%}

  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ adapter.commit() }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}

  {{ return({"relations": [target_relation]}) }}
{% endmaterialization %}


{# The file of a seed as a SQL literal, below the project that dbt works on now: what it keeps of an
    earlier parse names another folder once the project was moved or copied. #}
{% macro seed_path_literal(model) %}
  {%- set path = invocation_args_dict.get('project_dir', '.') ~ '/' ~ model.original_file_path -%}
  {{- return("'" ~ path | replace("'", "''") ~ "'") -}}
{% endmacro %}


{# The column names in the first line of a seed's file; an empty list for an empty file. #}
{% macro seed_header(model) %}
  {%- set first_line_sql -%}
    select line
    from read_csv(
      {{ seed_path_literal(model) }}, auto_detect = false, header = false, columns = {'line': 'varchar'},
      delim = '\x01', quote = '', escape = '', ignore_errors = true
    )
    limit 1
  {%- endset -%}
  {%- set lines = run_query(first_line_sql).columns[0].values() -%}
  {%- set names = [] -%}
  {%- if lines | length > 0 and lines[0] -%}
    {%- for name in lines[0].split(config.get("delimiter", ",")) -%}
      {%- do names.append(name | trim | trim('"')) -%}
    {%- endfor -%}
  {%- endif -%}
  {{- return(names) -}}
{% endmacro %}


{# Stops when the header and the declared columns differ. #}
{% macro check_seed_header(model, header) %}
  {%- set file = model.original_file_path -%}
  {%- if header | length == 0 -%}
    {%- do exceptions.raise_compiler_error(
      "The seed file " ~ file ~ " is empty; restore it, its first line names the columns."
    ) -%}
  {%- endif -%}
  {%- if header | unique | list | length != header | length -%}
    {%- do exceptions.raise_compiler_error(
      "The first line of the seed file " ~ file ~ " names a column twice: " ~ header | join(", ")
      ~ "; rename one of them."
    ) -%}
  {%- endif -%}
  {%- set declared = (config.get("column_types") or {}).keys() | list -%}
  {%- for name in model.columns.keys() if name not in declared -%}
    {%- do declared.append(name) -%}
  {%- endfor -%}
  {%- set missing = declared | reject("in", header) | list -%}
  {%- set undeclared = header | reject("in", declared) | list if declared else [] -%}
  {%- if missing or undeclared -%}
    {%- do exceptions.raise_compiler_error(
      "The first line of the seed file " ~ file ~ " names the columns " ~ header | join(", ")
      ~ ", but its yml (column_types, columns) declares " ~ declared | join(", ")
      ~ " (not in the file: " ~ (missing | join(", ") or "none")
      ~ "; not declared: " ~ (undeclared | join(", ") or "none") ~ "); make the two agree."
    ) -%}
  {%- endif -%}
{% endmacro %}


{# The statement that replaces a seed's table with the contents of its file. Faulty lines go to a
    temporary table that check_seed_rejects reads: nothing is dropped silently. #}
{% macro load_seed_sql(model, relation, header) %}
  {%- set column_types = config.get("column_types") or {} -%}
  create or replace table {{ relation }} as
  select *
  from read_csv(
    {{ seed_path_literal(model) }},
    auto_detect = false,
    header = true,
    delim = '{{ config.get("delimiter", ",") }}',
    quote = '"',
    escape = '"',
    nullstr = '',
    allow_quoted_nulls = true,
    null_padding = false,
    strict_mode = true,
    store_rejects = true,
    rejects_table = 'seed_reject',
    rejects_scan = 'seed_reject_scan',
    columns = {
      {%- for name in header %}
      '{{ name | replace("'", "''") }}': '{{ column_types.get(name, "varchar") }}'
      {{- "," if not loop.last }}
      {%- endfor %}
    }
  )
{%- endmacro %}


{% macro drop_seed_rejects() %}
  {{- return("drop table if exists temp.seed_reject; drop table if exists temp.seed_reject_scan") -}}
{% endmacro %}


{# How many rows were read; stops with the first faulty line of the file, if there is one. #}
{% macro count_seed_rows(model, relation) %}
  {%- set count_sql -%}
    with rejects as (
      select
        line,
        regexp_replace(trim(error_message), '\s+', ' ', 'g') as reason,
        count(distinct line) over () as n_lines
      from temp.seed_reject
      order by line
      limit 1
    )

    select
      n_rows,
      line,
      reason,
      n_lines
    from (select count(*) as n_rows from {{ relation }})
    left join rejects on true
  {%- endset -%}
  {%- set found = run_query(count_sql).rows[0] -%}
  {%- if found[1] is not none -%}
    {%- do exceptions.raise_compiler_error(
      "The seed file " ~ model.original_file_path ~ ", line " ~ found[1] ~ ": " ~ found[2]
      ~ " (" ~ found[3] ~ " faulty line(s) in all); correct the file, its table is unchanged."
    ) -%}
  {%- endif -%}
  {{- return(found[0] | int) -}}
{% endmacro %}
