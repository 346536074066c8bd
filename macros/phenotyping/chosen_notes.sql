{#- The CTE chosen_notes (case_id): the cases of the sets named in phenotyping_sets, whether they
    came with the set or were chosen for it. -#}
{% macro chosen_notes() -%}
chosen_notes as (
    select case_id
    from {{ ref('int_phenotyping__cases') }}
    where {{ is_chosen("note_set", "phenotyping_sets") }}
    union
    select case_id
    from {{ ref('bridge_test_set_case') }}
    where {{ is_chosen("test_set", "phenotyping_sets") }}
)
{%- endmacro %}
