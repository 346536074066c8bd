with canonical_diseases as (
    select
        source_disease_id,
        disease_id,
        source_vocabulary,
    from {{ ref('int_terminology__disease_canonical') }}
),

not_itself as (
    select
        canonical_diseases.disease_id,
        'canonical id that leads elsewhere' as problem,
    from canonical_diseases
    anti join canonical_diseases as own
        on
            canonical_diseases.disease_id = own.source_disease_id
            and own.source_disease_id = own.disease_id
),

joined_too_much as (
    select
        disease_id,
        'two ids of ' || source_vocabulary as problem,
    from canonical_diseases
    group by disease_id, source_vocabulary
    having count(*) > 1
),

preferred_names as (
    select
        diseases.disease_id,
        'not exactly one preferred name' as problem,
    from {{ ref('dim_disease') }} as diseases
    left join {{ ref('dim_concept_alias') }} as aliases
        on diseases.disease_id = aliases.concept_id and aliases.scope = 'preferred'
    group by diseases.disease_id
    having count(aliases.concept_id) != 1
),

final as (
    select * from not_itself
    union all
    select * from joined_too_much
    union all
    select * from preferred_names
)

select * from final
