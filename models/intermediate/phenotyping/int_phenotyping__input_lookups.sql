with inputs as (
    select
        *,
        'HP:' || {{ hpo_id_of("written") }} as written_id,
        {{ normalise_name("written") }} as name_normalised,
    from {{ ref('int_phenotyping__inputs') }}
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

-- an id's own record takes precedence over its use as an alternative id
ids as (
    select
        hpo_id,
        coalesce(replaced_by, hpo_id) as current_hpo_id,
        if(is_obsolete, 'alternative_id', 'id') as method,
    from terms
    union all
    select
        alternatives.alt_id as hpo_id,
        alternatives.id as current_hpo_id,
        'alternative_id' as method,
    from {{ ref('hpo_alt_id') }} as alternatives
    anti join terms on alternatives.alt_id = terms.hpo_id
),

names as (
    select * from {{ ref('int_phenotyping__names') }}
    where is_looked_up
),

looked_up as (
    select
        inputs.*,
        coalesce(ids.current_hpo_id, names.hpo_id) as hpo_id,
        coalesce(ids.method, names.method) as method,
        if(ids.hpo_id is null, names.claim, 1.0) as confidence,
    from inputs
    left join ids on inputs.written_id = ids.hpo_id
    left join names
        on
            case when inputs.written_id is null then inputs.name_normalised end
            = names.name_normalised
),

final as (
    select
        looked_up.case_id,
        looked_up.input_number,
        looked_up.written,
        looked_up.is_excluded,
        looked_up.name_normalised,
        case when terms.is_phenotypic_abnormality then looked_up.hpo_id end as hpo_id,
        case when terms.is_phenotypic_abnormality then looked_up.method end as method,
        case when terms.is_phenotypic_abnormality then looked_up.confidence end::double
            as confidence,
        case
            when terms.is_obsolete then 'obsolete id without a successor'
            when not terms.is_phenotypic_abnormality then 'no phenotypic abnormality'
            when looked_up.written_id is not null and looked_up.hpo_id is null then 'unknown id'
        end as issue,
    from looked_up
    left join terms on looked_up.hpo_id = terms.hpo_id
)

select * from final
