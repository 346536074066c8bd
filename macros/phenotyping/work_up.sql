{#- How sure a candidate is, from its supporting and contradicting findings alone (the source's
    rule): high from four supporting ones on without a contradiction, moderate with two
    and more, low otherwise. -#}
{% macro match_confidence(n_supporting, n_contradicting) -%}
    case
        when {{ n_supporting }} >= 4 and {{ n_contradicting }} = 0 then 'high'
        when {{ n_supporting }} >= 2 then 'moderate'
        else 'low'
    end
{%- endmacro %}

{#- As many candidates as are shown, explained and reasoned over. -#}
{% macro explained_ranks() -%}
    (
        select parameters.parameter_value
        from {{ ref('stg_phenotyping__match_parameter') }} as parameters
        where parameters.parameter = 'explained_ranks'
    )
{%- endmacro %}
