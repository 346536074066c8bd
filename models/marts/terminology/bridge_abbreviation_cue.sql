with final as (
    select
        abbreviation_key,
        language,
        expansion,
        cue_kind,
        cue,
        case
            when cue_kind = 'word'
                then
                    ' ' || {{ normalise_name("cue") }}
                    || case when cue like '%*' then '' else ' ' end
        end as word_pattern,
        source,
    from {{ ref('stg_clinical__abbreviation_cue') }}
)

select * from final
