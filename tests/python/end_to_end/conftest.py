"""One live build for all tests that only look at it."""

from functools import partial
from pathlib import Path

import pytest
import shared
from loopback import Loopback, at_random
from scratch import LIVE, Scratch, addresses, clinician

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


def _build_live(groundwork, folder: Path) -> None:
    groundwork.copy_to(folder)
    # it misbehaves in every way it knows, the same way in every run
    with Loopback(answer=clinician, faults=at_random(FAULTS, retry_after="0")) as server:
        scratch = Scratch.make(folder, **addresses(server))
        code, output = scratch.build(*LIVE, dbt=groundwork.exclude)
        assert code == 0, output
        (folder / "printed").write_text(output)
        (folder / "n_requests").write_text(str(server.total))


@pytest.fixture(scope="session")
def built(groundwork) -> tuple[Scratch, str]:
    """The scratch project after a live build of all that stands on the groundwork, which every test
    leaves as it is, and what the build printed."""
    folder = shared.once("live", partial(_build_live, groundwork))
    return Scratch.make(folder), (folder / "printed").read_text()


@pytest.fixture
def n_requests(built: tuple[Scratch, str]) -> int:
    """How many requests arrived at the provider of the live build."""
    return int((built[0].folder / "n_requests").read_text())
