with source as (
    select
        scale,
        written,
        {{ normalise_name("written") }} as written_normalised,
        label,
        language,
        source,
    from {{ ref('label_spellings') }}
)

select * from source
