with phenotypes as (
    select * from {{ ref('fct_case_phenotype') }}
),

red_flags as (
    select * from {{ ref('dim_red_flag') }}
),

cases as (
    select * from {{ ref('int_phenotyping__cases') }}
),

-- what is absent or over raises no alarm
{{ raised_flags() }},

final as (
    select * exclude (hpo_name, words, with_hpo_ids, below_years, is_event, is_picture)
    from raised
)

select * from final
