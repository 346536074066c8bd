-- The cases of the two rankers, as phenotypes. Findings that came with a case are taken as they
-- are; where only a text came, what it states of the patient today.
with cases as (
    select distinct case_id
    from {{ ref('int_experiments__expected_cells') }}
    where ranker in ('int_experiments__ic_ranking', 'int_experiments__profile_ranking')
),

stated as (
    select phenotypes.*
    from {{ ref('bridge_case_phenotype') }} as phenotypes
    semi join cases on phenotypes.case_id = cases.case_id
),

mentions as (
    select mentions.*
    from {{ ref('int_phenotyping__mentions') }} as mentions
    semi join cases on mentions.case_id = cases.case_id
    anti join stated on mentions.case_id = stated.case_id
    where
        mentions.hpo_id is not null
        and mentions.status in ('present', 'past', 'denied', 'stopped')
),

-- a finding both affirmed and denied counts as seen, as everywhere
found_in_text as (
    select
        case_id,
        hpo_id,
        not bool_or(status in ('present', 'past')) as is_excluded,
    from mentions
    group by all
),

final as (
    select
        case_id,
        hpo_id,
        is_excluded,
    from stated
    union all by name
    select * from found_in_text
)

select
    final.*,
    terms.hpo_name,
from final
inner join {{ ref('dim_hpo_term') }} as terms on final.hpo_id = terms.hpo_id
