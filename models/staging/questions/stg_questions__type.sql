with source as (
    select
        question_type,
        analysis_prompt,
        cast(is_pipeline_appropriate as boolean) as is_pipeline_appropriate,
        cast(has_ranked_field as boolean) as has_ranked_field,
        primary_field,
        meaning,
        source,
    from {{ ref('question_types') }}
)

select * from source
