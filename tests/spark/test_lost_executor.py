"""A killed executor loses nothing: its tasks are computed again, with the same numbers."""

import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from python_llm.statistics.agreement import score_shifts
from python_llm.statistics.in_groups import Ordered, in_groups

SCRIPT = Path(__file__).with_name("lost_executor.py")
KEYS = ("judge_id", "probe", "scale")
GROUPS = 12


@pytest.fixture
def shifts(tmp_path) -> Path:
    """The shifts of twelve groups of forty cases, in no order."""
    rows = [
        {
            "judge_id": f"judge {group % 3}",
            "probe": f"probe {group // 3}",
            "scale": "semantic",
            "case_id": f"случай {case:02}",
            "n_lists": 1 + (case * group) % 3,
            "shift": ((case * 37 + group * 11) % 101) / 101,
        }
        for case in range(40)
        for group in range(GROUPS)
    ]
    path = tmp_path / "shifts.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_a_killed_executor_loses_nothing(shifts, tmp_path):
    if shutil.which("java") is None:
        pytest.fail("There is no Java on this machine: see docs/scale.md")
    result = tmp_path / "result.parquet"
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(shifts), str(result)],
        cwd=SCRIPT.parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert result.with_suffix(".killed").exists(), "no executor was killed"
    rows = Ordered(duckdb.read_parquet(str(shifts)), (*KEYS, "case_id"))
    expected = in_groups(score_shifts, [rows], KEYS, replicates=200, seed=29)
    order = [(name, "ascending") for name in KEYS]
    actual = pq.read_table(result)
    assert actual.num_rows == GROUPS
    assert actual.sort_by(order).to_pylist() == expected.sort_by(order).to_pylist()
