with own_cases as (
    select
        {{ case_id("'kernel29_notes'", "case_number") }} as case_id,
        hpo_terms,
        excluded_hpo_terms,
    from {{ ref('stg_phenotyping__case') }}
),

test_cases as (
    select * from {{ ref('dim_case') }}
),

records as (
    select
        *,
        {{ case_id("test_set", "record_number") }} as case_id,
    from {{ ref('stg_cases__record') }}
),

-- the records that became cases here, in a test set or for reading only
recorded as (
    select
        records.case_id,
        coalesce(records.hpo_ids, []) || coalesce(records.hpo_names, []) as hpo_terms,
        coalesce(records.excluded_hpo_ids, []) as excluded_hpo_terms,
    from records
    left join test_cases on records.case_id = test_cases.case_id
    where test_cases.case_id is not null or records.is_for_reading
),

-- `recorded` has the findings as written, unknown ids included
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
    select * from recorded
    union all
    select * from simulated
),

written as (
    select
        case_id,
        false as is_excluded,
        unnest(hpo_terms) as written,
        unnest(range(1, len(hpo_terms) + 1)) as list_number,
    from listed_terms
    union all
    select
        case_id,
        true as is_excluded,
        unnest(excluded_hpo_terms) as written,
        unnest(range(1, len(excluded_hpo_terms) + 1)) as list_number,
    from listed_terms
),

final as (
    select
        case_id,
        (row_number() over (partition by case_id order by is_excluded, list_number))::integer
            as input_number,
        trim(written) as written,
        is_excluded,
    from written
    where trim(written) != ''
)

select * from final
