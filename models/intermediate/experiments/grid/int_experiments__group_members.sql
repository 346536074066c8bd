with configurations as (
    select
        configurations.configuration_id,
        configurations.test_set,
        configurations.model_alias,
        if(configurations.model_kind = 'recorded', 'recorded', models.provider) as provider,
        configurations.prompt_alias,
    from {{ ref('int_experiments__configurations') }} as configurations
    left join {{ ref('stg_registry__llm_model') }} as models
        on configurations.model_alias = models.model_alias
),

pairs as (
    select * from {{ ref('stratum_pairs') }}
),

case_strata as (
    select * from {{ ref('int_experiments__case_strata') }}
),

cells as (
    select distinct
        configuration_id,
        case_id,
    from {{ ref('int_experiments__case_metrics') }}
),

of_configuration as (
    select
        configuration_id,
        unnest([
            { stratum_kind: 'model', stratum: model_alias },
            { stratum_kind: 'provider', stratum: provider },
            { stratum_kind: 'prompt', stratum: prompt_alias },
            { stratum_kind: 'test_set', stratum: test_set }
        ], recursive := true),
    from configurations
),

of_cell as (
    select
        cells.configuration_id,
        cells.case_id,
        of_configuration.stratum_kind,
        of_configuration.stratum,
    from cells
    inner join of_configuration on cells.configuration_id = of_configuration.configuration_id
),

-- the other side of a pair belongs to the case or to the configuration; a test set to both
other_sides as (
    select
        cells.configuration_id,
        cells.case_id,
        case_strata.stratum_kind,
        case_strata.stratum,
    from cells
    inner join case_strata on cells.case_id = case_strata.case_id
    where case_strata.stratum_kind != 'test_set'
    union all by name
    select * from of_cell
),

paired as (
    select
        of_cell.configuration_id,
        of_cell.case_id,
        {{ pair_kind("pairs") }} as stratum_kind,
        case
            when pairs.first_kind = of_cell.stratum_kind
                then {{ stratum_pair("of_cell.stratum", "other_sides.stratum") }}
            else {{ stratum_pair("other_sides.stratum", "of_cell.stratum") }}
        end as stratum,
    from pairs
    inner join of_cell
        on
            pairs.first_kind = of_cell.stratum_kind
            or pairs.second_kind = of_cell.stratum_kind
    inner join other_sides
        on
            of_cell.configuration_id = other_sides.configuration_id
            and of_cell.case_id = other_sides.case_id
            and other_sides.stratum_kind in (pairs.first_kind, pairs.second_kind)
            and of_cell.stratum_kind != other_sides.stratum_kind
),

memberships as (
    select * from of_cell
    union by name
    select * from paired
),

final as (
    select
        configuration_id,
        case_id,
        stratum_kind as group_kind,
        stratum as group_name,
    from memberships
)

select * from final
