with final as (
    select
        abbreviation,
        {{ abbreviation_key("abbreviation") }} as abbreviation_key,
        language,
        expansion,
        cue_kind,
        cue,
        source,
    from {{ ref('clinical_abbreviation_cue') }}
)

select * from final
