with source as (
    select
        cast(case_number as integer) as case_number,
        hpo_id,
        cast(is_excluded as boolean) as is_excluded,
        cast(onset_years as double) as onset_years,
        progression,
        cast(is_ongoing as boolean) as is_ongoing,
    from {{ ref('phenotyping_gold_findings') }}
)

select * from source
