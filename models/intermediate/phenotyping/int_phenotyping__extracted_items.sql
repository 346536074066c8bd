with parsed as (
    select
        request_key,
        unnest(items) as item,
        unnest(range(1, len(items) + 1)) as item_number,
    from {{ ref('int_phenotyping__parsed_extractions') }}
),

asks as (
    select * from {{ ref('int_phenotyping__extraction_asks') }}
),

cases as (
    select * from {{ ref('int_phenotyping__cases') }}
),

names as (
    select
        name_normalised,
        hpo_id,
        claim,
    from {{ ref('int_phenotyping__names') }}
    where is_looked_up
),

-- a quotation may differ from the note in white space, case and punctuation, not in words
final as (
    select
        asks.case_id,
        asks.task,
        parsed.item_number::integer as item_number,
        parsed.item.finding,
        {{ normalise_name("parsed.item.finding") }} as name_normalised,
        names.hpo_id,
        names.claim,
        parsed.item.evidence,
        parsed.item.status,
        parsed.item.exclusion_type,
        parsed.item.certainty,
        parsed.item.onset_text,
        parsed.item.onset_years,
        parsed.item.resolution_text,
        coalesce(parsed.item.is_ongoing, true) as is_ongoing,
        parsed.item.progression,
        contains(
            {{ normalise_name("cases.note") }}, {{ normalise_name("parsed.item.evidence") }}
        ) and {{ normalise_name("parsed.item.evidence") }} != '' as is_quoted,
    from parsed
    inner join asks on parsed.request_key = asks.request_key
    inner join cases on asks.case_id = cases.case_id
    left join names on {{ normalise_name("parsed.item.finding") }} = names.name_normalised
)

select * from final
