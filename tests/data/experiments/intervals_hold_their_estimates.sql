-- intervals of stratified and pooled scores are an estimate and its error to either side
with scores as (
    {%- for mart in ["fct_stratified_score", "fct_pooled_score"] %}
        {%- for metric in score_metrics().split() %}
            select
                '{{ mart }}' as mart,
                '{{ metric }}' as metric,
                {{ metric }} as estimate,
                {{ metric }}_low as low,
                {{ metric }}_high as high,
            from {{ ref(mart) }}
            {%- if not loop.last %}
                union all
            {%- endif %}
        {%- endfor %}
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
)

select * from scores
where estimate not between low - 1e-8 and high + 1e-8 or (low is null) != (high is null)
