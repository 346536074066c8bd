with configurations as (
    select
        configuration_id,
        model_alias,
        prompt_alias,
        prompt_version,
        test_set,
        model_kind,
        is_phi_approved,
    from {{ ref('int_experiments__configurations') }}
),

cases as (
    select
        case_id,
        test_set,
        contains_phi,
    from {{ ref('dim_case') }}
),

final as (
    select
        configurations.configuration_id,
        cases.case_id,
        configurations.model_alias,
        configurations.prompt_alias,
        configurations.prompt_version,
        configurations.test_set,
        configurations.model_kind,
        cases.contains_phi and not configurations.is_phi_approved as is_blocked_by_policy,
    from configurations
    inner join cases on configurations.test_set = cases.test_set
)

select * from final
