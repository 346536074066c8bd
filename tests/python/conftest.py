"""What all tests share: marks, and the warehouses that those begin with which build something."""

import gc
import os
import signal
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import project
import pytest
import shared
from hypothesis import settings
from loopback import Loopback, at_random
from scratch import LIVE, Scratch, addresses, clinician, copied

from python_llm.job.serving import lakehouse

# A shell that starts `make test` in the background leaves SIGINT ignored, and every process the
# tests start would inherit that; the tests of Ctrl-C want it as a terminal has it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Processes that others are forked from import what they prepare from here: Python 3.11 gives them
# no path of pytest's, and passes over in silence what it then does not find.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(
        None,
        [
            *(str(Path(__file__).parents[2]), str(Path(__file__).parent / "helpers")),
            os.environ.get("PYTHONPATH"),
        ],
    )
)

settings.register_profile("quick", max_examples=20)  # make test-fast: the whole has all examples

# what the rankers read of notes stands on nothing else
BELOW = ("path:models/*/terminology", "path:models/*/test_sets", "+int_phenotyping__mentions")

# Three requests of ten fail: a third of them as a model ends, the rest as servers and networks do.
FAULTS = {
    "refusal": 0.04,
    "length_empty": 0.02,
    "content_filter": 0.02,
    "invalid_request": 0.02,
    "rate_limit": 0.05,
    "server_error": 0.04,
    "unavailable": 0.03,
    "gateway_timeout": 0.02,
    "empty": 0.02,
    "cut_json": 0.02,
    "reset": 0.02,
}


@dataclass(frozen=True)
class Groundwork:
    """A warehouse with seeds, terminology, test sets and what their notes say: no variable of a run
    changes these."""

    warehouse: Path
    # goes behind the selection of a build that starts from it; its data tests have passed, and
    # those that look at something else as well have not run
    exclude: tuple[str, ...] = (
        *("--indirect-selection", "cautious"),
        *("--exclude", "path:seeds", *BELOW),
    )

    def copy_to(self, folder: Path) -> None:
        """Put it where a build with its KERNEL29_BUILD_DIR at `folder`/build finds it."""
        copied(self.warehouse, folder)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What builds is slow, and `make test-fast` leaves it out. While one process makes the builds
    that most of it begins with, the other tries the engine, which needs none. Files that are quick
    come last: neither process then waits long for the other."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & {"groundwork", "manifest"} or "end_to_end" in item.path.parts:
            item.add_marker(pytest.mark.slow)
    first = items[0].path if items else None
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(
        key=lambda item: (
            *(item.path != first, "engine" not in item.path.parts),
            item.path not in slow,
        )
    )


def pytest_collection_finish() -> None:
    """What was imported and collected stays: no search for garbage has to look at it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _shared(tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.getbasetemp()
    shared.root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root
    # no test adds to the trail of the project, reads what a contributor has served, or deletes what
    # Spark has built
    os.environ["KERNEL29_AUDIT_DIR"] = str(tmp_path_factory.mktemp("audit"))
    os.environ["KERNEL29_SERVE_DIR"] = str(tmp_path_factory.mktemp("serve"))
    # what readers learn from the seeds is the same for all
    os.environ["KERNEL29_LEXICON_DIR"] = str(shared.root / "lexicons")
    os.environ["KERNEL29_LAKEHOUSE"] = str(tmp_path_factory.mktemp("lakehouse"))
    lakehouse.DEFAULT = os.environ["KERNEL29_LAKEHOUSE"]


@pytest.fixture(scope="session")
def groundwork() -> Groundwork:
    """Built once for all tests that build what stands on it, whichever process they run in."""
    folder = shared.once("groundwork", _build_groundwork)
    return Groundwork(folder / "build" / "kernel29.duckdb")


def _build_groundwork(folder: Path) -> None:
    """By the main job, which notes what each node was made of: what goes on from a copy builds only
    what its own folders and variables change."""
    select = ("--indirect-selection", "cautious", "--select", "path:seeds", *BELOW)
    done = project.forked(project.build_selected, select, Scratch.make(folder).environment)
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="session")
def shown(groundwork) -> tuple[Scratch, str]:
    """The scratch project after `kernel29 demo` on the groundwork, and what that printed."""
    folder = shared.once("demo", partial(_build_demo, groundwork))
    return Scratch.make(folder), (folder / "printed").read_text()


def _build_demo(groundwork, folder: Path) -> None:
    groundwork.copy_to(folder)
    done = project.forked(project.kernel29, ["demo"], Scratch.make(folder).environment)
    assert done.returncode == 0, done.stdout
    (folder / "printed").write_text(done.stdout)


def _build_live(demo: Scratch, folder: Path) -> None:
    copied(demo.warehouse, folder)
    # it misbehaves in every way it knows, the same way in every run
    with Loopback(answer=clinician, faults=at_random(FAULTS, retry_after="0")) as server:
        scratch = Scratch.make(folder, **addresses(server))
        code, output = scratch.build(*LIVE)
        assert code == 0, output
        (folder / "printed").write_text(output)
        (folder / "n_requests").write_text(str(server.total))


@pytest.fixture(scope="session")
def built(shown) -> tuple[Scratch, str]:
    """The scratch project after a live build that goes on from the demonstration, which every test
    leaves as it is, and what the build printed."""
    folder = shared.once("live", partial(_build_live, shown[0]))
    return Scratch.make(folder), (folder / "printed").read_text()
