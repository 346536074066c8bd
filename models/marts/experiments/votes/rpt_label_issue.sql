with rejected as (
    select
        panel,
        source_file,
        source_line,
        rater,
        field,
        reason,
        'rejected' as issue,
    from {{ ref('stg_labels__reject') }}
),

unattached as (
    select
        labels.panel,
        labels.source_file,
        labels.source_line,
        nullif(split_part(labels.judge_id, '/', 2), '') as rater,
        labels.scale as field,
        labels.unattached_reason as reason,
        'unattached' as issue,
    from {{ ref('int_experiments__person_labels') }} as labels
    where labels.unattached_reason is not null
),

everything as (
    select
        panel,
        source_file,
        source_line,
        rater,
        field,
        reason,
        issue,
    from rejected
    union all
    select
        panel,
        source_file,
        source_line,
        rater,
        field,
        reason,
        issue,
    from unattached
),

final as (
    select
        panel,
        row_number() over (
            partition by panel order by source_file, source_line, rater, field, reason
        )::integer as issue_number,
        source_file,
        source_line,
        rater,
        field,
        reason,
        issue,
    from everything
)

select * from final
