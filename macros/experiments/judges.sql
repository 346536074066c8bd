{#- The requests to every chosen judge about every ranked list and every probe made of one: one row
    per configuration, case, probe, judge and vote. Probes are asked live only with the variable
    bias_checks; a list that is judged again continues the repeat numbers after the votes.
    `prompt_column` of the judges' registry says which of its two prompts. The gold diagnosis is
    filled in only where the prompt asks for it. A model does not judge its own family unless the
    variable own_family says so. -#}
{% macro judge_asks(prompt_column, with_golds=false) -%}
with judges as (
    select
        judge_id,
        model_alias,
        {{ prompt_column }} as prompt_alias,
        n_votes,
        unnest(range(1, n_votes + 1)) as vote,
    from {{ ref('judges') }}
    where kind = 'llm'
),

cases as (
    select * from {{ ref('dim_case') }}
),

wanted_cells as (
    select
        cells.configuration_id,
        cells.case_id,
        cells.sample_order,
    from {{ ref('int_experiments__expected_cells') }} as cells
    where {{ is_judged_in_run("cells") }}
    {%- if with_golds %}
        union all
        select
            'all' as configuration_id,
            cells.case_id,
            min(cells.sample_order) as sample_order,
        from {{ ref('int_experiments__expected_cells') }} as cells
        where {{ is_judged_in_run("cells") }}
        group by cells.case_id
    {%- endif %}
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
    where is_judged
    group by all
    {%- if with_golds %}
        union all
        select
            'all' as configuration_id,
            case_id,
            'gold' as probe,
            '1. ' || {{ sanitize_untrusted_text("gold_diagnosis") }} as diagnosis_list,
        from cases
        semi join {{ ref('int_experiments__expected_cells') }} using (case_id)
        where gold_severity is null and gold_diagnosis is not null
    {%- endif %}
),

{{ composed_prompts() }},

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
            and lists.probe in ('none', 'gold')
        {%- endif %} as is_selected,
        cases.contains_phi and not approvals.is_phi_approved as is_blocked_by_policy,
        cases.contains_phi,
        wanted_cells.sample_order,
    from lists
    inner join cases on lists.case_id = cases.case_id
    cross join judges
    inner join prompts on judges.prompt_alias = prompts.prompt_alias
    inner join approvals on judges.model_alias = approvals.model_alias
    left join families on lists.configuration_id = families.configuration_id
    left join wanted_cells
        on
            lists.configuration_id = wanted_cells.configuration_id
            and lists.case_id = wanted_cells.case_id
    {% if not var('own_family') -%}
    -- the gold diagnosis is nobody's answer
    where lists.probe = 'gold' or approvals.family is distinct from families.model_family
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
    -- in the order of samples: a run that is stopped has asked about a smaller one
    order by asked.sample_order, asked.configuration_id, asked.judge_id, asked.vote, asked.probe
)

select * from final
{%- endmacro %}

{#- The columns of a judgement out of one row per scale with label, rule, reason, vote_split and
    vote_variance, grouped by what was judged. A scale without a label gets the registry's value for
    'no label'. -#}
{% macro columns_of_scales() -%}
    {%- for scale, column, no_label in [
        ("semantic", "semantic_relation", "unlabelled"), ("severity", "severity", "unknown"),
    ] %}
        {%- set of_scale = "filter (where scale = '" ~ scale ~ "')" %}
        coalesce(max(label) {{ of_scale }}, '{{ no_label }}') as {{ column }},
        max(rule) {{ of_scale }} as {{ scale }}_rule,
        max(reason) {{ of_scale }} as {{ scale }}_reason,
        max(vote_split) {{ of_scale }} as {{ scale }}_votes,
        max(vote_variance) {{ of_scale }} as {{ scale }}_vote_variance,
    {%- endfor %}
{%- endmacro %}

{#- A judge's sample ends where it was asked about fewer of the lists up to there: the others it
    judged by chance, because they ask the same as one of the sample. -#}
{% macro least_share_of_sample() -%} 0.9 {%- endmacro %}
