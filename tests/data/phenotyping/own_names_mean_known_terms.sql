with named as (
    select hpo_id from {{ ref('phenotype_names') }}
    union
    select hpo_id from {{ ref('normal_findings') }}
    union
    select hpo_id from {{ ref('phenotyping_gold_findings') }}
)

select named.hpo_id
from named
left join {{ ref('dim_hpo_term') }} as terms on named.hpo_id = terms.hpo_id
where named.hpo_id is not null and not coalesce(terms.is_phenotypic_abnormality, false)
