{#- Each scale with its registry, the column of its labels and that of their positions. -#}
{%- set scales = [
    ("semantic", "semantic_relations", "semantic_relation", "distance"),
    ("severity", "severity_levels", "severity", "severity_value"),
] -%}

-- a judge that may not see a patient's record was not asked, nor one that would cost too much
with asks as (
    {%- for scale, registry, label, position in scales %}
        select
            '{{ scale }}' as scale,
            asks.configuration_id,
            asks.case_id,
            asks.probe,
            asks.judge_id,
            asks.vote,
            asks.request_key,
            asks.contains_phi,
        from {{ ref('int_experiments__' ~ scale ~ '_asks') }} as asks
        inner join {{ ref('int_experiments__' ~ scale ~ '_responses') }} as responses
            on
                asks.request_key = responses.request_key
                and responses.status
                not in ('not_requested', 'blocked_by_policy', 'blocked_by_budget')
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
),

-- two cases may ask the same: then what came back is about a patient if one of them is one
requests as (
    select
        request_key,
        bool_or(contains_phi) as contains_phi,
    from asks
    group by all
),

answers as (
    select * from {{ ref('int_experiments__parsed_votes') }}
),

registry as (
    {%- for scale, registry, label, position in scales %}
        select
            '{{ scale }}' as scale,
            {{ label }} as label,
            {{ position }} as label_position,
        from {{ ref(registry) }}
        where is_label
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
),

lists as (
    select
        configuration_id,
        case_id,
        probe,
        diagnosis_rank,
    from {{ ref('int_experiments__judged_lists') }}
    where is_judged
    union all
    select distinct
        configuration_id,
        case_id,
        probe,
        1 as diagnosis_rank,
    from asks
    where probe = 'gold'
),

spellings as (
    select
        scale,
        {{ normalise_name("label") }} as written,
        label,
        'valid' as outcome,
    from registry
    union all
    select
        scale,
        {{ normalise_name("written") }} as written,
        label,
        'normalised' as outcome,
    from {{ ref('label_spellings') }}
),

-- a label of the registry takes precedence over another spelling
known_spellings as (
    select
        scale,
        written,
        max_by(label, outcome) as label,
        max(outcome) as outcome,
    from spellings
    group by all
),

parsed as (
    select
        request_key,
        unnest(labels) as item,
    from answers
),

-- a judge that gives a rank two labels has not decided
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

-- every judge that was asked owes a label for every rank of the list, whatever it wrote
expected as (
    select
        asks.*,
        lists.diagnosis_rank,
        case when not stated.is_contradictory then known_spellings.label end as label,
        case
            when coalesce(answers.parse_status, '') != 'ok' then 'no_answer'
            when stated.request_key is null then 'skipped'
            when stated.is_contradictory then 'contradictory'
            else coalesce(known_spellings.outcome, 'invalid_label')
        end as outcome,
        stated.reason,
    from asks
    inner join lists
        on
            asks.configuration_id = lists.configuration_id
            and asks.case_id = lists.case_id
            and asks.probe = lists.probe
    left join answers on asks.request_key = answers.request_key
    left join stated
        on
            asks.request_key = stated.request_key
            and lists.diagnosis_rank = stated.diagnosis_rank
    left join known_spellings
        on asks.scale = known_spellings.scale and stated.written = known_spellings.written
),

invented as (
    select
        asks.*,
        stated.diagnosis_rank,
        'not_in_list' as outcome,
    from asks
    inner join stated on asks.request_key = stated.request_key
    anti join lists
        on
            asks.configuration_id = lists.configuration_id
            and asks.case_id = lists.case_id
            and asks.probe = lists.probe
            and stated.diagnosis_rank = lists.diagnosis_rank
),

votes as (
    select * from expected
    union all by name
    select * from invented
),

final as (
    select
        votes.configuration_id,
        votes.case_id,
        votes.diagnosis_rank,
        votes.judge_id,
        votes.probe,
        votes.scale,
        votes.request_key,
        votes.label,
        votes.outcome,
        case when not requests.contains_phi then votes.reason end as reason,
        case when requests.contains_phi then 'personal health information' end as reason_withheld,
        votes.vote::integer as vote,
        registry.label_position,
    from votes
    inner join requests on votes.request_key = requests.request_key
    left join registry
        on votes.scale = registry.scale and votes.label = registry.label
)

select * from final
