{#- The score formulas, with their sources and worked values in
    docs/specification.md#scores-of-a-diagnostic-list. Each is written here once. Results are
    rounded to twelve decimals, so that the order of a sum and the machine's exp() make no
    difference between builds. -#}

{#- Weight of a rank, w_i = (6 - i) / 5: 1.0 for rank 1 down to 0.2 for rank 5. -#}
{% macro rank_weight(rank) -%}
    ((6 - {{ rank }}) / 5.0)
{%- endmacro %}

{#- The last rank the two list scores look at: as far as the source's weights reach. -#}
{% macro max_scored_rank() -%} 5 {%- endmacro %}

{#- The last rank that is judged, the variable judged_ranks: 5 to 10. Later ranks are kept. -#}
{% macro max_judged_rank() -%} {{ var('judged_ranks') | int }} {%- endmacro %}

{#- The largest distance D, also used where there is no valid label. -#}
{% macro max_distance() -%} 5 {%- endmacro %}

{#- Goodness of one rank before weighting, (D_max - D)^2: 16 for a perfect match, 0 for none. -#}
{% macro rank_goodness(distance) -%}
    power({{ max_distance() }} - coalesce({{ distance }}, {{ max_distance() }}), 2)
{%- endmacro %}

{#- Severity distance, D = 1 + |gold - predicted|, both 1 (mild) to 5 (rare). Null without one of
    them. -#}
{% macro severity_distance(gold_value, predicted_value) -%}
    (1 + abs({{ gold_value }} - {{ predicted_value }}))
{%- endmacro %}

{#- Sum over the scored ranks of a list, each weighted. -#}
{% macro sum_over_ranks(rank, value) -%}
    sum({{ rank_weight(rank) }} * {{ value }}) filter (where {{ rank }} <= {{ max_scored_rank() }})
{%- endmacro %}

{#- Score of one list, an aggregate over its ranks: sum(w (5 - D)^2) / sum(w), 0 to 16. Without any
    scored rank it is 0: an empty list scores nothing. -#}
{% macro list_score(rank, distance) -%}
    round(
        coalesce(
            {{ sum_over_ranks(rank, rank_goodness(distance)) }} / {{ sum_over_ranks(rank, 1) }},
            0
        ),
        12
    )
{%- endmacro %}

{#- The same over the full sum of weights, 3.0: missing ranks count as Not Related. -#}
{% macro full_list_score(rank, distance) -%}
    round(coalesce({{ sum_over_ranks(rank, rank_goodness(distance)) }}, 0) / 3.0, 12)
{%- endmacro %}

{#- Weighted share of the scored ranks that are milder than the gold diagnosis, 0 to 1. Acuities are 1
    (mild) to 4 (critical); an answer of unknown acuity counts as milder, so that doubt never
    flatters. Null without a scored rank. -#}
{% macro share_of_milder(rank, acuity, gold_acuity) -%}
    round(
        {{ sum_over_ranks(rank, "coalesce(" ~ acuity ~ " < " ~ gold_acuity ~ ", true)::integer") }}
        / {{ sum_over_ranks(rank, 1) }},
        12
    )
{%- endmacro %}

{#- How dangerous it is that a severe or critical gold diagnosis is not among the first five, broadly
    read: (acuity - 2) / 2, one half for severe and one for critical, times the share of milder
    diagnoses in the list; 0 where it is found. Null for milder gold diagnoses and unknown ones
    (docs/specification.md#acuity-rarity-and-dangerous-omission). -#}
{% macro dangerous_omission(gold_acuity, is_found, share_of_milder) -%}
    case
        when {{ gold_acuity }} >= 3 and {{ is_found }} then 0
        when {{ gold_acuity }} >= 3 and not {{ is_found }}
            then ({{ gold_acuity }} - 2) / 2.0 * {{ share_of_milder }}
    end::double
{%- endmacro %}

{#- From 0..16 to -1..1, s = score / 8 - 1 (docs/specification.md#rescaled-score). -#}
{% macro rescale_score(score) -%}
    round({{ score }} / 8.0 - 1, 12)
{%- endmacro %}

{#- Weight of a case in the aggregate, W = 1 / (1 + exp(k (s - x0))): bad cases weigh more. -#}
{% macro case_weight(rescaled_score, steepness, midpoint) -%}
    round(1 / (1 + exp({{ steepness }} * ({{ rescaled_score }} - {{ midpoint }}))), 12)
{%- endmacro %}

{#- Every metric of a group of cases is a mean weighted by case, sum(W x) / sum(W). Accuracies and
    plain means have W = 1; the aggregate of rescaled scores has W = case_weight
    (docs/specification.md#aggregate). -#}
{% macro weighted_mean(value, weight) -%}
    {{ ratio(weight ~ " * " ~ value, weight) }}
{%- endmacro %}
