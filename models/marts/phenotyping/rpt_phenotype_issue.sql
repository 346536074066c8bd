with inputs as (
    select
        case_id,
        'input' as origin,
        input_number as origin_number,
        written,
        issue,
    from {{ ref('int_phenotyping__mapped_inputs') }}
    where issue is not null
),

extracted as (
    select
        case_id,
        'model: ' || task as origin,
        item_number as origin_number,
        finding as written,
        hpo_id,
        issue,
    from {{ ref('int_phenotyping__extracted_findings') }}
    where issue is not null
),

-- a finding that is mentioned and is not the patient's, or is not known to be
mentions as (
    select
        case_id,
        'note' as origin,
        mention_number as origin_number,
        hpo_id,
        evidence as written,
        case status
            when 'relative' then 'a relative''s; not counted'
            when 'planned' then 'looked for or planned; not counted'
            when 'conditional' then 'said of what may come; not counted'
            when 'trigger' then 'a trigger of other findings; not counted'
            when 'in_doubt' then 'in doubt; not counted'
        end as issue,
    from {{ ref('int_phenotyping__mentions') }}
    where
        hpo_id is not null
        and status in ('relative', 'planned', 'conditional', 'trigger', 'in_doubt')
),

-- the winning side of a contradiction
contradictions as (
    select
        case_id,
        'contradiction' as origin,
        row_number() over (partition by case_id order by hpo_id) as origin_number,
        evidence as written,
        hpo_id,
        case
            when overruling_hpo_id is not null
                then 'said to be absent, but a kind of it is present'
            when is_excluded then 'said to be present and absent; taken as absent'
            else 'said to be present and absent; taken as present'
        end as issue,
        overruling_hpo_id,
    from {{ ref('int_phenotyping__decided_findings') }}
    where is_contradicted or overruling_hpo_id is not null
),

issues as (
    select * from inputs
    union all by name
    select * from extracted
    union all by name
    select * from mentions
    union all by name
    select * from contradictions
),

final as (
    select
        case_id,
        (row_number() over (partition by case_id order by origin, origin_number))::integer
            as issue_number,
        hpo_id,
        overruling_hpo_id,
        origin,
        written,
        issue,
    from issues
)

select * from final
