{%- set counts = [
    "n_cases", "n_test_set_cases", "n_not_requested", "n_failures", "n_model_failures",
    "n_delivery_failures", "n_not_asked", "n_unlabelled", "n_without_gold_severity",
    "n_with_severity", "n_with_acuity", "n_with_danger",
] -%}

with scores as (
    select * from {{ ref('fct_configuration_score') }}
    where setting = 'medium'
),

-- rules look at every diagnosis: a constant label is a result, not a fault
recorded as (
    select
        judged.configuration_id,
        judged.judge_id,
        {{ is_degenerate(
            "count(distinct judged.semantic_relation) filter (where judged.has_semantic_label)",
            "count(*)",
            parameter('constant_judge_ranks'),
        ) }} as is_judge_constant,
    from {{ ref('fct_judged_diagnosis') }} as judged
    inner join {{ ref('dim_judge') }} as judges
        on judged.judge_id = judges.judge_id and judges.kind = 'recorded'
    group by all
),

constancy as (
    select
        configuration_id,
        judge_id,
        is_degenerate as is_judge_constant,
    from {{ ref('rpt_judge_vote') }}
    where scale = 'semantic'
    union all
    select
        configuration_id,
        judge_id,
        is_judge_constant,
    from recorded
),

models as (
    select * from {{ ref('dim_llm_model') }}
),

looked_at as (
    select
        judged.configuration_id,
        judged.judge_id,
        judges.kind,
        count(distinct judged.case_id)::integer as n_lists,
    from {{ ref('fct_judged_diagnosis') }} as judged
    inner join {{ ref('dim_judge') }} as judges
        on judged.judge_id = judges.judge_id and judges.kind in ('person', 'terminology')
    group by all
),

-- labels of ranks by a person score a configuration once every list has them; rules look at all
labelled_in_part as (
    select
        people.configuration_id,
        people.judge_id,
        rules.n_lists - people.n_lists as n_unlabelled,
    from looked_at as people
    inner join looked_at as rules
        on people.configuration_id = rules.configuration_id and rules.kind = 'terminology'
    left join scores
        on people.configuration_id = scores.configuration_id and people.judge_id = scores.judge_id
    where people.kind = 'person' and scores.configuration_id is null
),

sizes as (
    select
        configuration_id,
        max(n_test_set_cases) as n_test_set_cases,
    from scores
    group by all
),

-- rules judge every configuration, even one whose test set is still empty
boards as (
    select
        configuration_id,
        judge_id,
    from scores
    union
    select
        configuration_id,
        judge_id,
    from labelled_in_part
    union
    select
        configurations.configuration_id,
        judges.judge_id,
    from {{ ref('dim_configuration') }} as configurations
    inner join {{ ref('dim_judge') }} as judges on judges.kind = 'terminology'
),

final as (
    select
        boards.configuration_id,
        boards.judge_id,
        configurations.test_set,
        configurations.prompt_version,
        judges.terminology_release,
        case
            when in_part.judge_id is not null then 'labelled in part'
            when scores.configuration_id is null then 'empty test set'
            when scores.is_asked and scores.n_cases < scores.n_test_set_cases then 'sample'
            when scores.is_asked then 'asked'
            when scores.n_not_asked > 0 then 'blocked'
            when models.access_state != 'callable' then models.access_state
            else 'not requested'
        end as state,
        {%- for count in counts %}
            coalesce(
                scores.{{ count }},
                {% if count == "n_unlabelled" %}in_part.n_unlabelled,{% endif %}
                {% if count == "n_test_set_cases" %}sizes.n_test_set_cases,{% endif %}
                0
            ) as {{ count }},
        {%- endfor %}
        {%- for metric in leaderboard_metrics().split() %}
            scores.{{ metric }},
            scores.{{ metric }}_low,
            scores.{{ metric }}_high,
        {%- endfor %}
        scores.generation_usd,
        coalesce(scores.is_asked, false) as is_asked,
        scores.is_calibrated,
        scores.is_severity_calibrated,
        constancy.is_judge_constant,
    from boards
    inner join {{ ref('dim_configuration') }} as configurations
        on boards.configuration_id = configurations.configuration_id
    inner join models on configurations.model_alias = models.model_alias
    inner join {{ ref('dim_judge') }} as judges on boards.judge_id = judges.judge_id
    left join scores
        on boards.configuration_id = scores.configuration_id and boards.judge_id = scores.judge_id
    left join sizes on boards.configuration_id = sizes.configuration_id
    left join labelled_in_part as in_part
        on boards.configuration_id = in_part.configuration_id and boards.judge_id = in_part.judge_id
    left join constancy
        on
            boards.configuration_id = constancy.configuration_id
            and boards.judge_id = constancy.judge_id
)

select * from final
