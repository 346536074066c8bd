with judgements as (
    select * from {{ ref('int_experiments__judgements') }}
    -- probes are changed lists: they measure the judge and must not reach a score
    where probe = 'none'
    union all by name
    select * from {{ ref('int_experiments__jury_judgements') }}
),

judges as (
    select
        judges.*,
        models.family,
    from {{ ref('dim_judge') }} as judges
    left join {{ ref('stg_registry__llm_model') }} as models
        on judges.model_alias = models.model_alias
),

configurations as (
    select * from {{ ref('int_experiments__configurations') }}
),

ranked as (
    select * from {{ ref('int_experiments__ranked_diagnoses') }}
),

cases as (
    select * from {{ ref('dim_case') }}
),

golds as (
    select * from {{ ref('int_experiments__gold_severities') }}
),

relations as (
    select * from {{ ref('semantic_relations') }}
),

levels as (
    select * from {{ ref('severity_levels') }}
),

final as (
    select
        judgements.configuration_id,
        judgements.case_id,
        judgements.diagnosis_rank,
        judgements.judge_id,
        configurations.prompt_version,
        judges.terminology_release,
        ranked.diagnosis,
        cases.gold_diagnosis,
        judgements.semantic_relation,
        judgements.semantic_rule,
        judgements.semantic_reason,
        judgements.semantic_votes,
        judgements.severity,
        golds.gold_severity,
        judgements.severity_rule,
        judgements.severity_reason,
        judgements.severity_votes,
        judgements.acuity,
        golds.gold_acuity,
        ranked.reasoning,
        ranked.in_favour,
        ranked.against,
        ranked.risk,
        relations.distance as semantic_distance,
        {{ severity_distance("gold_levels.severity_value", "levels.severity_value") }}
            as severity_distance,
        {{ severity_distance("gold_acuities.severity_value", "acuities.severity_value") }}
            as acuity_distance,
        case
            when judgements.is_rare = golds.is_gold_rare then 1
            when judgements.is_rare != golds.is_gold_rare then {{ max_distance() }}
        end as rarity_distance,
        judgements.semantic_vote_variance,
        judgements.severity_vote_variance,
        judgements.n_votes,
        relations.is_label as has_semantic_label,
        levels.is_label as has_severity_label,
        judgements.is_rare,
        golds.is_gold_rare,
        -- models favour the answers of their own family; rules and people have none
        coalesce(judges.family = configurations.model_family, false) as is_own_family,
    from judgements
    inner join judges on judgements.judge_id = judges.judge_id
    inner join configurations on judgements.configuration_id = configurations.configuration_id
    inner join cases on judgements.case_id = cases.case_id
    inner join ranked
        on
            judgements.configuration_id = ranked.configuration_id
            and judgements.case_id = ranked.case_id
            and judgements.diagnosis_rank = ranked.diagnosis_rank
    left join relations on judgements.semantic_relation = relations.semantic_relation
    left join levels on judgements.severity = levels.severity
    left join golds
        on judgements.case_id = golds.case_id and judgements.judge_id = golds.judge_id
    left join levels as gold_levels on golds.gold_severity = gold_levels.severity
    left join levels as acuities on judgements.acuity = acuities.severity
    left join levels as gold_acuities on golds.gold_acuity = gold_acuities.severity
)

select * from final
