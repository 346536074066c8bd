{{ config(severity='warn', meta={'holds_of': 'data'}) }}

with cases as (
    select case_id,
    from {{ ref('int_phenotyping__cases') }}
    where note_set = 'kernel29_notes' and list_contains(gold_disease_ids, 'OMIM:300672')
),

named as (
    select
        case_id,
        disease_id,
        gene_twin_id,
    from {{ ref('fct_disease_match') }}
    where match_rank <= 10
)

select cases.case_id,
from cases
anti join named
    on
        cases.case_id = named.case_id
        and 'OMIM:300672' in (named.disease_id, named.gene_twin_id)
