"""The history of measurements: what is worse, and what the page says."""

import re

import pytest

from benchmarks import bench

FIGURES = [
    {"part": "Times", "figure": "Build", "unit": "s", "better": "less", "tolerance": "0.25",
     "command": "b", "measure": "wall", "peer": "Empty: 2 s"},
    {"part": "Others", "figure": "Answers", "unit": "per s", "better": "more", "tolerance": "0.25",
     "command": "a", "measure": r"(\d+)/s", "peer": ""},
]  # fmt: skip


def row(figure, value, machine="2 × Z", day=1):
    return {
        **{"measured_on": f"2026-01-{day:02}", "commit": "abc", "machine": machine},
        **{"python": "3.13.0", "figure": figure, "value": str(value)},
    }


HISTORY = [row("Build", value) for value in (50, 10, 11, 9, 10, 10)] + [row("Answers", 100)]


@pytest.mark.parametrize(
    ("figure", "value", "is_worse"),
    [
        *(("Build", 12.5, False), ("Build", 12.6, True), ("Build", 1, False)),
        *(("Answers", 80, False), ("Answers", 79, True), ("Answers", 900, False)),
    ],
)
def test_worse_is_beyond_the_tolerance_of_what_was_usual(figure, value, is_worse):
    lines = bench.regressions(FIGURES, HISTORY, [row(figure, value)])
    assert [line.startswith(f"worse: {figure}: {value:g}") for line in lines] == [True] * is_worse


def test_another_machine_is_not_compared():
    assert bench.regressions(FIGURES, HISTORY, [row("Build", 99, machine="64 × Y")]) == []


def test_the_page_has_each_figure_with_machine_day_and_peer():
    lines = bench.page(FIGURES, [*HISTORY, row("Build", 12, day=7)]).splitlines()
    where = "2026-01-07, 2 × Z, Python 3.13.0, abc"
    assert f"| Build | 12 s | 10 | 9 |  | Empty: 2 s | `b` | {where} |" in lines
    assert [line for line in lines if line.startswith("#")] == [
        *("# Measurements", "## Times", "## Others")
    ]


@pytest.mark.parametrize(("value", "mark"), [(12.5, ""), (12.6, "**worse**")])
def test_the_page_marks_a_regression(value, mark):
    page = bench.page(FIGURES, [*HISTORY, row("Build", value)])
    assert f"| {value} s | 10 | 9 | {mark} |" in page


def test_a_number_is_found_in_what_was_printed(tmp_path):
    ran = {"wall": 1.5, "cpu": 1.0, "peak": 2.0, "printed": "durable answers  2591/s  (target)"}
    assert bench.value_of("wall", ran, tmp_path) == 1.5
    assert bench.value_of(r"answers +(\d+)/s", ran, tmp_path) == 2591
    with pytest.raises(SystemExit, match=r"figures\.csv"):
        bench.value_of("nothing (.)", ran, tmp_path)


def test_a_command_is_told_the_scratch_folder(tmp_path):
    figure = {**FIGURES[1], "command": "echo DIR/made 7", "measure": rf"{tmp_path}/made (\d)"}
    (line,) = bench.measure([figure], tmp_path)
    assert (line["figure"], line["value"]) == ("Answers", "7")


def test_every_figure_has_a_part_and_a_pattern():
    figures = bench.read(bench.FIGURES)
    assert len({row["figure"] for row in figures}) == len(figures)
    for row in figures:
        assert row["part"]
        assert row["better"] in ("less", "more")
        assert float(row["tolerance"]) >= 0
        assert (
            row["measure"] in ("wall", "cpu", "peak", "served")
            or re.compile(row["measure"]).groups == 1
        )
