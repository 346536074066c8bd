{#- What every chosen judge is to be asked about every ranked list and every probe made of one: one row
    per configuration, case, probe, judge and vote. Probes are asked live only with the variable
    bias_checks; a list that is judged again counts its repeats on from the votes.
    `prompt_column` of the judges' registry says which of its two prompts. The gold
    diagnosis is filled in only where the prompt asks for it. A model does not judge its own family
    unless the variable own_family says so. -#}
{% macro judge_asks(prompt_column) -%}
with judges as (
    select
        judge_id,
        model_alias,
        {{ prompt_column }} as prompt_alias,
        n_votes,
        unnest(range(1, n_votes + 1)) as vote,
    from {{ ref('stg_registry__judge') }}
    where kind = 'llm'
),

lists as (
    select
        configuration_id,
        case_id,
        probe,
        string_agg(
            diagnosis_rank || '. ' || {{ as_one_line("diagnosis") }}, e'\n' order by diagnosis_rank
        ) as diagnosis_list,
    from {{ ref('int_experiments__judged_lists') }}
    where is_scored
    group by all
),

cases as (
    select
        case_id,
        gold_diagnosis,
        contains_phi,
    from {{ ref('dim_case') }}
),

prompts as (
    select
        versions.prompt_alias,
        versions.prompt_version,
        versions.system_template,
        versions.user_template,
        versions.response_schema,
        registry.output_format,
    from {{ ref('stg_prompts__version') }} as versions
    inner join {{ ref('stg_registry__prompt') }} as registry
        on versions.prompt_alias = registry.prompt_alias
),

families as (
    select
        configuration_id,
        model_family,
    from {{ ref('int_experiments__configurations') }}
),

approvals as (
    select
        model_alias,
        family,
        is_phi_approved,
    from {{ ref('stg_registry__llm_model') }}
),

models as (
    select
        model_alias,
        provider,
        api_model,
        base_url_env,
        api_key_env,
        parameters,
        max_output_tokens,
        max_concurrency,
        requests_per_minute,
        tokens_per_minute,
        requests_per_day,
        timeout_seconds,
        input_usd_per_mtok,
        cached_input_usd_per_mtok,
        output_usd_per_mtok,
        batch_factor,
        accepts_system_role,
        accepts_json_schema,
        accepts_batch,
    from {{ ref('int_experiments__models_today') }}
),

asked as (
    select
        lists.configuration_id,
        lists.case_id,
        lists.probe,
        judges.judge_id,
        judges.vote,
        judges.model_alias,
        prompts.prompt_version,
        prompts.output_format,
        prompts.system_template as system_text,
        {{ fill_template("prompts.user_template", [
            ("gold_diagnosis", "cases.gold_diagnosis"),
            ("diagnosis_list", "lists.diagnosis_list"),
        ]) }} as user_text,
        prompts.response_schema,
        (judges.vote + if(lists.probe = 'rerun', judges.n_votes, 0))::integer as repeat_number,
        {{ is_chosen("judges.judge_id", "judges") }}
        {%- if not var('bias_checks') %}
            and lists.probe = 'none'
        {%- endif %} as is_selected,
        cases.contains_phi and not approvals.is_phi_approved as is_blocked_by_policy,
    from lists
    inner join cases on lists.case_id = cases.case_id
    cross join judges
    inner join prompts on judges.prompt_alias = prompts.prompt_alias
    inner join approvals on judges.model_alias = approvals.model_alias
    inner join families on lists.configuration_id = families.configuration_id
    {% if not var('own_family') -%}
    where approvals.family is distinct from families.model_family
    {%- endif %}
),

final as (
    select
        asked.configuration_id,
        asked.case_id,
        asked.probe,
        asked.judge_id,
        asked.vote,
        asked.model_alias,
        asked.prompt_version,
        asked.output_format,
        {{ request_columns("asked.response_schema") }},
    from asked
    inner join models on asked.model_alias = models.model_alias
)

select * from final
{%- endmacro %}

{#- One label per configuration, case, probe, rank and judge out of the judge's votes. A label counts only if
    it is one of the registry's, quotes and case aside. Majority decides; a tie goes to the label that
    is worse for the system (`worst_first` orders labels), so that doubt never flatters. A rank without
    a valid vote gets the registry's label for that, `no_label`. Judges that were asked about nothing
    have no rows. -#}
{% macro judge_labels(task, registry, label_column, worst_first, no_label) -%}
with asks as (
    select
        configuration_id,
        case_id,
        probe,
        judge_id,
        vote,
        request_key,
    from {{ ref('int_experiments__' ~ task ~ '_asks') }}
),

responses as (
    select
        request_key,
        status,
    from {{ ref('int_experiments__' ~ task ~ '_responses') }}
),

parsed as (
    select
        request_key,
        unnest(labels) as item,
    from {{ ref('int_experiments__parsed_' ~ task) }}
),

registry as (
    select
        {{ label_column }} as label,
        {{ worst_first }} as badness,
    from {{ ref(registry) }}
    where is_label
),

working_judges as (
    select distinct
        asks.configuration_id,
        asks.probe,
        asks.judge_id,
    from asks
    inner join responses on asks.request_key = responses.request_key
    where responses.status != 'not_requested'
),

-- every scored rank is expected from every judge at work, whatever the judge wrote
expected as (
    select
        asks.configuration_id,
        asks.case_id,
        asks.probe,
        asks.judge_id,
        asks.vote,
        asks.request_key,
        ranked.diagnosis_rank,
    from asks
    semi join working_judges
        on
            asks.configuration_id = working_judges.configuration_id
            and asks.probe = working_judges.probe
            and asks.judge_id = working_judges.judge_id
    inner join {{ ref('int_experiments__judged_lists') }} as ranked
        on
            asks.configuration_id = ranked.configuration_id
            and asks.case_id = ranked.case_id
            and asks.probe = ranked.probe
            and ranked.is_scored
),

-- a judge that names a rank twice has not decided
stated as (
    select
        request_key,
        item.rank as diagnosis_rank,
        lower(trim(min(item.label), ' "''.*`')) as label_written,
        min(item.reason) as reason,
    from parsed
    group by all
    having count(distinct item.label) = 1
),

votes as (
    select
        expected.configuration_id,
        expected.case_id,
        expected.probe,
        expected.judge_id,
        expected.diagnosis_rank,
        expected.vote,
        registry.label,
        registry.badness,
        stated.reason,
    from expected
    left join stated
        on
            expected.request_key = stated.request_key
            and expected.diagnosis_rank = stated.diagnosis_rank
    left join registry on stated.label_written = lower(registry.label)
),

counted as (
    select
        configuration_id,
        case_id,
        probe,
        judge_id,
        diagnosis_rank,
        label,
        badness,
        arg_min(reason, vote) as reason,
        count(*) as n_votes_for,
    from votes
    group by all
),

turnout as (
    select
        configuration_id,
        case_id,
        probe,
        judge_id,
        diagnosis_rank,
        count(*)::integer as n_votes,
        count(label)::integer as n_valid_votes,
    from votes
    group by all
),

final as (
    select
        counted.configuration_id,
        counted.case_id,
        counted.probe,
        counted.diagnosis_rank,
        counted.judge_id,
        coalesce(counted.label, '{{ no_label }}') as {{ label_column }},
        case when counted.label is null then 'no_valid_label' else 'majority_vote' end as rule,
        counted.reason,
        turnout.n_votes,
        turnout.n_valid_votes,
    from counted
    inner join turnout using (configuration_id, case_id, probe, judge_id, diagnosis_rank)
    qualify
        row_number() over (
            partition by
                counted.configuration_id,
                counted.case_id,
                counted.probe,
                counted.judge_id,
                counted.diagnosis_rank
            order by
                counted.label is null,
                counted.n_votes_for desc,
                counted.badness desc,
                counted.label
        ) = 1
)

select * from final
{%- endmacro %}
