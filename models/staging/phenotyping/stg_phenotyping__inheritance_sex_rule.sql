with source as (
    select
        hpo_id,
        cast(female_probability as double) as female_probability,
        cast(male_probability as double) as male_probability,
        source,
    from {{ ref('inheritance_sex_rules') }}
)

select * from source
