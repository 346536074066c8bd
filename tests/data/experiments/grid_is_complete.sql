{{ config(tags=['tier1']) }}

with expected as (
    select
        configurations.configuration_id,
        members.case_id,
    from {{ ref('dim_configuration') }} as configurations
    inner join {{ ref('bridge_test_set_case') }} as members
        on configurations.test_set = members.test_set
),

present as (
    select
        configuration_id,
        case_id,
        count(*) as n_rows,
    from {{ ref('fct_answer') }}
    group by all
),

differences as (
    select
        coalesce(expected.configuration_id, present.configuration_id) as configuration_id,
        coalesce(expected.case_id, present.case_id) as case_id,
        present.n_rows,
    from expected
    full join present
        on
            expected.configuration_id = present.configuration_id
            and expected.case_id = present.case_id
    where expected.case_id is null or present.case_id is null or present.n_rows != 1
),

asked_for as (
    select configurations.configuration_id
    from {{ ref('int_experiments__configurations') }} as configurations
    left join {{ ref('dim_test_set') }} as test_sets
        on configurations.test_set = test_sets.test_set
    where configurations.is_test_set_named or test_sets.n_cases > 0
),

registered as (
    select count(*) as n_registered
    from asked_for
),

built as (
    select count(*) as n_built
    from {{ ref('dim_configuration') }}
)

select
    configuration_id,
    case_id,
    n_rows,
from differences
union all
select
    'registered ' || registered.n_registered as configuration_id,
    'built ' || built.n_built as case_id,
    built.n_built as n_rows,
from registered
cross join built
where registered.n_registered != built.n_built
