with items as (
    select * from {{ ref('int_phenotyping__extracted_items') }}
),

spellings as (
    select * from {{ ref('int_phenotyping__extracted_spellings') }}
),

-- what the patient is known to have without the model's help: times are asked for these only
present as (
    select
        case_id,
        hpo_id,
    from {{ ref('int_phenotyping__mapped_inputs') }}
    where hpo_id is not null and not is_excluded
    union
    select
        case_id,
        hpo_id,
    from {{ ref('int_phenotyping__mentions') }}
    where hpo_id is not null and is_present
),

mapped as (
    select
        items.case_id,
        items.task,
        items.item_number,
        items.finding,
        coalesce(items.hpo_id, spellings.hpo_id) as hpo_id,
        items.evidence,
        items.exclusion_type,
        items.onset_text,
        items.onset_years,
        items.resolution_text,
        items.is_ongoing,
        items.progression,
        items.is_quoted,
        round(
            coalesce(items.claim, spellings.similarity, 0.5)
            * {{ certainty_factor("items.certainty", "items.exclusion_type") }},
            3
        ) as confidence,
    from items
    left join spellings
        on items.hpo_id is null and items.name_normalised = spellings.name_normalised
),

-- A model invents nothing here: a quotation that is not in the note, and a time of something the
-- patient is not known to have, are no findings. rpt_phenotype_issue has them.
final as (
    select
        mapped.case_id,
        mapped.task,
        mapped.item_number,
        mapped.finding,
        case
            when mapped.is_quoted and (mapped.task = 'excluded' or present.hpo_id is not null)
                then mapped.hpo_id
        end as hpo_id,
        'llm' as method,
        mapped.confidence,
        mapped.evidence,
        mapped.exclusion_type,
        mapped.onset_text,
        mapped.onset_years,
        mapped.resolution_text,
        mapped.is_ongoing,
        mapped.progression,
        case
            when not mapped.is_quoted then 'quotation not in the note'
            when mapped.task = 'timing' and present.hpo_id is null then 'phenotype not asked for'
            when mapped.hpo_id is null then 'finding without a term'
        end as issue,
    from mapped
    left join present
        on mapped.case_id = present.case_id and mapped.hpo_id = present.hpo_id
)

select * from final
