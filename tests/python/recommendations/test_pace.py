"""Processor time as that of a machine of known speed."""

import pytest

from python_llm.recommendations.evaluation import pace


@pytest.mark.parametrize("slowness", [0.5, 1, 4])
def test_a_slower_processor_takes_as_long(monkeypatch, slowness):
    now = [0.0]

    def work(milliseconds):
        now[0] += milliseconds * slowness / 1e3

    monkeypatch.setattr(pace, "_piece", lambda: work(pace.REFERENCE_MS))
    monkeypatch.setattr(pace.time, "thread_time", lambda: now[0])
    timed = pace.Pace()
    began = timed.start()
    work(40)
    assert timed.since(began) == pytest.approx(40)


def test_one_interrupted_piece_does_not_count(monkeypatch):
    now, pieces = [0.0], iter([3.0, 90.0, 3.0])

    def piece():
        now[0] += next(pieces) / 1e3

    monkeypatch.setattr(pace, "_piece", piece)
    monkeypatch.setattr(pace.time, "thread_time", lambda: now[0])
    timed = pace.Pace()
    for _ in range(3):
        began = timed.start()
    now[0] += 0.025
    assert timed.since(began) == pytest.approx(25)
