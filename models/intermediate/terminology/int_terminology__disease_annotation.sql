with recursive annotations as (
    select * from {{ ref('disease_phenotype_omim') }}
    union all by name
    select * from {{ ref('disease_phenotype_orpha') }}
    union all by name
    select * from {{ ref('disease_phenotype_decipher') }}
),

canonical_diseases as (
    select * from {{ ref('int_terminology__disease_canonical') }}
),

{{ current_hpo_terms() }},

frequency_terms as (
    select * from {{ ref('hpo_range_term') }}
    where kind = 'frequency'
),

-- distinct: one statement of one reference is one observation, however often it was entered
final as (
    select distinct
        canonical_diseases.disease_id,
        current_terms.current_hpo_id as hpo_id,
        annotations.aspect,
        annotations.source,
        lower(annotations.sex) as sex,
        annotations.onset as onset_hpo_id,
        annotations.frequency as frequency_text,
        {{ frequency_kind("annotations.frequency") }} as frequency_kind,
        {{ frequency_n_observed("annotations.frequency") }} as n_observed,
        {{ frequency_n_total("annotations.frequency") }} as n_total,
        {{ frequency_percentage("annotations.frequency") }} as percentage,
        frequency_terms.point as term_point,
        annotations.is_negated or coalesce(frequency_terms.point = 0, false) as is_negated,
    from annotations
    inner join canonical_diseases
        on annotations.disease_id = canonical_diseases.source_disease_id
    inner join current_terms on annotations.hpo_id = current_terms.hpo_id
    left join frequency_terms on annotations.frequency = frequency_terms.hpo_id
)

select * from final
