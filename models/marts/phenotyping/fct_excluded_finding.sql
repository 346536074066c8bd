with mentions as (
    select
        case_id,
        'note' as origin,
        mention_number as origin_number,
        hpo_id,
        finding,
        written,
        cue,
        exclusion_type,
        method,
        confidence,
        evidence,
    from {{ ref('int_phenotyping__mentions') }}
    where status in ('denied', 'stopped') and kind not in ('sign', 'measure')
),

-- a denial without a known term stays, an invented one does not
extracted as (
    select
        case_id,
        'model' as origin,
        item_number as origin_number,
        hpo_id,
        finding,
        evidence as written,
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
        'input' as origin,
        input_number as origin_number,
        hpo_id,
        written as finding,
        written,
        'explicit' as exclusion_type,
        method,
        confidence,
        written as evidence,
    from {{ ref('int_phenotyping__mapped_inputs') }}
    where is_excluded
),

decided as (
    select * from {{ ref('int_phenotyping__decided_findings') }}
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

exclusions as (
    select * from mentions
    union all by name
    select * from extracted
    union all by name
    select * from inputs
),

-- a finding denied twice is one excluded finding
distinct_findings as (
    select
        *,
        list_position(['input', 'model', 'note'], origin) as precedence,
    from exclusions
    qualify
        row_number() over (
            partition by case_id, coalesce(hpo_id, finding)
            order by precedence asc, confidence desc, origin_number asc
        ) = 1
),

final as (
    select
        findings.case_id,
        (row_number() over (
            partition by findings.case_id
            order by findings.precedence, findings.origin_number
        ))::integer as finding_number,
        findings.hpo_id,
        terms.hpo_name,
        findings.finding,
        findings.written,
        findings.cue,
        findings.exclusion_type,
        findings.origin,
        findings.method,
        findings.evidence,
        findings.confidence,
        coalesce(decided.is_excluded and decided.overruling_hpo_id is null, false)
            as counts_as_absent,
    from distinct_findings as findings
    left join decided
        on findings.case_id = decided.case_id and findings.hpo_id = decided.hpo_id
    left join terms on findings.hpo_id = terms.hpo_id
)

select * from final
