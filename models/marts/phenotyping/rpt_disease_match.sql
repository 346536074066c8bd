with cases as (
    select * from {{ ref('int_phenotyping__cases') }}
    where len(gold_disease_ids) > 0
),

patients as (
    select * from {{ ref('int_phenotyping__patients') }}
),

profiles as (
    select * from {{ ref('dim_disease_profile') }}
),

matches as (
    select * from {{ ref('int_phenotyping__disease_matches') }}
),

golds as (
    select
        case_id,
        unnest(gold_disease_ids) as disease_id,
    from patients
),

-- of several gold diagnoses the best ranked one counts, exactly or through its group
ranked as (
    select
        golds.case_id,
        min(matches.match_rank) as gold_rank,
        min(matches.group_rank) as group_rank,
    from golds
    semi join profiles on golds.disease_id = profiles.disease_id
    left join matches on golds.case_id = matches.case_id and golds.disease_id = matches.disease_id
    group by all
),

-- a case without a rank stays in the denominator, with the reason
reasoned as (
    select
        patients.note_set,
        ranked.gold_rank,
        ranked.group_rank,
        case
            when patients.is_stopped then 'stopped'
            when ranked.case_id is null then 'unknown_gold'
            when ranked.gold_rank is null then 'without_phenotypes'
            else 'matched'
        end as reason,
    from cases
    inner join patients on cases.case_id = patients.case_id
    left join ranked on cases.case_id = ranked.case_id
),

final as (
    select
        note_set,
        count(*) as n_cases,
        {% for reason in ('matched', 'stopped', 'unknown_gold', 'without_phenotypes') -%}
            count(*) filter (where reason = '{{ reason }}') as n_{{ reason }},
        {% endfor -%}
        {% for k in (1, 3, 10) -%}
            count(*) filter (where gold_rank <= {{ k }}) / count(*) as recall_at_{{ k }},
        {% endfor -%}
        {% for k in (1, 3, 10) -%}
            count(*) filter (where group_rank <= {{ k }}) / count(*) as group_recall_at_{{ k }},
        {% endfor -%}
        {% for k in (1, 3, 10) -%}
            count(*) filter (where gold_rank <= {{ k }}) / nullif(n_matched, 0)
                as matched_recall_at_{{ k }},
        {% endfor -%}
        median(gold_rank::double) as median_rank,
    from reasoned
    group by all
)

select * from final
