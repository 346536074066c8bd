with patients as (
    select * from {{ ref('int_phenotyping__patients') }}
),

findings as (
    select
        case_id,
        string_agg(
            if(is_excluded, '-', '+') || hpo_id || coalesce('@' || onset_years, ''), ' '
            order by hpo_id
        ) as findings,
    from {{ ref('int_phenotyping__case_phenotypes') }}
    group by all
),

flags as (
    select
        case_id,
        string_agg(severity || ' ' || flag_name, '; ' order by severity desc, flag_name asc)
            as flags,
    from {{ ref('int_phenotyping__red_flags') }}
    group by all
),

matches as (
    select
        case_id,
        string_agg(disease_id, ' ' order by match_rank) as disease_ids,
        string_agg(disease_id, ' ' order by match_rank) filter (where is_compared)
            as compared_ids,
    from {{ ref('int_phenotyping__candidates') }}
    group by all
),

match_times as (
    select
        case_id,
        max(duration_ms) as duration_ms,
    from {{ ref('int_phenotyping__disease_matches') }}
    group by all
),

reanalyses as (
    select
        case_id,
        string_agg(test_number || ':' || reanalysis_score, ' ' order by test_number) as scores,
    from {{ ref('int_phenotyping__reanalysis') }}
    group by all
),

known as (
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
        match_times.duration_ms as match_ms,
        completeness.completeness,
        reanalyses.scores,
        packets.packet_hash,
        packets.duration_ms as packet_ms,
    from patients
    left join findings on patients.case_id = findings.case_id
    left join flags on patients.case_id = flags.case_id
    left join matches on patients.case_id = matches.case_id
    left join match_times on patients.case_id = match_times.case_id
    left join {{ ref('int_phenotyping__completeness') }} as completeness
        on patients.case_id = completeness.case_id
    left join reanalyses on patients.case_id = reanalyses.case_id
    left join {{ ref('int_phenotyping__packets') }} as packets
        on patients.case_id = packets.case_id
),

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
            {{ input }} as step_input,
            if({{ number }} > 2 and is_stopped, null, {{ output }}) as output,
            {{ number }} as step_number,
            {{ duration }} as duration_ms,
        from known
        {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

reasoned as (
    select
        recommendations.case_id,
        'final_reasoning:' || recommendations.reasoner as step,
        recommendations.status,
        recommendations.packet_hash as step_input,
        sha256(recommendations.recommendation) as output,
        8 as step_number,
        coalesce(recommendations.duration_ms, responses.latency_ms) as duration_ms,
    from {{ ref('int_phenotyping__work_ups') }} as recommendations
    left join {{ ref('int_phenotyping__reasoning_responses') }} as responses
        on recommendations.request_key = responses.request_key
),

everything as (
    select
        case_id,
        step,
        status,
        step_input,
        output,
        step_number,
        duration_ms,
    from steps
    union all
    select
        case_id,
        step,
        status,
        step_input,
        output,
        step_number,
        duration_ms,
    from reasoned
),

final as (
    select
        case_id,
        step,
        status,
        sha256(coalesce(step_input, '')) as input_hash,
        output,
        step_number,
        duration_ms,
    from everything
)

select * from final
