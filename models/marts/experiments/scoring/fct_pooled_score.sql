with calibrations as (
    {{ calibrations() }}
),

members as (
    select * from {{ ref('int_experiments__group_members') }}
),

metrics as (
    select * from {{ ref('int_experiments__case_metrics') }}
),

weights as (
    select
        *,
        semantic_weight * semantic_rescaled as semantic_weighted,
        severity_weight * severity_rescaled as severity_weighted,
    from {{ ref('int_experiments__case_weights') }}
),

-- a case of several test sets is asked once: what pools test sets counts its answer once
repeated as (
    select
        metrics.configuration_id,
        metrics.case_id,
        metrics.judge_id,
    from metrics
    inner join {{ ref('int_experiments__configurations') }} as configurations
        on metrics.configuration_id = configurations.configuration_id
    where configurations.model_kind != 'recorded'
    qualify
        row_number() over (
            partition by
                metrics.judge_id,
                configurations.model_alias,
                configurations.prompt_alias,
                metrics.case_id
            order by metrics.configuration_id
        ) > 1
),

-- answers of several configurations to one case are not independent: the case is the cluster
clusters as (
    select
        metrics.judge_id,
        members.group_kind,
        members.group_name,
        members.case_id,
        count(*) as n_answers,
        {%- for metric in share_metrics().split() + mean_metrics().split() %}
            sum({{ exact("metrics." ~ metric) }})::double as {{ metric }},
            count(metrics.{{ metric }}) as {{ metric }}_n,
        {%- endfor %}
    from metrics
    inner join members
        on metrics.configuration_id = members.configuration_id and metrics.case_id = members.case_id
    left join repeated
        on
            metrics.configuration_id = repeated.configuration_id
            and metrics.case_id = repeated.case_id
            and metrics.judge_id = repeated.judge_id
    where repeated.case_id is null or contains(members.group_kind, 'test_set')
    group by all
),

weighted_clusters as (
    select
        weights.judge_id,
        weights.setting,
        members.group_kind,
        members.group_name,
        members.case_id,
        {%- for score in ['semantic', 'severity'] %}
            sum({{ exact("weights." ~ score ~ "_weighted") }})::double as {{ score }}_weighted,
            coalesce(sum({{ exact("weights." ~ score ~ "_weight") }})::double, 0)
                as {{ score }}_weight,
        {%- endfor %}
    from weights
    inner join members
        on weights.configuration_id = members.configuration_id and weights.case_id = members.case_id
    left join repeated
        on
            weights.configuration_id = repeated.configuration_id
            and weights.case_id = repeated.case_id
            and weights.judge_id = repeated.judge_id
    where repeated.case_id is null or contains(members.group_kind, 'test_set')
    group by all
),

member_configurations as (
    select distinct
        configuration_id,
        group_kind,
        group_name,
    from members
),

judged as (
    select distinct
        configuration_id,
        judge_id,
    from metrics
),

configurations as (
    select
        judged.judge_id,
        members.group_kind,
        members.group_name,
        string_agg(distinct versions.test_set, ', ' order by versions.test_set) as test_sets,
        string_agg(distinct versions.prompt_version, ', ' order by versions.prompt_version)
            as prompt_versions,
        count(distinct members.configuration_id)::integer as n_configurations,
        {%- for is_so in ["is_calibrated", "is_severity_calibrated"] %}
            -- calibrated on every test set of the group
            case
                when bool_or(not calibrations.{{ is_so }}) then false
                when count(calibrations.{{ is_so }}) = count(*) then true
            end as {{ is_so }},
        {%- endfor %}
    from judged
    inner join member_configurations as members
        on judged.configuration_id = members.configuration_id
    inner join {{ ref('int_experiments__configurations') }} as versions
        on judged.configuration_id = versions.configuration_id
    left join calibrations
        on
            judged.judge_id = calibrations.judge_id
            and versions.test_set = calibrations.test_set
    group by all
),

means as (
    select
        judge_id,
        group_kind,
        group_name,
        count(*)::integer as n_cases,
        sum(n_answers)::integer as n_answers,
        sum(failure_rate)::integer as n_failures,
        count(mean_severity_score)::integer as n_with_severity,
        count(mean_acuity_score)::integer as n_with_acuity,
        count(dangerous_omission)::integer as n_with_danger,
        {%- for metric in share_metrics().split() + mean_metrics().split() %}
            {{ ratio(metric, metric ~ "_n") }} as {{ metric }},
            {{ ratio_se(metric, metric ~ "_n") }} as {{ metric }}_error,
        {%- endfor %}
    from clusters
    group by all
),

-- how many independent cases each share is worth
worth as (
    select
        *,
        {%- for metric in share_metrics().split() %}
            {{ effective_cases(metric, metric ~ "_error", "n_cases", "n_answers") }}
                as {{ metric }}_worth,
        {%- endfor %}
    from means
),

aggregates as (
    select
        judge_id,
        setting,
        group_kind,
        group_name,
        {%- for score in ['semantic', 'severity'] %}
            {{ ratio(score ~ "_weighted", score ~ "_weight") }} as {{ score }}_aggregate,
            {{ ratio_se(score ~ "_weighted", score ~ "_weight") }}
                as {{ score }}_aggregate_error,
        {%- endfor %}
    from weighted_clusters
    group by all
),

quantiles as (
    select * from {{ ref('int_experiments__interval_quantiles') }}
),

final as (
    select
        means.judge_id,
        aggregates.setting,
        means.group_kind,
        means.group_name,
        configurations.test_sets,
        configurations.prompt_versions,
        judges.terminology_release,
        configurations.n_configurations,
        means.n_cases,
        means.n_answers,
        means.n_failures,
        means.n_with_severity,
        means.n_with_acuity,
        means.n_with_danger,
        {%- for metric in share_metrics().split() %}
            means.{{ metric }},
            {{ wilson("means." ~ metric, "means." ~ metric ~ "_worth", "-") }} as {{ metric }}_low,
            {{ wilson("means." ~ metric, "means." ~ metric ~ "_worth", "+") }} as {{ metric }}_high,
        {%- endfor %}
        {%- for metric in mean_metrics().split() + aggregate_metrics().split() %}
            {%- set relation = "aggregates" if metric.endswith("_aggregate") else "means" %}
            {%- set quantiles = cases_with(metric) | trim ~ "quantiles" %}
            {{ relation }}.{{ metric }},
            {%- for sign, end in [("-", "low"), ("+", "high")] %}
                {{ error_interval(
                    metric, relation ~ "." ~ metric, relation ~ "." ~ metric ~ "_error",
                    quantiles ~ ".quantile", sign, "means." ~ n_with(metric)
                ) }} as {{ metric }}_{{ end }},
            {%- endfor %}
        {%- endfor %}
        means.n_cases < {{ parameter('small_stratum') }} as is_small,
        configurations.is_calibrated,
        configurations.is_severity_calibrated,
    from worth as means
    inner join aggregates using (judge_id, group_kind, group_name)
    inner join {{ ref('difficulty_settings') }} as settings on aggregates.setting = settings.setting
    inner join configurations using (judge_id, group_kind, group_name)
    inner join {{ ref('dim_judge') }} as judges on means.judge_id = judges.judge_id
    left join quantiles on means.n_cases = quantiles.n_cases
    left join quantiles as severity_quantiles
        on means.n_with_severity = severity_quantiles.n_cases
    left join quantiles as acuity_quantiles
        on means.n_with_acuity = acuity_quantiles.n_cases
    left join quantiles as danger_quantiles
        on means.n_with_danger = danger_quantiles.n_cases
)

select * from final
