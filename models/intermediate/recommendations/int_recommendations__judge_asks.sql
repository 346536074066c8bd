with recommendations as (
    select
        recommendations.tenant_id,
        recommendations.case_id,
        recommendations.recommender,
        {{ blind_recommendation("recommendations.recommendation_json") }} as shown,
    from {{ ref('fct_recommendation') }} as recommendations
    where
        recommendations.recommender = '{{ var("recommender") }}'
        and recommendations.recommendation_json is not null
),

-- the golden set only, because tier 4 takes four times three answers per case
cases as (
    select
        tenant_id,
        case_id,
        {{ blind_patient("patient_json") }} as patient,
    from {{ ref('int_recommendations__evaluated_cases') }}
    where is_golden
),

dimensions as (
    select * from {{ ref('tier4_dimensions') }}
),

votes as (
    select unnest([1, 2, 3]) as vote
),

families as (
    select * from {{ ref('stg_registry__llm_model') }}
),

{{ prompts_and_models() }},

drafted as (
    select
        cases.tenant_id,
        cases.case_id,
        recommendations.recommender,
        dimensions.dimension,
        votes.vote,
        judges.model_alias,
        prompts.prompt_version,
        prompts.output_format,
        prompts.system_template as system_text,
        {{ fill_template("prompts.user_template", [
            ("question", "dimensions.question"),
            ("meaning_of_1", "dimensions.meaning_of_1"),
            ("meaning_of_5", "dimensions.meaning_of_5"),
            ("patient", sanitize_untrusted_text("cases.patient")),
            ("recommendation", sanitize_untrusted_text("recommendations.shown")),
        ]) }} as drafted_text,
        length(recommendations.shown)::integer as shown_length,
        {{ shows_recommendation_first("cases.case_id", "dimensions.dimension", "votes.vote") }}
            as is_recommendation_first,
        prompts.response_schema,
        votes.vote as repeat_number,
        true as is_selected,
        false as is_blocked_by_policy,
        false as contains_phi,
    from recommendations
    inner join cases
        on
            recommendations.tenant_id = cases.tenant_id
            and recommendations.case_id = cases.case_id
    cross join dimensions
    cross join votes
    inner join families as judges
        on judges.model_alias = '{{ var("recommendation_judge") }}'
    left join families as authors on recommendations.recommender = authors.model_alias
    inner join prompts on prompts.prompt_alias = 'recommendation_judge'
    -- no model judges its own family, which would favour its own words
    where judges.family is distinct from authors.family
),

asked as (
    select
        *,
        if(
            is_recommendation_first, {{ exchanged_blocks("drafted_text") }}, drafted_text
        ) as user_text,
    from drafted
),

final as (
    select
        asked.tenant_id,
        asked.case_id,
        asked.recommender,
        asked.dimension,
        asked.vote,
        asked.is_recommendation_first,
        asked.shown_length,
        asked.model_alias,
        asked.prompt_version,
        asked.output_format,
        {{ request_columns("asked.response_schema") }},
    from asked
    inner join models on asked.model_alias = models.model_alias
)

select * from final
