with requests as (
    select distinct
        request_key,
        'phenotype_reasoning' as task,
    from {{ ref('int_phenotyping__reasoning_asks') }}
    union all
    select distinct
        request_key,
        'phenotype_' || task as task,
    from {{ ref('int_phenotyping__extraction_asks') }}
),

{{ priced_calls(ref('int_phenotyping__call_attempts')) }}

select * from final
