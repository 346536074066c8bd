with configurations as (
    select * from {{ ref('int_experiments__configurations') }}
),

-- an experiment may draw its sample with a seed of its own
draws as (
    select distinct
        test_set,
        sample_seed,
    from configurations
),

cases as (
    select
        draws.test_set,
        draws.sample_seed,
        cases.case_id,
        cases.contains_phi,
        -- a sample is the first few: the same for everybody, nearly the same when cases are added
        row_number() over (
            partition by draws.test_set, draws.sample_seed
            order by
                sha256(draws.sample_seed || ':' || cases.case_id),
                cases.case_id
        )::integer as sample_order,
    from draws
    inner join {{ ref('bridge_test_set_case') }} as members on draws.test_set = members.test_set
    inner join {{ ref('dim_case') }} as cases on members.case_id = cases.case_id
),

final as (
    select
        configurations.configuration_id,
        cases.case_id,
        configurations.model_alias,
        configurations.prompt_alias,
        configurations.test_set,
        configurations.model_kind,
        configurations.ranker,
        cases.sample_order,
        cases.contains_phi and not configurations.is_phi_approved as is_blocked_by_policy,
    from configurations
    inner join cases
        on
            configurations.test_set = cases.test_set
            and configurations.sample_seed = cases.sample_seed
)

select * from final
