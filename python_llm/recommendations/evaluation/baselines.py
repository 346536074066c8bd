"""Baselines: the measurements of a run, case by case, promoted by a person.

Each tenant and recommender has its own Parquet files, written once and never changed: rebuilding or
deleting the warehouse does not touch them. A run is compared with the newest baseline of its tenant
and recommender. Runs leave their measurements in a folder beside the ledger, from which `kernel29
baseline promote` takes them (docs/specification.md#gate).
"""

from __future__ import annotations

import datetime as dt
import os
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from filelock import FileLock

from python_llm import paths
from python_llm.errors import UserError
from python_llm.files import write_parquet

# Cases named in a message; rpt_recommendation_gate has them all.
RETRIEVAL = 2  # its tier
MOST_CASES = 20
Row = dict[str, Any]
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,49}")

# One measurement. Grain: tenant_id, recommender, condition, tier, metric_name, case_id.
# case_version: hash of the content of the case; values of different versions are not comparable.
VALUE_SCHEMA = pa.schema(
    [
        ("tenant_id", pa.string()),
        ("recommender", pa.string()),
        ("configuration", pa.string()),
        ("condition", pa.string()),
        ("tier", pa.int32()),
        ("metric_name", pa.string()),
        ("case_id", pa.string()),
        ("case_version", pa.string()),
        ("value", pa.float64()),
    ]
)
# Grain: baseline_id and that of VALUE_SCHEMA. baseline_number: 1 for the first of its tenant and
# recommender.
BASELINE_SCHEMA = pa.schema(
    [
        ("baseline_id", pa.string()),
        ("baseline_name", pa.string()),
        ("baseline_number", pa.int32()),
        ("promoted_at", pa.timestamp("us", tz="UTC")),
        ("why", pa.string()),
        ("run_id", pa.string()),
        *VALUE_SCHEMA,
    ]
)
# One decision of the gate. Grain: tenant_id, condition (null: all), tier, metric_name.
GATE_SCHEMA = pa.schema(
    [
        ("tenant_id", pa.string()),
        ("recommender", pa.string()),
        ("condition", pa.string()),
        ("tier", pa.int32()),
        ("metric_name", pa.string()),
        ("gates", pa.bool_()),
        ("status", pa.string()),
        ("value_before", pa.float64()),
        ("value_after", pa.float64()),
        ("metric_value", pa.float64()),
        ("floor", pa.float64()),
        ("baseline_id", pa.string()),
        ("worse_cases", pa.list_(pa.string())),
    ]
)
# One aggregate. Grain: run_id, tenant_id, condition (null: all), tier, metric_name.
RESULT_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("run_id", pa.string()),
        ("run_type", pa.string()),
        ("timestamp", pa.timestamp("us", tz="UTC")),
        ("tenant_id", pa.string()),
        ("condition", pa.string()),
        ("tier", pa.int32()),
        ("metric_name", pa.string()),
        ("metric_value", pa.float64()),
        ("baseline_id", pa.string()),
        ("passed_baseline", pa.bool_()),
        ("metadata", pa.string()),
    ]
)


class BaselineError(UserError):
    """A baseline that cannot be promoted or read; the message says why and what to do."""


@dataclass(frozen=True)
class Promoted:
    """A baseline that was just written: its number within its tenant and recommender, and its
    file."""

    tenant_id: str
    recommender: str
    baseline_number: int
    file: Path


def baselines_folder() -> Path:
    """The folder of the baselines, inside the repository and versioned with it."""
    return paths.resolve(os.environ.get("KERNEL29_BASELINES_DIR", "baselines"))


def evaluations_folder() -> Path:
    """The folder where runs leave their measurements."""
    return paths.resolve(os.environ.get("KERNEL29_DATA_DIR", "data")) / "evaluations"


def read_baselines(folder: Path) -> pa.Table:
    """Every value of every baseline (BASELINE_SCHEMA); without any, no rows.

    Raises BaselineError for a file that is not a baseline.
    """
    tables = []
    for file in sorted(folder.glob("*/*.parquet")):
        try:
            tables.append(pq.read_table(file, schema=BASELINE_SCHEMA))
        except (pa.ArrowInvalid, OSError) as error:
            raise BaselineError(
                f"The baseline {file.parent.name}/{file.name} cannot be read: restore it with "
                "`git checkout`, or remove it to return to the one before."
            ) from error
    return pa.concat_tables(tables) if tables else BASELINE_SCHEMA.empty_table()


def baseline_values(_table: str) -> pa.Table:
    """All baselines, as the dbt source reads them."""
    return read_baselines(baselines_folder())


