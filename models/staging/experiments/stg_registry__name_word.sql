with source as (
    select
        word,
        same_as,
        kind,
        axis,
        string_split(axis_values, '|') as axis_values,
        reason,
        source,
    from {{ ref('name_words') }}
)

select * from source
