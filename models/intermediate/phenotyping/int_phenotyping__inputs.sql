with own_cases as (
    select
        {{ case_id("'kernel29_notes'", "case_number") }} as case_id,
        hpo_terms,
        excluded_hpo_terms,
    from {{ ref('stg_phenotyping__case') }}
),

cases as (
    select case_id,
    from {{ ref('int_phenotyping__cases') }}
),

records as (
    select
        cases.case_id,
        coalesce(written.hpo_ids, []) || coalesce(written.hpo_names, []) as hpo_terms,
        coalesce(written.excluded_hpo_ids, []) as excluded_hpo_terms,
    from {{ ref('stg_cases__record') }} as written
    inner join cases
        on
            {{ case_id("written.test_set", "written.record_number") }} = cases.case_id
),

-- what was recorded stands in `records` as it was written, unknown ids included
simulated as (
    select
        case_id,
        list(hpo_id order by hpo_id) as hpo_terms,
        []::varchar[] as excluded_hpo_terms,
    from {{ ref('bridge_case_phenotype') }}
    where origin != 'recorded'
    group by all
),

listed_terms as (
    select * from own_cases
    union all
    select * from records
    union all
    select * from simulated
),

written as (
    select
        case_id,
        false as is_excluded,
        unnest(hpo_terms) as written,
        unnest(range(1, len(hpo_terms) + 1)) as place,
    from listed_terms
    union all
    select
        case_id,
        true as is_excluded,
        unnest(excluded_hpo_terms) as written,
        unnest(range(1, len(excluded_hpo_terms) + 1)) as place,
    from listed_terms
),

final as (
    select
        case_id,
        (row_number() over (partition by case_id order by is_excluded, place))::integer
            as input_number,
        trim(written) as written,
        is_excluded,
    from written
    where trim(written) != ''
)

select * from final
