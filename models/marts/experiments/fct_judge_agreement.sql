with judged as (
    select
        judged.configuration_id,
        judged.case_id,
        judged.diagnosis_rank,
        judged.judge_id,
        configurations.test_set,
        configurations.prompt_version,
        unnest([
            {
                scale: 'semantic',
                label: judged.semantic_relation,
                position: judged.semantic_distance
            },
            { scale: 'severity', label: judged.severity, position: levels.severity_value }
        ]) as item,
    from {{ ref('int_experiments__judged_diagnoses') }} as judged
    inner join {{ ref('int_experiments__configurations') }} as configurations
        on judged.configuration_id = configurations.configuration_id
    left join {{ ref('stg_registry__severity_level') }} as levels
        on judged.severity = levels.severity
),

labels as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        judge_id,
        test_set,
        item.scale,
        item.label,
        item.position,
    from judged
    where item.label not in ('unlabelled', 'unknown')
),

pairs as (
    select
        first_judge.judge_id as judge_a,
        second_judge.judge_id as judge_b,
        first_judge.test_set,
        first_judge.scale,
        first_judge.label as label_a,
        second_judge.label as label_b,
        {{ disagreement_weight("first_judge.position", "second_judge.position") }}
            as disagreement,
    from labels as first_judge
    inner join labels as second_judge
        using (configuration_id, case_id, diagnosis_rank, scale)
    where first_judge.judge_id < second_judge.judge_id
),

marginals_a as (
    select
        judge_a,
        judge_b,
        test_set,
        scale,
        label_a as label,
        count(*) as n,
    from pairs
    group by all
),

marginals_b as (
    select
        judge_a,
        judge_b,
        test_set,
        scale,
        label_b as label,
        count(*) as n,
    from pairs
    group by all
),

positions as (
    select distinct
        scale,
        label,
        position,
    from labels
),

observed as (
    select
        judge_a,
        judge_b,
        test_set,
        scale,
        count(*)::integer as n_ranks,
        avg((label_a = label_b)::integer) as agreement,
        avg(disagreement) as disagreement,
    from pairs
    group by all
),

-- what two judges with these habits would agree on if neither looked at the diagnoses
expected as (
    select
        observed.judge_a,
        observed.judge_b,
        observed.test_set,
        observed.scale,
        sum(
            (a.label = b.label)::integer * (a.n / observed.n_ranks) * (b.n / observed.n_ranks)
        ) as agreement,
        sum(
            {{ disagreement_weight("a_positions.position", "b_positions.position") }}
            * (a.n / observed.n_ranks) * (b.n / observed.n_ranks)
        ) as disagreement,
    from observed
    inner join marginals_a as a using (judge_a, judge_b, test_set, scale)
    inner join marginals_b as b using (judge_a, judge_b, test_set, scale)
    inner join positions as a_positions
        on observed.scale = a_positions.scale and a.label = a_positions.label
    inner join positions as b_positions
        on observed.scale = b_positions.scale and b.label = b_positions.label
    group by all
),

prompts as (
    select
        test_set,
        string_agg(distinct prompt_version, ', ' order by prompt_version) as prompt_versions,
    from judged
    group by all
),

final as (
    select
        observed.judge_a,
        observed.judge_b,
        observed.test_set,
        observed.scale,
        prompts.prompt_versions,
        judges.terminology_release,
        observed.n_ranks,
        observed.agreement,
        {{ cohen_kappa("observed.agreement", "expected.agreement") }} as kappa,
        {{ weighted_kappa("observed.disagreement", "expected.disagreement") }} as weighted_kappa,
    from observed
    inner join expected using (judge_a, judge_b, test_set, scale)
    inner join prompts on observed.test_set = prompts.test_set
    inner join {{ ref('dim_judge') }} as judges on observed.judge_a = judges.judge_id
)

select * from final
