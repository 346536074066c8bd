{#
  No gating metric of the gate is below its floor, or below its baseline on the same cases, and no
  case of the baseline is missing or changed. Failures are printed line by line, even with
  --quiet: tenant, condition, metric, before (or the floor), after, and the cases that flipped.
#}
{% test no_regression(model) %}
{%- set regressions_sql -%}
select
    tenant_id,
    coalesce(condition, 'all conditions') as condition,
    tier,
    metric_name,
    status,
    case when status = 'below_floor' then 'floor ' || floor else value_before::varchar end
        as value_before,
    case when status = 'below_floor' then metric_value else value_after end as value_after,
    n_worse,
    n_better,
    p_value,
    array_to_string(worse_cases[:20], ', ')
    || case when len(worse_cases) > 20 then ' and ' || len(worse_cases) - 20 || ' more' else '' end
        as worse_cases,
from {{ model }}
where gates and status in ('regressed', 'below_floor', 'cases_changed')
order by tenant_id, tier, metric_name, condition
{%- endset -%}
{%- if execute and flags.WHICH in ("build", "test") -%}
    {%- for row in run_query(regressions_sql).rows -%}
        {%- do print(
            "gate: " ~ row[0] ~ " / " ~ row[1] ~ " / tier " ~ row[2] ~ " " ~ row[3] ~ ": " ~ row[5]
            ~ " -> " ~ row[6] ~ " (" ~ row[4] ~ "; " ~ row[7] ~ " worse, " ~ row[8]
            ~ " better" ~ ("" if row[9] is none else ", p " ~ row[9] | round(4)) ~ "); worse: "
            ~ (row[10] or "none")
        ) -%}
    {%- endfor -%}
{%- endif -%}
{{ regressions_sql }}
{% endtest %}
