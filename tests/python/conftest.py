"""Puts this folder on the path, so that every test can `from loopback import Loopback`."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

# A shell that starts `make test` in the background leaves SIGINT ignored, and every process the
# tests start would inherit that; the tests of Ctrl-C want it as a terminal has it.
signal.signal(signal.SIGINT, signal.default_int_handler)

BELOW = ("path:models/*/terminology", "path:models/*/test_sets")


@dataclass(frozen=True)
class Groundwork:
    """A warehouse with seeds, terminology and test sets, which no variable of a run changes."""

    warehouse: Path
    # goes behind the selection of a build that starts from it
    exclude: tuple[str, ...] = ("--exclude", "path:seeds", *BELOW)

    def copy_to(self, folder: Path) -> None:
        """Put it where a build with its KERNEL29_BUILD_DIR at `folder`/build finds it."""
        (folder / "build").mkdir(parents=True)
        shutil.copyfile(self.warehouse, folder / "build" / self.warehouse.name)


# before xdist reads the groups
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where tests run side by side, the process of a file's tests is one, so that what a file
    builds is built once; and one is the process of all that look at the live build. What builds is
    slow, and `make test-fast` leaves it out."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & {"built", "groundwork"} or "end_to_end" in item.path.parts:
            item.add_marker(pytest.mark.slow)
        group = "live" if "built" in fixtures else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def groundwork(tmp_path_factory: pytest.TempPathFactory) -> Groundwork:
    """Built once for all tests that build what stands on it, whichever process they run in."""
    beside = "PYTEST_XDIST_WORKER" in os.environ
    root = tmp_path_factory.getbasetemp()
    folder = (root.parent if beside else root) / "groundwork"
    groundwork = Groundwork(folder / "build" / "kernel29.duckdb")
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "lock", timeout=300):
        if not (folder / "done").exists():
            _build_groundwork(folder)
            (folder / "done").touch()
    return groundwork


def _build_groundwork(folder: Path) -> None:
    places = ("BUILD", "SERVE", "LEDGER", "DATA", "TERMINOLOGY", "RUNS", "CASES", "LABELS")
    done = subprocess.run(
        [
            *(sys.executable, "-c", "from dbt.cli.main import cli; cli()", "--quiet", "build"),
            *("--target-path", str(folder / "target"), "--log-path", str(folder / "logs")),
            *("--exclude-resource-types", "test", "unit_test", "--select", "path:seeds", *BELOW),
        ],
        cwd=Path(__file__).parents[2],
        env={
            **{name: value for name, value in os.environ.items() if "API_KEY" not in name},
            **{f"KERNEL29_{place}_DIR": str(folder / place.lower()) for place in places},
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
