with cases as (
    select
        case_id,
        gold_concept_id,
        gold_diagnosis,
        gold_codes,
    from {{ ref('dim_case') }}
),

-- 'A also known as B / C', and names that give two for one, 'B/C'
written as (
    select
        case_id,
        {{ normalise_name("unnest(string_split_regex(gold_diagnosis, ' also known as |/'))") }}
            as gold_name,
    from cases
),

source_ids as (
    select
        disease_id,
        unnest(source_disease_ids) as source_disease_id,
    from {{ ref('dim_disease') }}
),

coded as (
    select
        case_id,
        unnest(gold_codes) as code,
    from cases
),

-- a case can carry several ids of its disease, and these can be several diseases here
concepts as (
    select
        case_id,
        gold_concept_id as concept_id,
    from cases
    where gold_concept_id is not null
    union
    select
        coded.case_id,
        source_ids.disease_id as concept_id,
    from coded
    inner join source_ids on coded.code = source_ids.source_disease_id
),

known as (
    select
        concepts.case_id,
        aliases.alias_normalised as gold_name,
    from concepts
    inner join {{ ref('dim_concept_alias') }} as aliases
        on concepts.concept_id = aliases.concept_id
    where aliases.scope in ('preferred', 'exact')
),

everything as (
    select
        case_id,
        gold_name,
    from written
    union
    select
        case_id,
        gold_name,
    from known
),

final as (
    select
        case_id,
        gold_name,
    from everything
    where gold_name != ''
)

select * from final
