{#- Grades 2 and 3 are relevant; 1 is marginal and gains in NDCG only
    (docs/specification.md#retrieval-metrics). -#}
{% macro is_relevant(grade) -%}
    ({{ grade }} >= 2)
{%- endmacro %}

{#- Gain of a document at a rank: its grade over log2(rank + 1) (Järvelin and Kekäläinen 2002, as
    trec_eval has it). -#}
{% macro discounted_gain(grade, rank) -%}
    ({{ grade }} / log2({{ rank }} + 1))
{%- endmacro %}

{#- Exact two-sided sign test of how many paired cases got worse and better (for pass and fail that
    is McNemar's exact test): twice the binomial tail at one half, at most 1. -#}
{% macro exact_sign_test(n_worse, n_better) -%}
    case
        when {{ n_worse }} + {{ n_better }} = 0 then 1.0
        else least(
            1.0,
            2 * list_sum(
                list_transform(
                    range(0, least({{ n_worse }}, {{ n_better }})::bigint + 1),
                    lambda i: exp(
                        lgamma({{ n_worse }} + {{ n_better }} + 1)
                        - lgamma(i + 1)
                        - lgamma({{ n_worse }} + {{ n_better }} - i + 1)
                        - ({{ n_worse }} + {{ n_better }}) * ln(2)
                    )
                )
            )
        )
    end
{%- endmacro %}

{#- Values are compared at nine decimals: later digits depend on the order of additions. -#}
{% macro measured(value) -%}
    round({{ value }}, 9)
{%- endmacro %}