def remember_run(values: pa.Table, gate: pa.Table, results: pa.Table, folder: Path) -> pa.Table:
    """Store what a run measured in `folder`; returns all results of all runs (RESULT_SCHEMA),
    oldest first. A run with a known id replaces the stored one: two builds of one id are one
    run."""
    folder.mkdir(parents=True, exist_ok=True)
    if results.num_rows:
        run = results.select(["run_id", "timestamp"]).slice(0, 1).to_pylist()[0]
        stem = f"{run['timestamp'].astimezone(dt.UTC):%Y%m%dT%H%M%S%f}-{run['run_id']}"
        for kind, table, schema in (
            ("gate", gate, GATE_SCHEMA),
            ("results", results, RESULT_SCHEMA),
            # written last: a run that has values is complete
            ("values", values, VALUE_SCHEMA),
        ):
            kept = table.select(schema.names).cast(schema)
            write_parquet(kept, folder / f"{stem}.{kind}.parquet")
    files = sorted(folder.glob("*.results.parquet"))
    tables = [pq.read_table(file, schema=RESULT_SCHEMA) for file in files]
    return pa.concat_tables(tables) if tables else RESULT_SCHEMA.empty_table()


def promote(
    name: str,
    why: str,
    *,
    evaluations: Path,
    baselines: Path,
    cases_changed: bool = False,
    corpus_changed: bool = False,
) -> list[Promoted]:
    """Make the last run the baseline of every tenant it evaluated.

    Raises BaselineError, listing what got worse, if a gating metric is below its floor or regressed
    against the baseline of the run, unless it is one of retrieval (tier 2) and `corpus_changed`
    declares that other documents are retrieved from; if cases of that baseline are missing or
    changed, unless `cases_changed` declares this intended; if another baseline was promoted since;
    if there is no run or no reason, or the name is taken.
    """
    if not NAME.fullmatch(name):
        raise BaselineError(
            f"The name {name!r}: use lower-case letters, digits, - and _ (at most 50)."
        )
    if not why.strip():
        raise BaselineError("--why: say in a sentence why this run is the new baseline.")
    runs = sorted(evaluations.glob("*.values.parquet"))
    if not runs:
        raise BaselineError(
            f"{evaluations} holds no run: run `dbt build --selector nightly` first."
        )
    stem = runs[-1].name.removesuffix(".values.parquet")
    values = pq.read_table(runs[-1], schema=VALUE_SCHEMA)
    gate = pq.read_table(evaluations / f"{stem}.gate.parquet", schema=GATE_SCHEMA).to_pylist()
    baselines.mkdir(parents=True, exist_ok=True)
    with FileLock(baselines / ".lock"):
        known = read_baselines(baselines)
        _refuse_regressions(gate, cases_changed, corpus_changed)
        systems = sorted({(row["tenant_id"], row["recommender"]) for row in values.to_pylist()})
        active = _active(known)
        for system in systems:
            compared = {
                row["baseline_id"]
                for row in gate
                if (row["tenant_id"], row["recommender"]) == system and row["baseline_id"]
            }
            current = active.get(system, Active())
            if current.baseline_id is not None and compared != {current.baseline_id}:
                raise BaselineError(
                    f"{system[0]}: the last run was not compared with the current baseline: run "
                    "`dbt build --selector nightly` again, then promote."
                )
            if name in current.names:
                raise BaselineError(
                    f"{system[0]} already has a baseline {name!r}: choose another name."
                )
        done = []
        for tenant, recommender in systems:
            number = active.get((tenant, recommender), Active()).number + 1
            done.append(
                _keep(values, tenant, recommender, number, name, why.strip(), stem, baselines)
            )
    return done


def _refuse_regressions(gate: Sequence[Row], cases_changed: bool, corpus_changed: bool) -> None:
    gate = sorted(
        gate,
        key=lambda row: (row["tenant_id"], row["tier"], row["metric_name"], row["condition"] or ""),
    )
    unsafe = [row for row in gate if row["gates"] and row["status"] == "below_floor"]
    worse = [
        row
        for row in gate
        if row["gates"]
        and row["status"] == "regressed"
        and not (corpus_changed and row["tier"] == RETRIEVAL)
    ]
    reasons = []
    if unsafe:
        reasons.append(
            f"Refused: {len(unsafe)} gating metrics are below their floor (gating_metrics.csv): "
            "no baseline may be, not even the first."
        )
        reasons += map(gate_line, unsafe)
    if worse:
        reasons.append(f"Refused: {len(worse)} gating metrics are worse than the baseline.")
        reasons += map(gate_line, worse)
        if any(row["tier"] == RETRIEVAL for row in worse):
            reasons.append(
                "If documents were added or changed, --corpus-changed accepts what is worse in "
                "tier 2; floors hold all the same."
            )
    if reasons:
        raise BaselineError("\n".join(reasons))
    odd = [row for row in gate if row["gates"] and row["status"] == "cases_changed"]
    if odd and not cases_changed:
        raise BaselineError(
            "Refused: cases of the baseline are missing or changed, so the two cannot be compared. "
            "If this is intended, add --cases-changed.\n" + "\n".join(gate_line(row) for row in odd)
        )


