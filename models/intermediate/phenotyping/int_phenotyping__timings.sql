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

ordered as (
    select
        said.case_id,
        said.hpo_id,
        said.origin,
        said.onset_text,
        said.onset_years,
        said.resolution_text,
        said.resolution_years,
        said.progression,
        said.is_ongoing,
        said.evidence,
        {{ onset_order("said.precedence", "said.onset_text", "said.onset_years") }} as onset_order,
        said.precedence * 10000 + said.place as reading_order,
        said.place - said.precedence * 10000 as latest_order,
    from said
    inner join {{ ref('int_phenotyping__decided_findings') }} as findings
        on
            said.case_id = findings.case_id
            and said.hpo_id = findings.hpo_id
            and not findings.is_excluded
),

-- Only what the patient is known to have. The earliest time a finding is said to have begun is its
-- onset; whether it goes on is what was said of it last. A model is heard before the rules.
final as (
    select
        case_id,
        hpo_id,
        arg_min(origin, onset_order) as origin,
        arg_min(onset_text, onset_order) as onset_text,
        arg_min(onset_years, onset_order) filter (where onset_years is not null) as onset_years,
        arg_min(resolution_text, reading_order) as resolution_text,
        arg_min(resolution_years, reading_order) as resolution_years,
        arg_min(progression, reading_order) as progression,
        arg_max(is_ongoing, latest_order) as is_ongoing,
        arg_min(evidence, onset_order) as evidence,
    from ordered
    group by all
)

select * from final
