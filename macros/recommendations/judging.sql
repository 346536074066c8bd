{#- The content of a recommendation as a judge sees it: without its id, its author and its timings,
    which a judge could favour and which would make each build a new request. The fields of the
    schema in their order; a text that is not JSON as it is. -#}
{% macro blind_recommendation(text) -%}
    case
        when json_valid({{ text }}) and json_type({{ text }}) = 'OBJECT' then json_object(
            {%- for field in [
                "problems", "recommended_actions", "evidence_table", "contraindications_checked",
                "when_to_escalate", "severity", "uncertainty", "differential"
            ] %}
            '{{ field }}', json_extract({{ text }}, '$.{{ field }}'){{ "," if not loop.last }}
            {%- endfor %}
        )::varchar
        else {{ text }}
    end
{%- endmacro %}

{#- The patient as a judge sees him: without ids. -#}
{% macro blind_patient(text) -%}
    json_merge_patch({{ text }}, '{"patient_id": null, "tenant_id": null}')::varchar
{%- endmacro %}

{#- Whether a vote shows the recommendation before the patient: one or two of the three votes of a
    case and dimension, half of the cases each, so that the effect of the order can be seen. -#}
{% macro shows_recommendation_first(case_id, dimension, vote) -%}
    (ascii(md5({{ case_id }} || {{ dimension }})) + {{ vote }}) % 2 = 0
{%- endmacro %}

{#- The text of a judge's prompt with its two fenced blocks exchanged. Fences cannot be part of a
    block: sanitize_untrusted_text takes runs of equals signs out of both. -#}
{% macro exchanged_blocks(text) -%}
    split_part({{ text }}, '=== PATIENT BEGINS ===', 1)
    || '=== RECOMMENDATION BEGINS ==='
    || rtrim(split_part({{ text }}, '=== RECOMMENDATION BEGINS ===', 2), e' \n')
    || e'\n\n=== PATIENT BEGINS ==='
    || rtrim(
        split_part(
            split_part({{ text }}, '=== PATIENT BEGINS ===', 2), '=== RECOMMENDATION BEGINS ===', 1
        ),
        e' \n'
    )
{%- endmacro %}
