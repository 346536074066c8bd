with patients as (
    select * from {{ ref('int_phenotyping__patients') }}
),

answers as (
    select * from {{ ref('int_phenotyping__answers') }}
),

packets as (
    select * from {{ ref('int_phenotyping__packets') }}
),

work_ups as (
    select * from {{ ref('fct_work_up') }}
),

findings as (
    select
        case_id,
        string_agg(
            if(is_excluded, '-', '+') || hpo_id || coalesce('@' || onset_years, ''), ' '
            order by hpo_id
        ) as findings,
    from {{ ref('fct_case_phenotype') }}
    group by all
),

flags as (
    select
        case_id,
        string_agg(severity || ' ' || flag_name, '; ' order by severity desc, flag_name asc)
            as flags,
    from {{ ref('fct_red_flag') }}
    group by all
),

matches as (
    select
        case_id,
        string_agg(disease_id, ' ' order by match_rank) filter (
            where match_rank <= {{ work_up_number('explained_ranks') }}
        ) as disease_ids,
        string_agg(disease_id, ' ' order by match_rank) filter (
            where
            group_rank <= {{ work_up_number('compared_ranks') }}
            and disease_id = group_leader_id
        ) as compared_ids,
        max(duration_ms) as match_ms,
    from {{ ref('int_phenotyping__disease_matches') }}
    group by all
),

reanalyses as (
    select
        case_id,
        string_agg(test_number || ':' || reanalysis_score, ' ' order by test_number) as scores,
    from {{ ref('fct_reanalysis') }}
    group by all
),

-- the possible inputs and outputs of each step, as text
case_values as (
    select
        patients.case_id,
        patients.is_stopped,
        coalesce(findings.findings, '') as findings,
        concat_ws(
            '|', findings.findings, patients.sex, patients.age_years, patients.onset_years
        ) as patient,
        coalesce(flags.flags, 'none') as flags,
        patients.n_present || ' present, ' || patients.n_excluded || ' excluded' as mapped,
        matches.disease_ids,
        matches.compared_ids,
        matches.match_ms,
        patients.completeness,
        reanalyses.scores,
        packets.packet_hash,
        packets.duration_ms as packet_ms,
    from patients
    left join findings using (case_id)
    left join flags using (case_id)
    left join matches using (case_id)
    left join reanalyses using (case_id)
    left join packets using (case_id)
),

-- a red flag stops a case after step 2
steps as (
    {% for number, step, input, output, duration in [
        (1, 'hpo_mapping', 'findings', 'mapped', 'null::double'),
        (2, 'red_flag_check', 'findings', 'flags', 'null::double'),
        (3, 'disease_match', 'patient', 'disease_ids', 'match_ms'),
        (4, 'disease_profile', 'compared_ids', 'compared_ids', 'null::double'),
        (5, 'completeness', 'patient', 'completeness::varchar', 'null::double'),
        (6, 'reanalysis', 'patient', 'scores', 'null::double'),
        (7, 'context_packet', "concat_ws('|', patient, disease_ids)", 'packet_hash', 'packet_ms'),
    ] -%}
        select
            case_id,
            '{{ step }}' as step,
            case
                when {{ number }} > 2 and is_stopped then 'stopped'
                when {{ output }} is null then 'nothing_to_do'
                else 'done'
            end as status,
            sha256(coalesce({{ input }}, '')) as input_hash,
            if({{ number }} > 2 and is_stopped, null, {{ output }}) as output,
            {{ number }} as step_number,
            {{ duration }} as duration_ms,
        from case_values
        {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

reasoning as (
    select
        work_ups.case_id,
        'final_reasoning:' || work_ups.reasoner as step,
        work_ups.status,
        sha256(coalesce(work_ups.packet_hash, '')) as input_hash,
        sha256(work_ups.recommendation) as output,
        8 as step_number,
        answers.duration_ms,
    from work_ups
    inner join answers
        on work_ups.case_id = answers.case_id and work_ups.reasoner = answers.reasoner
),

final as (
    select * from steps
    union all
    select * from reasoning
)

select * from final
