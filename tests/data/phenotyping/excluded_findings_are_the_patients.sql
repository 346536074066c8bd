select mentions.case_id
from {{ ref('int_phenotyping__mentions') }} as mentions
where
    mentions.is_excluded
    and (mentions.is_family or mentions.is_resolved or mentions.is_uncertain or mentions.is_present)
