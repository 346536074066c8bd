"""One live build for all tests that only look at it; it takes as long as the rest together."""

from collections.abc import Iterator
from pathlib import Path

import pytest
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


@pytest.fixture(scope="session")
def provider() -> Iterator[Loopback]:
    """A provider that misbehaves in every way it knows, the same way in every run."""
    with Loopback(answer=clinician, faults=at_random(FAULTS, retry_after="0")) as server:
        yield server


@pytest.fixture(scope="session")
def built(provider: Loopback, tmp_path_factory: pytest.TempPathFactory) -> tuple[Scratch, str]:
    """The scratch project after a whole live build, and what the build printed."""
    folder: Path = tmp_path_factory.mktemp("live")
    scratch = Scratch.make(folder, **addresses(provider))
    code, output = scratch.build(*LIVE)
    assert code == 0, output
    return scratch, output
