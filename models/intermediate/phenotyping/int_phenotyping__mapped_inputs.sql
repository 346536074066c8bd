with lookups as (
    select * from {{ ref('int_phenotyping__input_lookups') }}
),

spellings as (
    select * from {{ ref('int_phenotyping__spelling_matches') }}
),

final as (
    select
        lookups.case_id,
        lookups.input_number,
        lookups.written,
        lookups.is_excluded,
        coalesce(lookups.hpo_id, spellings.hpo_id) as hpo_id,
        coalesce(lookups.method, if(spellings.hpo_id is null, null, 'fuzzy')) as method,
        coalesce(lookups.confidence, spellings.similarity) as confidence,
        case
            when lookups.issue is not null then lookups.issue
            when lookups.hpo_id is null and spellings.hpo_id is null then 'unknown name'
        end as issue,
    from lookups
    left join spellings
        on
            -- a spelling is tried last, and never where the lookup has an issue: an obsolete id
            -- must not become a term that looks like it
            lookups.hpo_id is null
            and lookups.issue is null
            and lookups.name_normalised = spellings.name_normalised
)

select * from final
