"""Time the score marts on a synthetic load, in a scratch warehouse of its own.

    python benchmarks/score_marts.py --configurations 450 --cases 200 --judges 3
    python benchmarks/score_marts.py --configurations 4500      ten times that, in configurations
    python benchmarks/score_marts.py --cases 2000               in cases
    python benchmarks/score_marts.py --test-sets 10             in test sets

The warehouse is a copy of the built one (run `make build` first) in which everything up to the
judged diagnoses is replaced by drawn rows; then dbt builds what comes after, tests left out, and
the rows that came out are counted. The drawing is DuckDB's hash, so that two runs of one version
see the same rows. One configuration fails on every case, one in twenty cells fails, the others have
five ranks, and a tenth of the cases has no gold severity. The scratch folder stays, for `kernel29
report` to be tried on.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[1]

# what is built from the judged diagnoses; publishing and reporting are timed apart
SCORES = (
    "int_experiments__case_scores+ int_experiments__case_strata int_experiments__interval_quantiles "
    "int_experiments__detectable_differences int_experiments__label_patterns+"
)
LEFT_OUT = "int_quality__publication"
COUNT = """
    select
        count(distinct configuration_id),
        count(distinct judge_id),
        count(*),
        (select count(*) from fct_judged_diagnosis),
    from fct_case_score
"""

# ruff: noqa: E501 - the SQL below
# A draw in [0, 1) from anything.
DRAW = "create or replace temp macro draw(item) as hash(item) / 18446744073709551616.0"

FILL = """
-- fill dim_case
create or replace temp table drawn as
with drawn as (
    select
        'benchmark_' || set_number || '/' || lpad(number::varchar, 4, '0') as drawn_id,
        'benchmark_' || set_number as drawn_set,
        number,
        draw('case' || set_number || '-' || number) as chance,
    from range(1, {test_sets} + 1) as sets (set_number)
    cross join range(1, {cases} + 1) as numbers (number)
),

codes as (
    select *, row_number() over (order by md5(code)) as position
    from dim_icd10_code
    where category_code is not null
    qualify position <= 3000
),

templates as (select *, row_number() over (order by case_id) as position from dim_case)

select templates.* exclude (position) replace (
    drawn.drawn_id as case_id,
    drawn.drawn_set as test_set,
    drawn.number::integer as case_number,
    codes.code as icd10_code,
    codes.chapter_code as icd10_chapter_code,
    codes.chapter_title as icd10_chapter_title,
    codes.block_code as icd10_block_code,
    codes.block_title as icd10_block_title,
    codes.category_code as icd10_category_code,
    codes.category_title as icd10_category_title,
    case
        when drawn.chance < 0.1 then null
        else (['mild', 'moderate', 'severe', 'critical', 'rare'])[1 + (drawn.chance * 97 % 5)::int % 5]
    end as gold_severity
)
from drawn
inner join templates on templates.position = 1 + (drawn.number - 1) % (select count(*) from templates)
left join codes on codes.position = 1 + (drawn.chance * 2999)::int;

-- fill bridge_test_set_case
create or replace temp table drawn as
select test_set, case_id from dim_case;

-- fill dim_test_set
create or replace temp table drawn as
with template as (select * from dim_test_set limit 1)
select template.* replace (cases.test_set as test_set, cases.n_cases::integer as n_cases)
from (select test_set, count(*) as n_cases from dim_case group by all) as cases
cross join template;

