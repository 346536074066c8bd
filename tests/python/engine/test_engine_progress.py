"""What is shown while a run asks, on a terminal and elsewhere."""

import sys
from decimal import Decimal

import pytest

from python_llm.engine.progress import LINE_SECONDS, RECENT_LINES, Progress
from python_llm.providers import Status


@pytest.fixture
def progress():
    """Two models: one has answered twice and failed once, the other has a request under way."""
    progress = Progress({"large": 3, "small": 10}, lambda: Decimal("0.5"), Decimal(2))
    for status in (Status.OK, Status.OK, Status.TIMEOUT):
        progress.answered("large", 1_000, Decimal("0.1"))
        progress.ended("large", status)
    return progress


def test_a_line_has_what_happened_to_every_model(progress, capsys):
    with progress.sending("small"):
        progress.line()
    assert capsys.readouterr().out == (
        "engine: 3 of 13 done (large 3, small 0), 1 failed (timeout 1), 1 in flight, "
        "3,000 tokens, $0.30; $0.50 of $2.00 spent in all, ready in 0:00\n"
    )
    progress.line()
    assert "0 in flight" in capsys.readouterr().out
    progress.close()
    assert "3 of 13 requests in 0:00" in capsys.readouterr().out


def test_the_end_tells_what_of_the_cost_is_assumed(progress, capsys):
    progress.answered("large", 0, Decimal("0.3"), is_known=False)
    progress.close()
    last = capsys.readouterr().out
    assert "($0.30 of it the worst case of attempts of unknown cost): 2 ok" in last


def test_the_time_that_is_left_follows_the_pace_of_late(progress, monkeypatch, capsys):
    now = progress._began
    monkeypatch.setattr("python_llm.engine.progress.time.monotonic", lambda: now)
    now += 300  # three in five minutes, while the server woke up
    progress.line()
    assert capsys.readouterr().out.endswith("ready in 16:40\n")
    for _ in range(RECENT_LINES):
        now += LINE_SECONDS
        progress.ended("small", Status.OK)
        progress.line()
    assert capsys.readouterr().out.endswith("ready in 0:40\n")
    for _ in range(RECENT_LINES):
        now += LINE_SECONDS
        progress.line()
    assert "ready in" not in capsys.readouterr().out.splitlines()[-1]


def test_a_terminal_has_a_bar_for_every_model(monkeypatch, capsys):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    progress = Progress({"large": 2, "s": 1}, lambda: Decimal("0.5"), Decimal(2))
    progress.answered("large", 1_000, Decimal("0.1"))
    progress.ended("large", Status.TIMEOUT)
    progress.ended("large", Status.OK)
    progress.line()
    progress.close()
    shown = capsys.readouterr().out
    assert "s    :   0%" in shown
    assert "large: 100%" in shown
    assert (
        "1 failed (timeout 1), 0 in flight, 1,000 tokens, $0.10; $0.50 of $2.00 spent in all"
        in shown
    )


def test_nothing_is_shown_unasked(capsys):
    progress = Progress({"a": 1}, lambda: Decimal(0), Decimal(1), shown=False)
    progress.ended("a", Status.OK)
    progress.line()
    progress.close()
    assert capsys.readouterr().out == ""
