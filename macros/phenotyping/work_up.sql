{#- Confidence in a candidate, from the calibrated probability of its group, 0 to 1: high from three
    in four, moderate from one in three (docs/specification.md#candidate-confidence). -#}
{% macro match_confidence(probability) -%}
    case
        when {{ probability }} >= 0.75 then 'high'
        when {{ probability }} >= 0.35 then 'moderate'
        else 'low'
    end
{%- endmacro %}

{#- Completeness of the data of a case, 0 to 1: a weighted sum
    (docs/specification.md#data-completeness). `weights` is a
    relation of one row with the columns phenotypes, timing, exclusions, tests and family. -#}
{% macro data_completeness(n_present, n_with_onset, n_excluded, has_tests, has_family) -%}
    round(
        weights.phenotypes
        * case when {{ n_present }} >= 3 then 1.0 when {{ n_present }} >= 1 then 0.5 else 0.0 end
        + weights.timing * coalesce({{ n_with_onset }} / nullif({{ n_present }}, 0), 0.0)
        + weights.exclusions * if({{ n_excluded }} > 0, 1.0, 0.0)
        + weights.tests * if({{ has_tests }}, 1.0, 0.0)
        + weights.family * if({{ has_family }}, 1.0, 0.0),
        9
    )::double
{%- endmacro %}

{#- How worthwhile a reanalysis of an old genetic test is, 0 to 1: an additive score
    (docs/specification.md#reanalysis), capped at 1. An unknown (null) adds nothing. `rules` is a
    relation of one row with the columns old_test, gene_panel, new_phenotypes and new_genes
    (points), old_test_threshold in years and new_phenotypes_threshold. -#}
{% macro reanalysis_score(years_since, test_type, n_new_phenotypes, n_new_genes) -%}
    round(
        least(
            1.0,
            if({{ years_since }} > rules.old_test_threshold, rules.old_test, 0.0)
            + if({{ test_type }} = 'gene_panel', rules.gene_panel, 0.0)
            + if(
                {{ n_new_phenotypes }} >= rules.new_phenotypes_threshold, rules.new_phenotypes, 0.0
            )
            + if({{ n_new_genes }} > 0, rules.new_genes, 0.0)
        ),
        9
    )::double
{%- endmacro %}

{#- The rules that gave a reanalysis its points (docs/specification.md#reanalysis), in its
    order. -#}
{% macro reanalysis_reasons(years_since, test_type, n_new_phenotypes, n_new_genes) -%}
    list_filter(
        [
            if({{ years_since }} > rules.old_test_threshold, 'old_test', null),
            if({{ test_type }} = 'gene_panel', 'gene_panel', null),
            if({{ n_new_phenotypes }} >= rules.new_phenotypes_threshold, 'new_phenotypes', null),
            if({{ n_new_genes }} > 0, 'new_genes', null),
        ],
        lambda reason: reason is not null
    )
{%- endmacro %}

{#- A number of the work-up by name. -#}
{% macro work_up_number(name) -%}
    (
        select parameters.value
        from {{ ref('work_up_parameters') }} as parameters
        where parameters.parameter = '{{ name }}'
    )
{%- endmacro %}

{#- The reference date of the work-up: today, unless --vars 'as_of: 2026-01-31' says so. -#}
{% macro as_of() -%}
    coalesce(cast(nullif('{{ var("as_of") }}', '') as date), current_date)
{%- endmacro %}
