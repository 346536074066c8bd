"""How long the terminology judge takes: 250 systems × 200 cases × 10 ranks, most pairs distinct.

    python benchmarks/terminology_judge.py --folder DIR [--built build/kernel29.duckdb]

Copies a built warehouse to DIR, fills the ranked diagnoses with names of the terminologies (a third
of the first ranks are the gold diagnosis), and times `dbt run` of the judge's models on it. Parsing
the project is timed apart: a second build is spared it.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import duckdb

from python_llm import paths

FILL = """
create or replace table int_experiments__ranked_diagnoses as
with pool as (
    select disease_name as diagnosis, row_number() over (order by md5(disease_name)) as number,
    from dim_disease
),
drawn as (
    select 'system' || system || '/p/simulated_rare_200' as configuration_id, case_id,
        gold_name, rank::integer as diagnosis_rank,
        ('0x' || left(md5(system || case_id || rank), 8))::bigint
        % (select count(*) from pool) + 1 as number,
    from range({systems}) as systems (system), range(1, 11) as ranks (rank), dim_case
    where test_set = 'simulated_rare_200'
)
select configuration_id, case_id, diagnosis_rank,
    if(diagnosis_rank = 1 and number % 3 = 0, gold_name, diagnosis) as diagnosis,
    trim(regexp_replace(lower(strip_accents(diagnosis)), '[^\\p{{L}}\\p{{N}}]+', ' ', 'g'))
        as diagnosis_normalised,
    null::varchar as reasoning, null::varchar as in_favour, null::varchar as against,
    null::varchar as risk, null as repeats, true as is_judged,
from drawn inner join pool using (number)
"""
MODELS = [
    "int_experiments__" + name
    for name in (
        *("case_golds", "gold_diagnoses", "gold_names", "judged_lists", "reading_keys"),
        *("diagnosis_readings", "judged_pairs", "name_profiles", "name_concepts"),
        *("diagnosis_concepts", "gold_concepts", "disease_families", "name_overlaps"),
        *("finding_pairs", "name_evidence", "code_evidence", "gene_evidence"),
        *("shared_classes", "class_evidence"),
        *("profile_evidence", "terminology_relations", "terminology_severities"),
    )
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument(
        "--built", type=Path, default=paths.project_root() / "build/kernel29.duckdb"
    )
    parser.add_argument("--systems", type=int, default=250)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    warehouse = options.folder / "kernel29.duckdb"
    shutil.copyfile(options.built, warehouse)
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute(FILL.format(systems=options.systems))
        (n_ranks, n_pairs) = connection.execute(
            "select count(*), count(distinct (case_id, diagnosis_normalised)) "
            "from int_experiments__ranked_diagnoses"
        ).fetchone()
    parsing = timed_dbt(options.folder, "parse")
    judging = timed_dbt(options.folder, "run", "--select", *MODELS)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    print(
        f"{n_ranks} ranks, {n_pairs} distinct pairs: {judging:.1f} s with dbt's start, "
        f"at most {peak:.2f} GiB; parsing before it {parsing:.1f} s"
    )


def timed_dbt(folder: Path, *arguments: str) -> float:
    """Seconds of wall time of one dbt command on the warehouse in `folder`."""
    started = time.monotonic()
    subprocess.run(
        [
            *(sys.executable, "-c", "from dbt.cli.main import cli; cli()", "--quiet", *arguments),
            *("--target-path", str(folder / "target"), "--log-path", str(folder / "logs")),
        ],
        cwd=paths.project_root(),
        env={**os.environ, "KERNEL29_BUILD_DIR": str(folder)},
        check=True,
    )
    return time.monotonic() - started


if __name__ == "__main__":
    main()
