-- The floor under the reading of the project's own notes: a change that loses one finding in ten
-- is seen, one that loses one in fifty is in rpt_phenotype_reading.
select
    language,
    task,
    f1,
from {{ ref('rpt_phenotype_reading') }}
where f1 < 0.9 or n_gold < 20
