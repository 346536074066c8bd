{{ config(severity='warn', meta={'holds_of': 'data'}) }}

select
    language,
    task,
    f1,
from {{ ref('rpt_phenotype_reading') }}
where f1 < 0.9 or n_gold < 20
