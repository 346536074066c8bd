{#- A cell of the configurations seed, such as `gpt4o|local` or `*`, as a list of names. -#}
{% macro listed_names(written) -%}
    list_transform(string_split({{ written }}, '|'), lambda name: trim(name))
{%- endmacro %}

{#- Is a cell of the grid (a row of int_experiments__expected_cells) within what PROMPTS, TEST_SETS
    and LIMIT narrow a run to? Recorded runs are not narrowed by a choice of prompts. -#}
{% macro is_in_run(cells) -%}
    (
        {{ is_chosen_or_all(cells ~ ".test_set", "test_sets") }}
        and (
            {{ cells }}.model_kind != 'llm'
            or {{ is_chosen_or_all(cells ~ ".prompt_alias", "prompts") }}
        )
        {%- if var('limit') %}
            and {{ cells }}.sample_order <= {{ var('limit') | int }}
        {%- endif %}
    )
{%- endmacro %}

{#- Is this name chosen on the command line? Without a choice, all names are. -#}
{% macro is_chosen_or_all(name, variable) -%}
    {% if var(variable) %}{{ is_chosen(name, variable) }}{% else %}true{% endif %}
{%- endmacro %}

{#- May a judge be asked about the list of this cell (a row of int_experiments__expected_cells)? Yes
    for the runs in JUDGE_RUNS, within the limits of the run. Rankers of this project are judged for
    money only where that is asked for. -#}
{% macro is_judged_in_run(cells) -%}
    {%- set conditions = [] -%}
    {%- for words in var('judge_runs').split(',') -%}
        {%- set word = words.strip() -%}
        {%- if word == 'all' -%}
            {%- do conditions.append("true") -%}
        {%- elif word == 'recorded' -%}
            {%- do conditions.append(cells ~ ".model_kind = 'recorded'") -%}
        {%- elif word == 'live' -%}
            {%- set chosen = is_chosen_or_all(cells ~ ".model_alias", "models") -%}
            {%- do conditions.append("(" ~ cells ~ ".model_kind = 'llm' and " ~ chosen ~ ")") -%}
        {%- elif word == 'keyless' -%}
            {%- do conditions.append(cells ~ ".model_kind = 'sql'") -%}
        {%- elif word -%}
            {%- set columns = ["model_alias", "prompt_alias", "test_set"] -%}
            {%- set parts = [] -%}
            {%- for part in word.split('/') -%}
                {%- if part != '*' -%}
                    {%- do parts.append(cells ~ "." ~ columns[loop.index0] ~ " = '" ~ part ~ "'") -%}
                {%- endif -%}
            {%- endfor -%}
            {%- do conditions.append("(" ~ (parts | join(" and ") or "true") ~ ")") -%}
        {%- endif -%}
    {%- endfor -%}
    (({{ conditions | join(" or ") }}) and {{ is_in_run(cells) }})
{%- endmacro %}

{#- Is a name in a list of names, or among those that the list's star stands for? -#}
{% macro is_listed(name, names, is_starred) -%}
    (list_contains({{ names }}, {{ name }}) or (list_contains({{ names }}, '*') and {{ is_starred }}))
{%- endmacro %}
