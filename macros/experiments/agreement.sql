{#- The coefficients of agreement, names separated by spaces. The formulas are in
    python_llm/agreement.py, where the bootstrap needs them; a test holds the two lists together. -#}
{% macro agreement_coefficients() -%}
    agreement kappa kappa_linear kappa_quadratic alpha_nominal alpha_ordinal specific_agreement
{%- endmacro %}

{#- Whether a judge agrees with people at least as well as the person who agrees least with the
    others. Null where nobody can say: fewer than two raters, raters who do not agree beyond chance,
    or fewer common ranks than asked for. A judge above all raters is calibrated too. -#}
{% macro is_calibrated(kappa, lowest_rater, n_ranks, minimum_ranks) -%}
    case
        when {{ n_ranks }} >= {{ minimum_ranks }} and {{ lowest_rater }} > 0
            then {{ kappa }} >= {{ lowest_rater }}
    end
{%- endmacro %}

{#- The names of the labels of a scale, by their position on it: one row per scale and label. -#}
{% macro scale_labels() -%}
    select
        'semantic' as scale,
        distance as label_position,
        semantic_relation as label,
    from {{ ref('stg_registry__semantic_relation') }}
    where is_label
    union all
    select
        'severity' as scale,
        severity_value as label_position,
        severity as label,
    from {{ ref('stg_registry__severity_level') }}
    where is_label
    union all
    select
        'match' as scale,
        unnest([1, 2]) as label_position,
        unnest(['gold in list', 'gold not in list']) as label,
{%- endmacro %}

{#- What judges said, label by label, in CTEs that end with `given`: pattern_key, test_set, scale, case_id,
    n_units (ranks or lists with this pattern), judge_id, label_position. -#}
{% macro given_labels() -%}
patterns as (
    select
        row_number() over () as pattern_key,
        test_set,
        scale,
        case_id,
        labels,
        n_units,
    from {{ ref('int_experiments__label_patterns') }}
),

given as (
    select
        pattern_key,
        test_set,
        scale,
        case_id,
        n_units,
        unnest(labels, recursive := true),
    from patterns
)
{%- endmacro %}
