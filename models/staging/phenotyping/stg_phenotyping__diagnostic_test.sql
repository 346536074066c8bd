with source as (
    select
        test_id,
        hpo_id,
        action_type,
        action,
        source,
    from {{ ref('diagnostic_tests') }}
)

select * from source
