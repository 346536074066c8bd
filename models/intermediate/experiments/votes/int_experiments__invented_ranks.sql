-- ranks that a judge labelled and that were not in the list it was shown
with labels as (
    {%- for task in ["semantic", "severity"] %}
        select
            '{{ task }}' as scale,
            asks.configuration_id,
            asks.case_id,
            asks.probe,
            asks.judge_id,
            asks.vote,
            unnest(parsed.labels) as item,
        from {{ ref('int_experiments__' ~ task ~ '_asks') }} as asks
        inner join {{ ref('int_experiments__parsed_' ~ task) }} as parsed
            on asks.request_key = parsed.request_key
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
),

named as (
    select distinct
        scale,
        configuration_id,
        case_id,
        probe,
        judge_id,
        vote,
        item.rank as diagnosis_rank,
    from labels
),

final as (
    select
        named.scale,
        named.configuration_id,
        named.case_id,
        named.probe,
        named.judge_id,
        named.vote,
        named.diagnosis_rank,
    from named
    anti join {{ ref('int_experiments__judged_lists') }} as lists
        on
            named.configuration_id = lists.configuration_id
            and named.case_id = lists.case_id
            and named.probe = lists.probe
            and named.diagnosis_rank = lists.diagnosis_rank
            and lists.is_scored
)

select * from final
