with mentions as (
    select
        case_id,
        mention_number as place,
        'note' as origin,
        coalesce(hpo_id, finding) as what,
        hpo_id,
        finding,
        written,
        cue,
        exclusion_type,
        method,
        confidence,
        evidence,
    from {{ ref('int_phenotyping__mentions') }}
    where is_excluded
),

extracted as (
    select
        case_id,
        item_number as place,
        'model' as origin,
        coalesce(hpo_id, finding) as what,
        hpo_id,
        finding,
        evidence as written,
        null::varchar as cue,
        exclusion_type,
        method,
        confidence,
        evidence,
    from {{ ref('int_phenotyping__extracted_findings') }}
    where task = 'excluded' and coalesce(issue, '') != 'quotation not in the note'
),

inputs as (
    select
        case_id,
        input_number as place,
        'input' as origin,
        coalesce(hpo_id, written) as what,
        hpo_id,
        written as finding,
        written,
        null::varchar as cue,
        'explicit' as exclusion_type,
        method,
        confidence,
        written as evidence,
    from {{ ref('int_phenotyping__mapped_inputs') }}
    where is_excluded
),

excluded as (
    select * from mentions
    union all
    select * from extracted
    union all
    select * from inputs
),

-- what is denied twice is one excluded finding
distinct_findings as (
    select
        case_id,
        place,
        origin,
        hpo_id,
        finding,
        written,
        cue,
        exclusion_type,
        method,
        confidence,
        evidence,
    from excluded
    qualify
        row_number() over (
            partition by case_id, what
            order by
                list_position(['input', 'model', 'note'], origin) asc, confidence desc, place asc
        ) = 1
),

decided as (
    select * from {{ ref('int_phenotyping__decided_findings') }}
),

final as (
    select
        found.case_id,
        (row_number() over (
            partition by found.case_id
            order by list_position(['input', 'model', 'note'], found.origin), found.place
        ))::integer as finding_number,
        found.hpo_id,
        found.finding,
        found.written,
        found.cue,
        found.exclusion_type,
        found.origin,
        found.method,
        found.confidence,
        found.evidence,
        coalesce(decided.is_excluded and decided.overruling_hpo_id is null, false)
            as counts_as_absent,
    from distinct_findings as found
    left join decided
        on found.case_id = decided.case_id and found.hpo_id = decided.hpo_id
)

select * from final
