{#- A person chose the findings that came with the case; a language model read the whole note; a
    rule read one sentence. That is the order of precedence. -#}
with inputs as (
    select
        case_id,
        hpo_id,
        'input' as origin,
        1 as precedence,
        input_number as origin_number,
        if(is_excluded, 'denied', 'present') as status,
        method,
        confidence,
        written as evidence,
    from {{ ref('int_phenotyping__mapped_inputs') }}
),

extracted as (
    select
        case_id,
        hpo_id,
        'model' as origin,
        2 as precedence,
        item_number as origin_number,
        if(task = 'excluded', 'denied', 'present') as status,
        'llm' as method,
        confidence,
        evidence,
    from {{ ref('int_phenotyping__extracted_findings') }}
),

mentions as (
    select
        case_id,
        hpo_id,
        'note' as origin,
        3 as precedence,
        mention_number as origin_number,
        status,
        method,
        confidence,
        evidence,
    from {{ ref('int_phenotyping__mentions') }}
    where status in ('present', 'past', 'denied', 'stopped')
),

told_ages as (
    select
        case_id,
        min(value) as age_years,
    from {{ ref('int_phenotyping__mentions') }}
    where finding = 'age_years'
    group by all
),

-- adult limits where no age is known
measured as (
    select
        measures.case_id,
        abnormal_values.hpo_id,
        'note' as origin,
        3 as precedence,
        measures.mention_number as origin_number,
        measures.status,
        'measure' as method,
        0.9 as confidence,
        measures.evidence,
    from {{ ref('int_phenotyping__mentions') }} as measures
    inner join {{ ref('int_phenotyping__cases') }} as cases on measures.case_id = cases.case_id
    left join told_ages on measures.case_id = told_ages.case_id
    inner join {{ ref('abnormal_values') }} as abnormal_values
        on
            measures.finding = abnormal_values.measure
            and measures.value >= coalesce(abnormal_values.at_least, measures.value)
            and (abnormal_values.below is null or measures.value < abnormal_values.below)
            and coalesce(cases.age_years, told_ages.age_years, 40)
            >= coalesce(abnormal_values.from_years, 0)
            and coalesce(cases.age_years, told_ages.age_years, 40)
            < coalesce(abnormal_values.below_years, 200)
    where measures.kind = 'measure' and measures.status in ('present', 'past')
),

stated as (
    select * from inputs
    union all by name
    select * from extracted
    union all by name
    select * from mentions
    union all by name
    select * from measured
),

assertions as (
    select
        *,
        status in ('denied', 'stopped') as is_excluded,
    from stated
),

ancestors as (
    select * from {{ ref('bridge_hpo_ancestor') }}
    where distance > 0
),

-- Among equals, present wins over past and both over absent: the finding was seen at least once,
-- and a denial often concerns one day or one place. What is over and absent today is no
-- contradiction.
decided as (
    select
        * exclude (precedence, origin_number),
        bool_or(is_excluded) over (partition by case_id, hpo_id)
        and bool_or(status = 'present') over (partition by case_id, hpo_id) as is_contradicted,
    from assertions
    where hpo_id is not null
    qualify
        row_number() over (
            partition by case_id, hpo_id
            order by
                precedence asc,
                is_excluded asc,
                status != 'present' asc,
                confidence desc,
                origin_number asc
        ) = 1
),

-- normal reflexes and brisk ones: a general finding cannot be absent where a descendant is present
overruled as (
    select
        absent.case_id,
        absent.hpo_id,
        min(present.hpo_id) as overruling_hpo_id,
    from decided as absent
    inner join ancestors on absent.hpo_id = ancestors.ancestor_hpo_id
    inner join decided as present
        on
            absent.case_id = present.case_id
            and ancestors.hpo_id = present.hpo_id
            and not present.is_excluded
    where absent.is_excluded
    group by all
),

final as (
    select
        decided.*,
        overruled.overruling_hpo_id,
    from decided
    left join overruled
        on decided.case_id = overruled.case_id and decided.hpo_id = overruled.hpo_id
)

select * from final
