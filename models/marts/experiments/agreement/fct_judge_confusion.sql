with labels as (
    {{ scale_labels() }}
),

counts as (
    select
        judge_a,
        judge_b,
        test_set,
        scale,
        position_a,
        position_b,
        sum(n)::integer as n_ranks,
    from {{ ref('int_experiments__label_counts') }}
    where comparison = 'pair' and configuration_id = 'all'
    group by all
),

prompts as (
    {{ judged_prompt_versions() }}
),

-- the shares of a row and of a column show which judge is stricter
final as (
    select
        counts.judge_a,
        counts.judge_b,
        counts.test_set,
        counts.scale,
        labels_a.label as label_a,
        labels_b.label as label_b,
        prompts.prompt_versions,
        {{ terminology_release() }} as terminology_release,
        counts.position_a,
        counts.position_b,
        counts.n_ranks,
        counts.n_ranks / sum(counts.n_ranks) over (
            partition by
                counts.judge_a, counts.judge_b, counts.test_set, counts.scale, counts.position_a
        ) as share_of_a,
        counts.n_ranks / sum(counts.n_ranks) over (
            partition by
                counts.judge_a, counts.judge_b, counts.test_set, counts.scale, counts.position_b
        ) as share_of_b,
    from counts
    inner join labels as labels_a
        on counts.scale = labels_a.scale and counts.position_a = labels_a.label_position
    inner join labels as labels_b
        on counts.scale = labels_b.scale and counts.position_b = labels_b.label_position
    inner join prompts on counts.test_set = prompts.test_set
)

select * from final
