"""What becomes of a test whose program is not on this machine."""

import os
from typing import NoReturn

import pytest


def lacking(program: str, remedy: str) -> NoReturn:
    """Skip in one line; fail in continuous integration, where `.ci/run` installs everything."""
    reason = f"no {program} on this machine: {remedy}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
