select
    cues.abbreviation_key,
    cues.language,
    cues.expansion,
    cues.cue,
from {{ ref('bridge_abbreviation_cue') }} as cues
anti join {{ ref('dim_abbreviation_sense') }} as senses
    on
        cues.abbreviation_key = senses.abbreviation_key
        and cues.language = senses.language
        and cues.expansion = senses.expansion
