"""What prompts said and scored before: files beside the ledger that are only ever added to."""

import datetime as dt
import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
from filelock import FileLock

from python_llm import files
from python_llm.prompting.templates import changes

FOLDER = "prompts"
SCORES = "scores.jsonl"

# One row per prompt and version. version_number: 1 for the first one seen, in the order of sight.
VERSIONS = pa.schema(
    [
        ("prompt_alias", pa.string()),
        ("prompt_version", pa.string()),
        ("previous_version", pa.string()),
        ("system_template", pa.string()),
        ("user_template", pa.string()),
        ("response_schema", pa.string()),
        ("changes", pa.string()),
        ("version_number", pa.int32()),
        ("n_lines_added", pa.int32()),
        ("n_lines_removed", pa.int32()),
        ("first_seen_at", pa.timestamp("us", tz="UTC")),
        ("is_current", pa.bool_()),
    ]
)
# One row per configuration, judge and prompt version: the last scores it had. Lines written before
# the terminology release was among them have none.
SCORE_HISTORY = pa.schema(
    [
        ("configuration_id", pa.string()),
        ("judge_id", pa.string()),
        ("prompt_alias", pa.string()),
        ("prompt_version", pa.string()),
        ("terminology_release", pa.string()),
        ("n_cases", pa.int32()),
        ("n_failures", pa.int32()),
        ("top1_strict", pa.float64()),
        ("top5_strict", pa.float64()),
        ("mean_semantic_score", pa.float64()),
    ]
)
KEY = ("configuration_id", "judge_id", "prompt_version")


def remember_versions(current: pa.Table, ledger_dir: Path) -> pa.Table:
    """Write down the versions of `current` (PROMPT_SCHEMA) not seen before; all of them (VERSIONS).

    One file a version, named by both, written once and never changed.
    """
    folder = ledger_dir / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    now = dt.datetime.now(dt.UTC).isoformat()
    rows = current.to_pylist()
    for row in rows:
        file = folder / f"{row['prompt_alias']}@{row['prompt_version']}.json"
        if not file.is_file():
            text = json.dumps({**row, "first_seen_at": now}, ensure_ascii=False)
            with files.replacing(file) as draft:
                draft.write_text(text, encoding="utf-8")
    live = {row["prompt_alias"]: row["prompt_version"] for row in rows}
    seen = [json.loads(file.read_text(encoding="utf-8")) for file in folder.glob("*@*.json")]
    history: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(seen, key=lambda row: (row["first_seen_at"], row["prompt_version"])):
        history.setdefault(row["prompt_alias"], []).append(row)
    told = []
    for alias, versions in sorted(history.items()):
        for number, row in enumerate(versions, 1):
            before = versions[number - 2] if number > 1 else None
            changed = changes(before, row) if before else None
            lines = [
                line for line in (changed or "").splitlines() if line[:3] not in ("+++", "---")
            ]
            told.append(
                {
                    **{name: row.get(name) for name in VERSIONS.names},
                    "previous_version": before["prompt_version"] if before else None,
                    "changes": changed,
                    "version_number": number,
                    "n_lines_added": sum(line.startswith("+") for line in lines),
                    "n_lines_removed": sum(line.startswith("-") for line in lines),
                    "first_seen_at": dt.datetime.fromisoformat(row["first_seen_at"]),
                    "is_current": live.get(alias) == row["prompt_version"],
                }
            )
    return pa.Table.from_pylist(told, schema=VERSIONS)


def remember_scores(current: pa.Table, ledger_dir: Path) -> pa.Table:
    """Write down the scores of `current` (SCORE_HISTORY) that are new or changed; all last ones."""
    folder = ledger_dir / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / SCORES
    with FileLock(folder / ".lock"):
        known: dict[tuple[Any, ...], dict[str, Any]] = {}
        for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else []:
            try:
                row = json.loads(line)
                known[tuple(row[name] for name in KEY)] = row
            except (json.JSONDecodeError, KeyError):
                continue  # a build was killed while it wrote this line; the next one wrote it again
        rows = current.select(SCORE_HISTORY.names).cast(SCORE_HISTORY).to_pylist()
        new = [row for row in rows if known.get(tuple(row[name] for name in KEY)) != row]
        if new:
            with file.open("a", encoding="utf-8") as handle:
                handle.write("\n" + "\n".join(json.dumps(row) for row in new) + "\n")
                handle.flush()
                os.fsync(handle.fileno())
        known |= {tuple(row[name] for name in KEY): row for row in new}
    return pa.Table.from_pylist([known[key] for key in sorted(known)], schema=SCORE_HISTORY)