def gate_line(row: Row) -> str:
    """One row of the gate as a line: tenant, condition, metric, before (or floor), after, cases."""
    worse = row["worse_cases"] or []
    cases = ", ".join(worse[:MOST_CASES])
    if len(worse) > MOST_CASES:
        cases += f" and {len(worse) - MOST_CASES} more"
    low = row["status"] == "below_floor"
    names = ("floor", "metric_value") if low else ("value_before", "value_after")
    before, after = ("-" if row[name] is None else f"{row[name]:.6f}" for name in names)
    if low:
        before = f"floor {before}"
    return (
        f"{row['tenant_id']} / {row['condition'] or 'all conditions'} / tier {row['tier']} "
        f"{row['metric_name']}: {before} -> {after} ({row['status']}; worse: {cases or 'none'})"
    )


class Active(NamedTuple):
    """The newest baseline of a tenant and recommender, and the names of all its baselines."""

    number: int = 0
    baseline_id: str | None = None
    names: frozenset[str] = frozenset()


def _active(known: pa.Table) -> dict[tuple[str, str], Active]:
    """The baseline that counts now, by tenant and recommender."""
    active: dict[tuple[str, str], Active] = {}
    columns = ["tenant_id", "recommender", "baseline_number", "baseline_id", "baseline_name"]
    for row in known.select(columns).group_by(columns).aggregate([]).to_pylist():
        system = (row["tenant_id"], row["recommender"])
        before = active.get(system, Active())
        newest = before._replace(names=before.names | {row["baseline_name"]})
        if row["baseline_number"] > before.number:
            newest = newest._replace(number=row["baseline_number"], baseline_id=row["baseline_id"])
        active[system] = newest
    return active


def _keep(
    values: pa.Table,
    tenant: str,
    recommender: str,
    number: int,
    name: str,
    why: str,
    stem: str,
    folder: Path,
) -> Promoted:
    now = dt.datetime.now(dt.UTC)
    of = {
        "baseline_id": str(uuid.uuid4()),
        "baseline_name": name,
        "baseline_number": number,
        "promoted_at": now,
        "why": why,
        "run_id": stem.split("-", 1)[1],
    }
    rows = [
        {**of, **row}
        for row in values.to_pylist()
        if (row["tenant_id"], row["recommender"]) == (tenant, recommender)
    ]
    file = folder / tenant / f"{recommender}-{number:04d}-{name}.parquet"
    if file.exists():
        raise BaselineError(f"{file.name} exists already and is never overwritten.")
    file.parent.mkdir(exist_ok=True)
    write_parquet(pa.Table.from_pylist(rows, schema=BASELINE_SCHEMA), file)
    return Promoted(tenant, recommender, number, file)


def list_baselines(folder: Path) -> list[Row]:
    """One row per baseline, oldest first within its tenant."""
    columns = [
        *("tenant_id", "recommender", "baseline_number", "baseline_name", "promoted_at"),
        *("configuration", "why", "baseline_id", "run_id"),
    ]
    table = read_baselines(folder).select(columns).group_by(columns).aggregate([])
    return sorted(
        table.to_pylist(),
        key=lambda row: (row["tenant_id"], row["recommender"], row["baseline_number"]),
    )


def baseline_means(folder: Path, name: str) -> list[Row]:
    """Means of a baseline by tenant, condition, tier and metric.

    Raises BaselineError, listing the known names, for an unknown one.
    """
    table = read_baselines(folder)
    of_name = table.filter(pc.equal(table["baseline_name"], name))
    if not of_name.num_rows:
        known = sorted(set(table["baseline_name"].to_pylist()))
        raise BaselineError(
            f"There is no baseline {name!r}; the known ones: {', '.join(known) or 'none'}."
        )
    keys = ["tenant_id", "recommender", "condition", "tier", "metric_name"]
    means = of_name.group_by(keys).aggregate([("value", "mean"), ("value", "count")])
    return means.sort_by([(key, "ascending") for key in keys]).to_pylist()
