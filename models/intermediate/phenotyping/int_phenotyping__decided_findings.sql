with assertions as (
    select * from {{ ref('int_phenotyping__assertions') }}
),

-- Who is heard: see int_phenotyping__assertions. Among equals what is there wins over what is not:
-- it was seen once at least, and a denial is often of one day or one place.
decided as (
    select
        case_id,
        hpo_id,
        origin,
        is_excluded,
        method,
        confidence,
        evidence,
        bool_or(is_excluded) over (partition by case_id, hpo_id)
        and not bool_and(is_excluded) over (partition by case_id, hpo_id) as is_contradicted,
    from assertions
    qualify
        row_number() over (
            partition by case_id, hpo_id
            order by precedence asc, is_excluded asc, confidence desc, origin_number asc
        ) = 1
),

ancestors as (
    select
        hpo_id,
        ancestor_hpo_id,
    from {{ ref('bridge_hpo_ancestor') }}
    where distance > 0
),

-- normal reflexes and brisk ones: the general finding cannot be absent where a kind of it is there
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
        decided.case_id,
        decided.hpo_id,
        decided.origin,
        decided.is_excluded,
        decided.method,
        decided.confidence,
        decided.evidence,
        decided.is_contradicted,
        overruled.overruling_hpo_id,
    from decided
    left join overruled
        on decided.case_id = overruled.case_id and decided.hpo_id = overruled.hpo_id
)

select * from final
