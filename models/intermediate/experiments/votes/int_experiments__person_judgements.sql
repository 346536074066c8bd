with labels as (
    select * from {{ ref('int_experiments__person_labels') }}
    where configuration_id is not null and scale in ('semantic', 'severity')
),

labelled_lists as (
    select distinct
        configuration_id,
        case_id,
        judge_id,
        {{ last_labelled_rank("configuration_id, judge_id") }} as last_rank,
    from labels
),

-- a list with one labelled rank counts as judged by that person: the other ranks have no label
final as (
    select
        ranked.configuration_id,
        ranked.case_id,
        ranked.diagnosis_rank,
        labelled_lists.judge_id,
        coalesce(relations.label, 'unlabelled') as semantic_relation,
        if(relations.label is null, 'no_valid_label', 'person') as semantic_rule,
        relations.source as semantic_reason,
        coalesce(severities.label, 'unknown') as severity,
        if(severities.label is null, 'no_valid_label', 'person') as severity_rule,
        severities.source as severity_reason,
    from labelled_lists
    inner join {{ ref('int_experiments__ranked_diagnoses') }} as ranked
        on
            labelled_lists.configuration_id = ranked.configuration_id
            and labelled_lists.case_id = ranked.case_id
            and ranked.is_judged
            and labelled_lists.last_rank >= ranked.diagnosis_rank
    left join labels as relations
        on
            labelled_lists.judge_id = relations.judge_id
            and ranked.configuration_id = relations.configuration_id
            and ranked.case_id = relations.case_id
            and ranked.diagnosis_rank = relations.diagnosis_rank
            and relations.scale = 'semantic'
    left join labels as severities
        on
            labelled_lists.judge_id = severities.judge_id
            and ranked.configuration_id = severities.configuration_id
            and ranked.case_id = severities.case_id
            and ranked.diagnosis_rank = severities.diagnosis_rank
            and severities.scale = 'severity'
    -- labelled twice, once by name and once by rank: the first counts
    qualify
        row_number() over (
            partition by
                ranked.configuration_id,
                ranked.case_id,
                ranked.diagnosis_rank,
                labelled_lists.judge_id
            order by relations.source, severities.source
        ) = 1
)

select * from final
