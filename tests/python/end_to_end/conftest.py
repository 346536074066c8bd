"""What the tests of the main job ask about the live build."""

import pytest
from scratch import Scratch


@pytest.fixture
def n_requests(built: tuple[Scratch, str]) -> int:
    """How many requests arrived at the provider of the live build."""
    return int((built[0].folder / "n_requests").read_text())
