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
            diagnosis_rank || '. ' || {{ sanitize_untrusted_text("diagnosis") }}, e'\n' order by diagnosis_rank
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

{{ composed_prompts() }},

families as (
    select
        configuration_id,
        model_family,
    from {{ ref('int_experiments__configurations') }}
),

wanted_cells as (
    select
        cells.configuration_id,
        cells.case_id,
    from {{ ref('int_experiments__expected_cells') }} as cells
    where {{ is_judged_in_run("cells") }}
),

approvals as (
    select
        model_alias,
        family,
        is_phi_approved,
    from {{ ref('stg_registry__llm_model') }}
),

{{ models_to_call() }},

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
        and wanted_cells.case_id is not null
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
    left join wanted_cells
        on
            lists.configuration_id = wanted_cells.configuration_id
            and lists.case_id = wanted_cells.case_id
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

{#- Every vote that was asked for: one row per configuration, case, probe, judge, rank and vote, with the
    label it comes to and what became of it (`outcome`):
      valid          one of the registry's labels, case, quotes and accents aside
      normalised     written in a way that the label_spellings seed knows (translated, misspelt)
      invalid_label  anything else
      contradictory  the rank named twice with two labels
      skipped        an answer without this rank
      no_answer      no answer that can be read
    `position` is the place of a label on its scale. Judges that were asked about nothing have no rows. -#}
{% macro judge_votes(task, registry, label_column, position) -%}
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

answers as (
    select
        request_key,
        parse_status,
        labels,
    from {{ ref('int_experiments__parsed_' ~ task) }}
),

parsed as (
    select
        request_key,
        unnest(labels) as item,
    from answers
),

registry as (
    select
        {{ label_column }} as label,
        {{ position }} as label_position,
    from {{ ref(registry) }}
    where is_label
),

spellings as (
    select
        {{ normalise_name("label") }} as written,
        label,
        'valid' as outcome,
    from registry
    union all
    select
        written_normalised as written,
        label,
        'normalised' as outcome,
    from {{ ref('stg_registry__label_spelling') }}
    where scale = '{{ task }}'
),

-- a label of the registry goes before another way to write a label
known_spellings as (
    select
        written,
        max_by(label, outcome) as label,
        max(outcome) as outcome,
    from spellings
    group by all
),

-- every scored rank of a list is expected from whoever was asked about it, whatever the judge
-- wrote; a judge who may not see a patient's record was not asked
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
    inner join responses
        on
            asks.request_key = responses.request_key
            and responses.status not in ('not_requested', 'blocked_by_policy')
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
        {{ normalise_name("min(item.label)") }} as written,
        min(item.reason) as reason,
        count(distinct item.label) > 1 as is_contradictory,
    from parsed
    group by all
),

final as (
    select
        expected.configuration_id,
        expected.case_id,
        expected.probe,
        expected.judge_id,
        expected.diagnosis_rank,
        expected.vote,
        expected.request_key,
        case when not stated.is_contradictory then registry.label end as label,
        case
            when coalesce(answers.parse_status, '') != 'ok' then 'no_answer'
            when stated.request_key is null then 'skipped'
            when stated.is_contradictory then 'contradictory'
            else coalesce(known_spellings.outcome, 'invalid_label')
        end as outcome,
        stated.reason,
        case when not stated.is_contradictory then registry.label_position end as label_position,
    from expected
    left join answers on expected.request_key = answers.request_key
    left join stated
        on
            expected.request_key = stated.request_key
            and expected.diagnosis_rank = stated.diagnosis_rank
    left join known_spellings on stated.written = known_spellings.written
    left join registry on known_spellings.label = registry.label
)

select * from final
{%- endmacro %}

{#- One label per configuration, case, probe, rank and judge out of the judge's votes. Majority decides; a
    tie goes to the label further up its scale: the more distant relation, so that doubt never
    flatters, and the graver severity, because whoever judges severities is not told the gold one and
    can only err as triage does, on the safe side. The same holds in juries and in the rules of
    int_experiments__terminology_severities. A rank without a valid vote gets the registry's label for that, `no_label`. The split of the votes and the variance
    of their positions are kept. -#}
{% macro judge_labels(task, label_column, no_label) -%}
with votes as (
    select
        configuration_id,
        case_id,
        probe,
        judge_id,
        diagnosis_rank,
        vote,
        label,
        label_position,
        reason,
    from {{ ref('int_experiments__' ~ task ~ '_votes') }}
),

counted as (
    select
        configuration_id,
        case_id,
        probe,
        judge_id,
        diagnosis_rank,
        label,
        label_position,
        arg_min(reason, vote) as reason,
        count(*) as n_votes_for,
    from votes
    group by all
),

splits as (
    select
        configuration_id,
        case_id,
        probe,
        judge_id,
        diagnosis_rank,
        string_agg(
            coalesce(label, '{{ no_label }}') || ' ' || n_votes_for, ', '
            order by n_votes_for desc, label_position desc nulls last
        ) as vote_split,
    from counted
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
        round(var_pop(label_position), 12) as vote_variance,
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
        splits.vote_split,
        turnout.n_votes,
        turnout.n_valid_votes,
        turnout.vote_variance,
    from counted
    inner join turnout using (configuration_id, case_id, probe, judge_id, diagnosis_rank)
    inner join splits using (configuration_id, case_id, probe, judge_id, diagnosis_rank)
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
                counted.label_position desc,
                counted.label
        ) = 1
)

select * from final
{%- endmacro %}

{#- The columns every kind of judge fills for a rank, for the unions of judges. -#}
{% macro judgement_columns() -%}
    configuration_id,
    case_id,
    diagnosis_rank,
    judge_id,
    semantic_relation,
    semantic_rule,
    semantic_reason,
    semantic_votes,
    severity,
    severity_rule,
    severity_reason,
    severity_votes,
    semantic_vote_variance,
    severity_vote_variance,
    n_votes,
{%- endmacro %}

{#- Relations of judgements, one below the other. -#}
{% macro union_judgements(relations) -%}
    {%- for relation in relations %}
        select
            {{ judgement_columns() }}
        from {{ relation }}
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
{%- endmacro %}

{#- What a judge with one vote has of votes: no split. -#}
{% macro no_votes() -%}
    cast(null as varchar) as semantic_votes,
    cast(null as varchar) as severity_votes,
    cast(null as double) as semantic_vote_variance,
    cast(null as double) as severity_vote_variance,
    1 as n_votes,
{%- endmacro %}