create or replace temp table numbered as
select
    number,
    'model_' || lpad((1 + (number - 1) // 5)::varchar, 3, '0') as model_alias,
    'prompt_' || (1 + (number - 1) % 5) as prompt_alias,
from range(1, {configurations} + 1) as numbers (number);

-- fill int_experiments__configurations
create or replace temp table drawn as
select
    model_alias || '/' || prompt_alias || '/' || test_set as configuration_id,
    model_alias,
    prompt_alias,
    test_set,
    left(md5(prompt_alias), 12) as prompt_version,
    'llm' as model_kind,
    true as is_phi_approved,
from numbered cross join dim_test_set;

-- fill dim_configuration
create or replace temp table drawn as
select
    configuration_id,
    model_alias,
    prompt_alias,
    prompt_version,
    test_set,
    'provider_' || (1 + (draw(model_alias) * 5)::int) as provider,
    model_alias as api_model,
    'family' as family,
    '0123456789ab' as test_set_version,
from int_experiments__configurations;

-- fill int_experiments__configuration_spending
create or replace temp table drawn as
select
    configuration_id,
    round(draw(configuration_id) * 10, 2) as generation_usd,
    0 as n_unpriced_calls,
    1000 + 9000 * draw(configuration_id || 'ms') as median_latency_ms,
from int_experiments__configurations;

-- fill dim_judge
create or replace temp table drawn as
with template as (select * from dim_judge where kind = 'terminology')
select template.* replace (
    if(number = 1, judge_id, 'judge_' || number) as judge_id,
    if(number = 1, kind, 'llm') as kind
)
from template cross join range(1, {judges} + 1) as numbers (number);

-- fill int_experiments__cell_outcomes
create or replace temp table drawn as
with cells as (
    select
        configurations.configuration_id,
        cases.case_id,
        configurations.model_alias,
        configurations.prompt_alias,
        configurations.prompt_version,
        configurations.test_set,
        row_number() over (partition by cases.case_id order by configuration_id) = 1
        or draw(row(configuration_id, case_id, 'fails')) < 0.05 as fails,
        draw(row(configuration_id, case_id)) as chance,
    from int_experiments__configurations as configurations
    inner join dim_case as cases on configurations.test_set = cases.test_set
)
select
    configuration_id,
    case_id,
    md5(configuration_id || case_id) as request_key,
    model_alias,
    prompt_alias,
    prompt_version,
    test_set,
    case
        when not fails then 'ok'
        else (['refused', 'timeout', 'parse_error', 'truncated'])[1 + (chance * 3)::int]
    end as status,
    null::varchar as answer_text,
    null::varchar as finish_reason,
    null::varchar as parse_status,
    null::varchar as error_kind,
    null::varchar as error_message,
    if(fails, 0, 5)::integer as n_diagnoses,
    0 as n_dropped,
    1 as n_attempts,
    1000 + 9000 * chance as latency_ms,
from cells;

-- fill fct_judged_diagnosis
create or replace temp table drawn as
with vocabulary as (
    select description, row_number() over (order by code) - 1 as position
    from (select code, title as description from dim_icd10_code order by md5(code) limit 20000)
),

ranks as (
    select
        outcomes.configuration_id,
        outcomes.case_id,
        outcomes.test_set,
        rank::integer as diagnosis_rank,
        draw(outcomes.model_alias) as skill,
        draw(row(outcomes.configuration_id, outcomes.case_id, rank)) as chance,
    from int_experiments__cell_outcomes as outcomes
    inner join range(1, 6) as ranks (rank) on rank <= outcomes.n_diagnoses
),

labelled as (
    select
        ranks.*,
        judges.judge_id,
        least(1 + (5 * power(draw(row(judges.judge_id, ranks.chance)), skill))::int, 5)
            as semantic_distance,
        1 + (5 * power(draw(row(judges.judge_id, ranks.chance, 'severity')), 1.2))::int
            as severity_value,
    from ranks
    cross join dim_judge as judges
),

relations as (select * from semantic_relations where is_label),

levels as (select * from severity_levels)

select
    labelled.configuration_id,
    labelled.case_id,
    labelled.diagnosis_rank,
    labelled.judge_id,
    vocabulary.description as diagnosis,
    cases.gold_diagnosis,
    relations.semantic_relation,
    if(labelled.judge_id = 'terminology', 'unrelated', 'majority_vote') as semantic_rule,
    if(labelled.judge_id = 'terminology', null, 'The findings of ' || vocabulary.description || ' and the gold diagnosis overlap in ' || (labelled.chance * 1e6)::int || ' points') as semantic_reason,
    coalesce(levels.severity, 'unknown') as severity,
    cases.gold_severity,
    'majority_vote' as severity_rule,
    if(labelled.judge_id = 'terminology', null, 'Needs care within ' || (labelled.chance * 1e4)::int || ' hours') as severity_reason,
    null::varchar as reasoning,
    null::varchar as in_favour,
    null::varchar as against,
    labelled.semantic_distance::integer as semantic_distance,
    (1 + abs(gold.severity_value - levels.severity_value))::integer as severity_distance,
    1 as n_votes,
    true as has_semantic_label,
    levels.severity is not null as has_severity_label,
from labelled
inner join dim_case as cases on labelled.case_id = cases.case_id
inner join relations on labelled.semantic_distance = relations.distance
left join levels on labelled.severity_value = levels.severity_value
left join levels as gold on cases.gold_severity = gold.severity
inner join vocabulary on vocabulary.position = (labelled.chance * 19999)::int;

-- fill int_experiments__judgements
create or replace temp table drawn as
select
    configuration_id, case_id, 'none' as probe, diagnosis_rank, judge_id, semantic_relation, severity,
    n_votes,
from fct_judged_diagnosis;

-- fill fct_answer
create or replace temp table drawn as
select outcomes.* exclude (model_alias), statuses.outcome_class,
from int_experiments__cell_outcomes as outcomes
left join outcome_statuses as statuses on outcomes.status = statuses.status;
"""


def fill(warehouse: Path, *, configurations: int, cases: int, judges: int, test_sets: int) -> None:
    """Replace everything up to the judged diagnoses in `warehouse` by drawn rows."""
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute("set preserve_insertion_order = false")
        connection.execute("set memory_limit = '6GB'")
        connection.execute(DRAW)
        statements = FILL.format(
            configurations=configurations, cases=cases, judges=judges, test_sets=test_sets
        )
        for statement in statements.split(";\n"):
            connection.execute(statement)
            if filled := re.search(r"^-- fill (\w+)$", statement, re.MULTILINE):
                table = filled[1]
                # by name: a column these rows do not know stays null
                connection.execute(
                    f"create or replace table {table} as "
                    f"from (from {table} limit 0) union all by name from drawn"
                )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--configurations", type=int, default=450, help="per test set")
    parser.add_argument("--cases", type=int, default=200, help="per test set")
    parser.add_argument("--judges", type=int, default=3)
    parser.add_argument("--test-sets", type=int, default=1)
    parser.add_argument("--built", type=Path, default=ROOT / "build" / "kernel29.duckdb")
    parser.add_argument("--folder", type=Path, required=True, help="scratch folder, may be new")
    parser.add_argument("--again", action="store_true", help="keep the rows of the last run")
    parser.add_argument("--publish", action="store_true", help="publish them afterwards")
    arguments = parser.parse_args()
    warehouse = arguments.folder / "build" / "kernel29.duckdb"
    if not arguments.again:
        if not arguments.built.is_file():
            parser.error(f"{arguments.built} is not there: run `make build` first")
        warehouse.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(arguments.built, warehouse)
        start = time.monotonic()
        fill(
            warehouse,
            configurations=arguments.configurations,
            cases=arguments.cases,
            judges=arguments.judges,
            test_sets=arguments.test_sets,
        )
        print(f"rows drawn in {time.monotonic() - start:.1f} s", flush=True)
    environment = os.environ | {
        "KERNEL29_BUILD_DIR": str(warehouse.parent),
        "KERNEL29_SERVE_DIR": str(arguments.folder / "serve"),
        "KERNEL29_LEDGER_DIR": str(arguments.folder / "ledger"),
    }
    dbt = [sys.executable, "-m", "dbt.cli.main", "run", "--project-dir", str(ROOT)]
    dbt += ["--profiles-dir", str(ROOT), "--target-path", str(arguments.folder / "target")]
    dbt += ["--log-path", str(arguments.folder / "logs")]
    start = time.monotonic()
    code = subprocess.run(
        [*dbt, "--select", *SCORES.split(), "--exclude", LEFT_OUT], env=environment, check=False
    ).returncode
    seconds, used = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    print(
        f"score marts in {seconds:.1f} s, {cpu:.1f} s of CPU (dbt's start included), "
        f"peak memory {used.ru_maxrss / 1e6:.1f} GB"
    )
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        scored = connection.execute(COUNT).fetchone()
    print("{} configurations, {} judges, {:,} scored cases of {:,} judged ranks".format(*scored))
    if code == 0 and arguments.publish:
        start = time.monotonic()
        code = subprocess.run([*dbt, "--select", LEFT_OUT], env=environment, check=False).returncode
        seconds, used = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = used.ru_utime + used.ru_stime - cpu
        print(f"published in {seconds:.1f} s, {cpu:.1f} s of CPU (dbt's start included)")
    return code


if __name__ == "__main__":
    sys.exit(main())
