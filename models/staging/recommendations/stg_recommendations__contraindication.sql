with source as (
    select
        drug_class,
        present_when,
        against,
        check_phrases,
        seriousness,
        source,
    from {{ ref('contraindications') }}
)

select * from source
