with cues as (
    select * from {{ ref('clinical_abbreviation_cue') }}
),

final as (
    select
        {{ abbreviation_key("abbreviation") }} as abbreviation_key,
        language,
        expansion,
        cue_kind,
        cue,
        -- blanks keep a cue from matching inside a word; an asterisk allows any ending
        case
            when cue_kind = 'word'
                then
                    ' ' || {{ normalise_name("cue") }}
                    || case when cue like '%*' then '' else ' ' end
        end as word_pattern,
        source,
    from cues
)

select * from final
