with mentions as (
    select
        case_id,
        hpo_id,
        'note' as origin,
        2 as precedence,
        mention_number as statement_number,
        onset_text,
        onset_years,
        resolution_text,
        resolution_years,
        progression,
        is_ongoing,
        evidence,
    from {{ ref('int_phenotyping__mentions') }}
    where hpo_id is not null and status in ('present', 'past')
),

extracted as (
    select
        case_id,
        hpo_id,
        'model' as origin,
        1 as precedence,
        item_number as statement_number,
        onset_text,
        onset_years,
        resolution_text,
        progression,
        is_ongoing,
        evidence,
    from {{ ref('int_phenotyping__extracted_findings') }}
    where task = 'timing' and hpo_id is not null
),

statements as (
    select * from mentions
    union all by name
    select * from extracted
),

-- a model takes precedence over the rules
ordered as (
    select
        *,
        {{ onset_order("precedence", "onset_text", "onset_years") }} as onset_order,
        precedence * 10000 + statement_number as reading_order,
        statement_number - precedence * 10000 as latest_order,
    from statements
),

-- The onset is the earliest one reported; whether the finding continues follows the latest report.
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
