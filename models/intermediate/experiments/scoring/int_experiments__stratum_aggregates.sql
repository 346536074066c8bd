with weights as (
    select
        score_key,
        case_id,
        setting,
        semantic_weight,
        semantic_weight * semantic_rescaled as semantic_weighted,
        coalesce(severity_weight, 0) as severity_weight,
        severity_weight * severity_rescaled as severity_weighted,
    from {{ ref('int_experiments__case_weights') }}
),

strata as (
    select * from {{ ref('int_experiments__case_strata') }}
),

final as (
    select
        weights.score_key,
        weights.setting,
        strata.stratum_key,
        {%- for score in ['semantic', 'severity'] %}
            {{ ratio("weights." ~ score ~ "_weighted", "weights." ~ score ~ "_weight") }}
                as {{ score }}_aggregate,
            {{ ratio_se("weights." ~ score ~ "_weighted", "weights." ~ score ~ "_weight") }}
                as {{ score }}_aggregate_error,
        {%- endfor %}
    from weights
    inner join strata on weights.case_id = strata.case_id
    group by all
)

select * from final
