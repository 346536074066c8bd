with items as (
    select * from {{ ref('int_phenotyping__extracted_items') }}
),

spellings as (
    select * from {{ ref('int_phenotyping__extracted_spellings') }}
),

-- the findings known without the model: only their times are asked for
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
    where hpo_id is not null and status in ('present', 'past')
),

mapped as (
    select
        items.* replace (coalesce(items.hpo_id, spellings.hpo_id) as hpo_id),
        round(
            coalesce(items.claim, spellings.similarity, 0.5)
            * {{ certainty_factor("items.certainty", "items.exclusion_type") }},
            3
        ) as confidence,
    from items
    left join spellings
        on items.hpo_id is null and items.name_normalised = spellings.name_normalised
),

-- Guards against inventions: a quotation that is not in the note, and a time of a finding the
-- patient is not known to have, do not count. rpt_phenotype_issue lists them.
final as (
    select
        mapped.* exclude (name_normalised, claim, certainty, is_quoted) replace (
            case
                when mapped.is_quoted and (mapped.task = 'excluded' or present.hpo_id is not null)
                    then mapped.hpo_id
            end as hpo_id
        ),
        'llm' as method,
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
