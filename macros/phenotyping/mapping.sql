{#- How surely a name of this scope means its term, 0 to 1. The term's own name and exact synonyms
    do; a narrow synonym is a kind of the term; a broad or related one may mean something else, and
    an abbreviation may belong to another field. -#}
{% macro name_claim(scope) -%}
    case {{ scope }}
        when 'preferred' then 1.0
        when 'exact' then 0.95
        when 'narrow' then 0.85
        when 'abbreviation' then 0.7
        when 'broad' then 0.65
        else 0.6
    end::double
{%- endmacro %}

{#- An HPO id as it is written in a release, from the ways people write one: hp:1250 is none,
    HP_0001250, HPO:0001250, hp0001250 and 0001250 are. Null for a text that is not an id. -#}
{% macro hpo_id_of(text) -%}
    nullif(
        regexp_extract(upper(trim({{ text }})), '^(?:HPO?)?[\s:_-]*(\d{7})$', 1), ''
    )
{%- endmacro %}

{#- The reduction of a finding's confidence according to the model's own statement. -#}
{% macro certainty_factor(certainty, exclusion_type) -%}
    (
        case when {{ certainty }} = 'medium' then 0.8 else 1.0 end
        * case when {{ exclusion_type }} = 'soft' then 0.6 else 1.0 end
    )::double
{%- endmacro %}
