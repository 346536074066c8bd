{#- What came with the case was chosen by somebody; a language model read the whole note; a rule
    read a sentence: in this order one overrules the other. -#}
with inputs as (
    select
        case_id,
        hpo_id,
        'input' as origin,
        1 as precedence,
        input_number as origin_number,
        is_excluded,
        false as is_resolved,
        method,
        confidence,
        written as evidence,
    from {{ ref('int_phenotyping__mapped_inputs') }}
    where hpo_id is not null
),

extracted as (
    select
        case_id,
        hpo_id,
        'model' as origin,
        2 as precedence,
        item_number as origin_number,
        task = 'excluded' as is_excluded,
        not is_ongoing as is_resolved,
        'llm' as method,
        confidence,
        evidence,
    from {{ ref('int_phenotyping__extracted_findings') }}
    where hpo_id is not null
),

mentions as (
    select
        case_id,
        hpo_id,
        'note' as origin,
        3 as precedence,
        mention_number as origin_number,
        is_excluded,
        is_resolved,
        method,
        confidence,
        evidence,
    from {{ ref('int_phenotyping__mentions') }}
    where hpo_id is not null and (is_present or is_excluded)
),

final as (
    select * from inputs
    union all
    select * from extracted
    union all
    select * from mentions
)

select * from final
