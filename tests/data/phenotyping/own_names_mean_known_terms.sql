with named as (
    select hpo_id from {{ ref('stg_phenotyping__name') }}
    union
    select hpo_id from {{ ref('stg_phenotyping__normal_finding') }}
    union
    select hpo_id from {{ ref('stg_phenotyping__gold_finding') }}
)

select named.hpo_id
from named
left join {{ ref('dim_hpo_term') }} as terms on named.hpo_id = terms.hpo_id
where named.hpo_id is not null and not coalesce(terms.is_phenotypic_abnormality, false)
