with ranked_diseases as (
    select disease_id,
    from {{ ref('int_phenotyping__disease_profiles') }}
),

golds as (
    select
        case_id,
        note_set,
        unnest(gold_disease_ids) as disease_id,
        n_present > 0 and not is_stopped as is_matched,
        is_stopped,
    from {{ ref('int_phenotyping__patients') }}
),

matches as (
    select * from {{ ref('int_phenotyping__disease_matches') }}
),

-- of several gold diagnoses the best ranked one counts
cases as (
    select
        golds.note_set,
        golds.case_id,
        bool_or(golds.is_matched) as is_matched,
        bool_or(golds.is_stopped) as is_stopped,
        min(matches.match_rank) as gold_rank,
    from golds
    semi join ranked_diseases on golds.disease_id = ranked_diseases.disease_id
    left join matches on golds.case_id = matches.case_id and golds.disease_id = matches.disease_id
    group by all
),

final as (
    select
        note_set,
        count(*) as n_cases,
        count(*) filter (where is_matched) as n_matched,
        count(*) filter (where is_stopped) as n_stopped,
        {% for k in (1, 3, 10) -%}
            count(*) filter (where gold_rank <= {{ k }}) / count(*) as recall_at_{{ k }},
        {% endfor -%}
        {% for k in (1, 3, 10) -%}
            count(*) filter (where gold_rank <= {{ k }}) / nullif(n_matched, 0)
                as matched_recall_at_{{ k }},
        {% endfor -%}
        median(gold_rank::double) as median_rank,
    from cases
    group by all
)

select * from final
