with rejected as (
    select
        *,
        'rejected' as issue,
    from {{ ref('stg_labels__reject') }}
),

-- a label that was read but belongs to no list here
unattached as (
    select
        * exclude (source),
        nullif(split_part(judge_id, '/', 2), '') as rater,
        scale as field,
        unattached_reason as reason,
        'unattached' as issue,
    from {{ ref('int_experiments__person_labels') }}
    where unattached_reason is not null
),

issues as (
    select * from rejected
    union all by name
    select * from unattached
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
    from issues
)

select * from final
