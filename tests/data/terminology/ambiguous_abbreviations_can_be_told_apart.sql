select
    senses.abbreviation_key,
    senses.language,
    senses.expansion,
from {{ ref('dim_abbreviation_sense') }} as senses
anti join {{ ref('bridge_abbreviation_cue') }} as cues
    on
        senses.abbreviation_key = cues.abbreviation_key
        and senses.language = cues.language
        and senses.expansion = cues.expansion
where senses.is_ambiguous
