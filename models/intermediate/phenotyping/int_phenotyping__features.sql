with matches as (
    select * from {{ ref('int_phenotyping__disease_matches') }}
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

entries as (
    select
        case_id,
        disease_id,
        unnest(range(1, len(features) + 1)) as feature_rank,
        unnest(features, recursive := true),
    from matches
),

final as (
    select
        entries.case_id,
        entries.disease_id,
        entries.hpo_id,
        terms.hpo_name,
        entries.feature_rank::integer as feature_rank,
        entries.frequency,
    from entries
    inner join terms on entries.hpo_id = terms.hpo_id
)

select * from final
