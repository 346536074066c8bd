select
    'lab_tests' as seed,
    count(*) as n_rows,
from {{ ref('lab_tests') }}
where source is null
having count(*) > 0
union all
select
    'clinical_findings' as seed,
    count(*) as n_rows,
from {{ ref('clinical_findings') }}
where source is null
having count(*) > 0
union all
select
    'clinical_problems' as seed,
    count(*) as n_rows,
from {{ ref('clinical_problems') }}
where source is null
having count(*) > 0
union all
select
    'clinical_actions' as seed,
    count(*) as n_rows,
from {{ ref('clinical_actions') }}
where source is null
having count(*) > 0
union all
select
    'drugs' as seed,
    count(*) as n_rows,
from {{ ref('drugs') }}
where source is null
having count(*) > 0
union all
select
    'drug_rules' as seed,
    count(*) as n_rows,
from {{ ref('drug_rules') }}
where source is null
having count(*) > 0
union all
select
    'guideline_expectations' as seed,
    count(*) as n_rows,
from {{ ref('guideline_expectations') }}
where source is null
having count(*) > 0
union all
select
    'drugs, indications' as seed,
    count(*) as n_rows,
from {{ ref('drugs') }}
where indicated_when is not null and indication_source is null
having count(*) > 0
union all
select
    'order_limits' as seed,
    count(*) as n_rows,
from {{ ref('order_limits') }}
where source is null
having count(*) > 0
union all
select
    'red_flags' as seed,
    count(*) as n_rows,
from {{ ref('red_flags') }}
where source is null
having count(*) > 0
union all
select
    'guideline_rules' as seed,
    count(*) as n_rows,
from {{ ref('guideline_rules') }}
where source is null
having count(*) > 0
union all
select
    'guideline_rule_requirements' as seed,
    count(*) as n_rows,
from {{ ref('guideline_rule_requirements') }}
where source is null
having count(*) > 0
union all
select
    'assertion_cues' as seed,
    count(*) as n_rows,
from {{ ref('assertion_cues') }}
where source is null
having count(*) > 0
union all
select
    'scope_terms' as seed,
    count(*) as n_rows,
from {{ ref('scope_terms') }}
where source is null
having count(*) > 0
union all
select
    'example_orders' as seed,
    count(*) as n_rows,
from {{ ref('example_orders') }}
where source is null
having count(*) > 0
union all
select
    'clinical_documents' as seed,
    count(*) as n_rows,
from {{ ref('clinical_documents') }}
where source is null
having count(*) > 0
union all
select
    'latency_targets' as seed,
    count(*) as n_rows,
from {{ ref('latency_targets') }}
where source is null
having count(*) > 0
union all
select
    'retrieval_configurations' as seed,
    count(*) as n_rows,
from {{ ref('retrieval_configurations') }}
where source is null
having count(*) > 0
union all
select
    'retrieval_queries' as seed,
    count(*) as n_rows,
from {{ ref('retrieval_queries') }}
where source is null
having count(*) > 0
union all
select
    'retrieval_judgments' as seed,
    count(*) as n_rows,
from {{ ref('retrieval_judgments') }}
where source is null
having count(*) > 0
union all
select
    'gating_metrics' as seed,
    count(*) as n_rows,
from {{ ref('gating_metrics') }}
where source is null
having count(*) > 0
union all
select
    'patient_tenants' as seed,
    count(*) as n_rows,
from {{ ref('patient_tenants') }}
where source is null
having count(*) > 0
union all
select
    'patient_archetypes' as seed,
    count(*) as n_rows,
from {{ ref('patient_archetypes') }}
where source is null
having count(*) > 0
union all
select
    'patient_archetype_expectations' as seed,
    count(*) as n_rows,
from {{ ref('patient_archetype_expectations') }}
where source is null
having count(*) > 0
union all
select
    'patient_archetype_features' as seed,
    count(*) as n_rows,
from {{ ref('patient_archetype_features') }}
where source is null
having count(*) > 0
union all
select
    'tier4_dimensions' as seed,
    count(*) as n_rows,
from {{ ref('tier4_dimensions') }}
where source is null
having count(*) > 0
