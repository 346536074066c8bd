-- Labels that came with the answers of a run, and those of people and programs.
with run_labels as (
    select
        answers.configuration_id,
        answers.case_id,
        labels.judge_id,
        labels.diagnosis_rank,
        {{ normalise_name("labels.semantic_relation") }} as relation_written,
        {{ normalise_name("labels.severity") }} as severity_written,
        labels.source,
    from {{ ref('stg_runs__label') }} as labels
    inner join {{ ref('int_experiments__recorded_answers') }} as answers
        on
            labels.configuration_id = answers.configuration_id
            and labels.case_id = answers.case_id
    where not labels.is_gold_rank
),

judged_cases as (
    select distinct
        configuration_id,
        case_id,
        judge_id,
        {{ last_labelled_rank("configuration_id, judge_id") }} as last_rank,
    from run_labels
),

relations as (
    select
        semantic_relation as label,
        {{ normalise_name("semantic_relation") }} as written,
    from {{ ref('semantic_relations') }}
    where is_label
),

levels as (
    select
        severity as label,
        {{ normalise_name("severity") }} as written,
    from {{ ref('severity_levels') }}
    where is_label
),

spellings as (
    select
        'semantic' as scale,
        label,
        written,
    from relations
    union
    select
        'severity' as scale,
        label,
        written,
    from levels
    union
    select
        scale,
        label,
        {{ normalise_name("written") }} as written,
    from {{ ref('label_spellings') }}
),

-- a label counts only if it is in the registry, or a known spelling of one; the other ranks of a
-- labelled case have none
of_runs as (
    select
        ranked.configuration_id,
        ranked.case_id,
        ranked.diagnosis_rank,
        judged_cases.judge_id,
        coalesce(relations.label, 'unlabelled') as semantic_relation,
        case when relations.label is null then 'no_valid_label' else 'recorded_label' end
            as semantic_rule,
        labels.source as semantic_reason,
        coalesce(levels.label, 'unknown') as severity,
        case when levels.label is null then 'no_valid_label' else 'recorded_label' end
            as severity_rule,
        case when levels.label is not null then labels.source end as severity_reason,
    from judged_cases
    inner join {{ ref('int_experiments__ranked_diagnoses') }} as ranked
        on
            judged_cases.configuration_id = ranked.configuration_id
            and judged_cases.case_id = ranked.case_id
            and ranked.is_judged
            and judged_cases.last_rank >= ranked.diagnosis_rank
    left join run_labels as labels
        on
            judged_cases.configuration_id = labels.configuration_id
            and judged_cases.case_id = labels.case_id
            and judged_cases.judge_id = labels.judge_id
            and ranked.diagnosis_rank = labels.diagnosis_rank
    left join spellings as relations
        on
            relations.scale = 'semantic'
            and labels.relation_written = relations.written
    left join spellings as levels
        on
            levels.scale = 'severity'
            and labels.severity_written = levels.written
),

person_labels as (
    select * from {{ ref('int_experiments__person_labels') }}
    where configuration_id is not null and scale in ('semantic', 'severity')
),

labelled_lists as (
    select distinct
        configuration_id,
        case_id,
        judge_id,
        {{ last_labelled_rank("configuration_id, judge_id") }} as last_rank,
    from person_labels
),

-- a list with one labelled rank counts as judged by that person or program: the other ranks have no
-- label
of_people as (
    select
        ranked.configuration_id,
        ranked.case_id,
        ranked.diagnosis_rank,
        labelled_lists.judge_id,
        coalesce(relations.label, 'unlabelled') as semantic_relation,
        case
            when relations.label is null then 'no_valid_label'
            when relations.kind = 'recorded' then 'recorded_label'
            else 'person'
        end as semantic_rule,
        relations.source as semantic_reason,
        coalesce(severities.label, 'unknown') as severity,
        case
            when severities.label is null then 'no_valid_label'
            when severities.kind = 'recorded' then 'recorded_label'
            else 'person'
        end as severity_rule,
        severities.source as severity_reason,
    from labelled_lists
    inner join {{ ref('int_experiments__ranked_diagnoses') }} as ranked
        on
            labelled_lists.configuration_id = ranked.configuration_id
            and labelled_lists.case_id = ranked.case_id
            and ranked.is_judged
            and labelled_lists.last_rank >= ranked.diagnosis_rank
    left join person_labels as relations
        on
            labelled_lists.judge_id = relations.judge_id
            and ranked.configuration_id = relations.configuration_id
            and ranked.case_id = relations.case_id
            and ranked.diagnosis_rank = relations.diagnosis_rank
            and relations.scale = 'semantic'
    left join person_labels as severities
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
),

final as (
    select * from of_runs
    union all by name
    select * from of_people
)

select * from final
