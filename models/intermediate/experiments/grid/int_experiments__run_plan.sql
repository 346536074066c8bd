with asks as (
    select
        *,
        is_selected and not is_blocked_by_policy as is_wanted,
    from {{ ref('int_experiments__generation_asks') }}
),

requests as (
    select
        *,
        {{ usd_cost("estimated_input_tokens", "0", "max_output_tokens") }} as worst_case_usd,
    from asks
    where is_wanted
    {{ one_ask_per_request() }}
),

-- of any domain, and before this run sends anything
answered as (
    select * from {{ ref('stg_ledger__answered') }}
),

-- what a model's answers have been like; one that never answered is taken for like all others
usual as (
    select
        model_alias,
        avg(output_tokens) as output_tokens,
        avg(latency_ms) / 1000 as seconds,
    from answered
    where output_tokens > 0
    group by rollup (model_alias)
),

models as (
    select
        today.model_alias,
        today.family,
        today.max_output_tokens,
        today.max_concurrency,
        today.requests_per_minute,
        today.tokens_per_minute,
        coalesce(own.output_tokens, other.output_tokens, today.max_output_tokens)
            as usual_output_tokens,
        coalesce(own.seconds, other.seconds) as usual_seconds,
        today.input_usd_per_mtok,
        today.cached_input_usd_per_mtok,
        today.output_usd_per_mtok,
        registry.is_phi_approved,
        if(registry.is_retired, 'retired', access.access_state) as access_state,
    from {{ ref('int_calls__current_models') }} as today
    inner join {{ ref('stg_registry__llm_model') }} as registry
        on today.model_alias = registry.model_alias
    left join {{ ref('int_calls__model_access') }} as access
        on today.model_alias = access.model_alias
    left join usual as own on today.model_alias = own.model_alias
    left join usual as other on other.model_alias is null
),

asked_cells as (
    select
        asks.model_alias,
        count(*) as n_cells,
        count(answered.request_key) as n_answered,
    from asks
    left join answered on asks.request_key = answered.request_key
    where asks.is_wanted
    group by all
),

to_send as (
    select
        model_alias,
        count(*) as n_requests,
        sum(estimated_input_tokens) as input_tokens,
        sum(max_output_tokens) as output_tokens,
        if(count(worst_case_usd) = count(*), sum(worst_case_usd), null) as worst_case_usd,
    from requests
    anti join answered on requests.request_key = answered.request_key
    group by all
),

of_models as (
    select
        'model' as role,
        asked_cells.model_alias as name,
        'generation' as task,
        asked_cells.model_alias,
        asked_cells.n_cells,
        asked_cells.n_answered,
        coalesce(to_send.n_requests, 0) as n_requests,
        coalesce(to_send.input_tokens, 0) as input_tokens,
        coalesce(to_send.output_tokens, 0) as output_tokens,
        if(to_send.n_requests is null, 0, to_send.worst_case_usd) as worst_case_usd,
    from asked_cells
    left join to_send on asked_cells.model_alias = to_send.model_alias
),

-- every list that may exist when the judges are asked: of the baseline, recorded, answered or
-- requested
lists as (
    select
        cells.configuration_id,
        cases.gold_diagnosis,
        cases.gold_severity,
        cases.contains_phi,
    from {{ ref('int_experiments__expected_cells') }} as cells
    inner join {{ ref('dim_case') }} as cases on cells.case_id = cases.case_id
    left join asks
        on cells.configuration_id = asks.configuration_id and cells.case_id = asks.case_id
    left join answered on asks.request_key = answered.request_key
    where
        {{ is_judged_in_run("cells") }}
        and (cells.model_kind != 'llm' or asks.is_wanted or answered.request_key is not null)
),

-- a gold diagnosis without a severity is graded once, as a list of its own
lists_of_tasks as (
    select
        'semantic judge' as task,
        *,
    from lists
    union all by name
    select
        'severity judge' as task,
        *,
    from lists
    union all by name
    select distinct
        'severity judge' as task,
        gold_diagnosis,
        contains_phi,
    from lists
    where gold_severity is null
),

{{ composed_prompts() }},

judge_tasks as (
    select
        judge_id,
        model_alias,
        n_votes,
        unnest([
            { task: 'semantic judge', prompt_alias: semantic_prompt },
            { task: 'severity judge', prompt_alias: severity_prompt }
        ], recursive := true),
    from {{ ref('judges') }}
    where kind = 'llm' and {{ is_chosen("judge_id", "judges") }}
),

-- names of the maximum length, one token per character: an upper bound for any list
of_judges as (
    select
        'judge' as role,
        judge_tasks.judge_id as name,
        judge_tasks.task,
        judge_tasks.model_alias,
        count(*) as n_cells,
        0 as n_answered,
        sum(judge_tasks.n_votes) as n_requests,
        sum(judge_tasks.n_votes * (
            {{ estimate_tokens("prompts.system_template") }}
            + {{ estimate_tokens("prompts.user_template") }}
            + {{ estimate_tokens("lists.gold_diagnosis") }}
            + {{ max_judged_rank() }} * {{ parameter('longest_diagnosis') }}::integer
        )) as input_tokens,
        sum(judge_tasks.n_votes * models.max_output_tokens) as output_tokens,
    from judge_tasks
    inner join prompts on judge_tasks.prompt_alias = prompts.prompt_alias
    inner join models on judge_tasks.model_alias = models.model_alias
    inner join lists_of_tasks as lists on judge_tasks.task = lists.task
    left join {{ ref('int_experiments__configurations') }} as configurations
        on lists.configuration_id = configurations.configuration_id
    where
        (models.is_phi_approved or not lists.contains_phi)
        and (
            models.family is distinct from configurations.model_family
            or lists.configuration_id is null
            or {{ "true" if var('own_family') else "false" }}
        )
    group by all
),

planned as (
    select * from of_models
    union all by name
    select * from of_judges
),

expected as (
    select
        planned.*,
        models.* exclude (model_alias, max_output_tokens),
        least(planned.output_tokens, planned.n_requests * models.usual_output_tokens)
            as expected_output_tokens,
    from planned
    inner join models on planned.model_alias = models.model_alias
),

final as (
    select
        role,
        name,
        task,
        n_cells::integer as n_cells,
        n_answered::integer as n_answered,
        n_requests::bigint as n_requests,
        input_tokens::bigint as input_tokens,
        output_tokens::bigint as output_tokens,
        case
            when n_requests = 0 then 0
            else {{ usd_cost("input_tokens", "0", "expected_output_tokens") }}
        end as expected_usd,
        case
            when role = 'model' then worst_case_usd
            else {{ usd_cost("input_tokens", "0", "output_tokens") }}
        end as worst_case_usd,
        -- at the model's limits, and at the pace of its answers until now
        greatest(
            n_requests / requests_per_minute,
            (input_tokens + expected_output_tokens) / tokens_per_minute,
            n_requests * usual_seconds / max_concurrency / 60
        ) as minutes,
        access_state,
    from expected
)

select * from final
