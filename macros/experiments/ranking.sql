{#- Evidence is rounded to the ninth decimal: sums of floating-point numbers depend on their order,
    and two builds must break the same ties the same way. -#}

{#- Evidence of one finding for a disease, in nats: ln(P(finding | disease) / P(finding)), where -ln
    P(finding) is the information content of the term. Values of zero or less support nothing. -#}
{% macro finding_evidence(information_content, frequency) -%}
    round({{ information_content }} + ln(greatest({{ frequency }}, 0.001)), 9)
{%- endmacro %}

{#- Evidence of an absent typical finding against a disease, in nats: -ln P(absent | disease).
    Capped at 95 percent: no annotation is certain enough to rule a disease out. -#}
{% macro absence_evidence(frequency) -%}
    round(-ln(1 - least({{ frequency }}, 0.95)), 9)
{%- endmacro %}


{#- The stems of a text as a list: its words of at least three letters in comparable form, cut to
    six letters. Cutting serves Spanish and English search about as well as a stemmer (McNamee and
    Mayfield, Information Retrieval 2004; 7:73-97). -#}
{% macro stems(text) -%}
    list_transform(
        list_filter(
            string_split({{ normalise_name(text) }}, ' '),
            lambda word: length(word) >= 3
        ),
        lambda word: left(word, 6)
    )
{%- endmacro %}

{#- What a stem of the query says for a document that has it n_times (Okapi BM25 with the usual k1 =
    1.2 and b = 0.75; Robertson and Zaragoza, Foundations and Trends in Information Retrieval 2009;
    3:333-389). -#}
{% macro bm25(n_times, n_stems, mean_stems, n_with_stem, n_documents) -%}
    ln(1 + ({{ n_documents }} - {{ n_with_stem }} + 0.5) / ({{ n_with_stem }} + 0.5))
    * {{ n_times }} * 2.2
    / ({{ n_times }} + 1.2 * (0.25 + 0.75 * {{ n_stems }} / {{ mean_stems }}))
{%- endmacro %}

{#- The CTE answers (configuration_id, case_id, answer_key): what models were asked for, and what was
    recorded elsewhere. -#}
{% macro recorded_or_asked() -%}
answers as (
    select
        configuration_id,
        case_id,
        request_key as answer_key,
    from {{ ref("int_experiments__generation_asks") }}
    union all
    select
        configuration_id,
        case_id,
        answer_key,
    from {{ ref("int_experiments__recorded_answers") }}
)
{%- endmacro %}

{#- The CTE keyless (ranker, test_set, case_id, diagnosis_rank, …): the lists of the rankers of this
    project. test_set is null where a list does not depend on it. -#}
{% macro keyless_rankings() -%}
keyless as (
    {%- for name in ["ic", "profile", "lexical", "frequency"] %}
        select
            *,
            'int_experiments__{{ name }}_ranking' as ranker,
        from {{ ref("int_experiments__" ~ name ~ "_ranking") }}
        {%- if not loop.last %}
        union all by name
        {%- endif %}
    {%- endfor %}
)
{%- endmacro %}

{#- The condition that a list of `keyless` answers a cell. -#}
{% macro is_ranked_by(cells, keyless) -%}
    {{ cells }}.ranker = {{ keyless }}.ranker
    and {{ cells }}.case_id = {{ keyless }}.case_id
    and coalesce({{ keyless }}.test_set, {{ cells }}.test_set) = {{ cells }}.test_set
{%- endmacro %}
