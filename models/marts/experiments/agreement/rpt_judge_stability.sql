-- the same list judged twice: any change is the judge's own inconsistency
with counts as (
    select
        judge_id,
        scale,
        sum(n_lists)::integer as n_lists,
        sum(n_ranks)::integer as n_ranks,
        sum(n_changed)::integer as n_changed,
    from {{ ref('int_experiments__probe_shifts') }}
    where probe = 'rerun'
    group by all
),

statistics as (
    select
        *,
        judge_a as judge_id,
    from {{ ref('int_experiments__agreement_statistics') }}
    where comparison = 'itself' and judge_b = 'rerun'
),

final as (
    select
        counts.judge_id,
        counts.scale,
        judges.kind,
        judges.n_votes,
        counts.n_lists,
        counts.n_ranks,
        counts.n_changed,
        {%- for name in ["agreement", "kappa", "kappa_quadratic"] %}
            statistics.{{ name }},
            {{ coefficient_end("statistics", name, "-") }} as {{ name }}_low,
            {{ coefficient_end("statistics", name, "+") }} as {{ name }}_high,
        {%- endfor %}
    from counts
    inner join {{ ref('dim_judge') }} as judges on counts.judge_id = judges.judge_id
    left join statistics
        on counts.judge_id = statistics.judge_id and counts.scale = statistics.scale
)

select * from final
