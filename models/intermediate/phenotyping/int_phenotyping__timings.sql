with mentions as (
    select
        case_id,
        hpo_id,
        'note' as origin,
        2 as precedence,
        mention_number as place,
        onset_text,
        onset_years,
        resolution_text,
        resolution_years,
        progression,
        not is_resolved and resolution_text is null as is_ongoing,
        evidence,
    from {{ ref('int_phenotyping__mentions') }}
    where hpo_id is not null and is_present
),

extracted as (
    select
        case_id,
        hpo_id,
        'model' as origin,
        1 as precedence,
        item_number as place,
        onset_text,
        onset_years,
        resolution_text,
        null::double as resolution_years,
        progression,
        is_ongoing,
        evidence,
    from {{ ref('int_phenotyping__extracted_findings') }}
    where task = 'timing' and hpo_id is not null
),

said as (
    select * from mentions
    union all
    select * from extracted
),

-- Only what the patient is known to have. The earliest time a finding is said to have begun is its
-- onset; whether it goes on is what was said of it last.
final as (
    select
        said.case_id,
        said.hpo_id,
        arg_min(said.origin, said.precedence * 10000 + said.place) as origin,
        arg_min(said.onset_text, said.onset_years) as onset_text,
        min(said.onset_years) as onset_years,
        max(said.resolution_text) as resolution_text,
        max(said.resolution_years) as resolution_years,
        arg_min(said.progression, said.precedence * 10000 + said.place)
        filter (where said.progression is not null) as progression,
        arg_max(said.is_ongoing, said.place - said.precedence * 10000) as is_ongoing,
        arg_min(said.evidence, said.onset_years) as evidence,
    from said
    inner join {{ ref('int_phenotyping__decided_findings') }} as findings
        on
            said.case_id = findings.case_id
            and said.hpo_id = findings.hpo_id
            and not findings.is_excluded
    group by all
)

select * from final
