with recorded as (
    select
        answers.configuration_id,
        answers.case_id,
        labels.judge_id,
        'gold_rank' as scale,
        labels.diagnosis_rank::varchar as label,
        coalesce(labels.label_written, 'P' || labels.diagnosis_rank) as label_written,
        labels.source,
    from {{ ref('stg_runs__label') }} as labels
    inner join {{ ref('int_experiments__recorded_answers') }} as answers
        on
            labels.configuration_id = answers.configuration_id
            and labels.case_id = answers.case_id
    where labels.is_gold_rank
),

imported as (
    select * from {{ ref('int_experiments__person_labels') }}
    where configuration_id is not null and {{ is_list_scale("scale") }}
),

labels as (
    select * from recorded
    union all by name
    select * from imported
),

-- the rank of the gold diagnosis, or how many ranks the question is about
places as (
    select
        *,
        (if(scale = 'gold_rank', label, substr(scale, 4)))::integer as place,
        scale = 'gold_rank' as is_rank,
        label = 'yes' as is_hit,
    from labels
),

bounds as (
    select
        configuration_id,
        case_id,
        judge_id,
        case when is_hit or (is_rank and place > 0) then place end as hit_within,
        case
            when is_hit then 0
            when not is_rank then place
            when place = 0 then {{ no_place() }}
            else place - 1
        end as missed_within,
        if(is_rank, [{{ list_depths().split() | join(", ") }}], [place]) as asked_depths,
        if(is_rank, label_written, 'top' || place || '=' || label_written) as label_in_full,
        label_written,
        source,
    from places
),

final as (
    select
        configuration_id,
        case_id,
        judge_id,
        string_agg(label_in_full, ', ' order by source, label_in_full) as label_written,
        string_agg(distinct source, '; ' order by source) as source,
        min(hit_within) as hit_within,
        max(missed_within) as missed_within,
        list_sort(list_distinct(flatten(list(asked_depths)))) as asked_depths,
        -- the count of authors who take labels literally
        bool_and(regexp_full_match(label_written, 'P[0-5]')) as is_written_plainly,
        coalesce(min(hit_within) <= max(missed_within), false) as is_contradictory,
    from bounds
    group by all
)

select * from final
