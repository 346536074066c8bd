"""The figures of a paper. Each takes rows of the served tables and returns an SVG document."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from python_llm.report.paper.svg import (
    BAND,
    COLOURS,
    GREY,
    Drawing,
    Scale,
    shortened,
    wide,
    widest,
)

Row = Mapping[str, Any]
DEPTHS = (1, 3, 5, 10)
NAME_WIDTH = 250  # of the column of names, in pixels
RIGHT_WIDTH = 130  # of the column of numbers
TOP = 48
# Width of the kernel, in points of a score from 0 to 16: about a quarter of the step from one
# relation to the next.
BANDWIDTH = 0.7
CROWD = 500  # cases from which on points share a position
SEEN = 0.2  # pixels below which a band is no longer drawn
LARGEST = 26  # radius of a point of many cases, in pixels
LINE = 14  # height of a line of the name of a quadrant, in pixels
LABEL = 12 + 2 * LINE  # height that the name takes
# The words, in two lines, and the line of the report's plane (page.js). Both scores weight the
# ranks, so their sign does not say how many ranks are related: docs/specification.md#quadrants.
CORNERS = {
    (-1, 1): ("good semantics,", "severity far off"),
    (1, 1): ("good semantics,", "severity close"),
    (-1, -1): ("bad semantics,", "severity far off"),
    (1, -1): ("bad semantics,", "severity close"),
}
# The right diagnosis first, then four unrelated ones: docs/specification.md#worked-lists.
FIRST_ALONE = (16 / 3 / 8 - 1, "first diagnosis right, four unrelated")


def name_of(row: Row) -> str:
    """A configuration within its test set: model / prompt."""
    return f"{row['model_alias']} / {row['prompt_alias']}"


def distributions(
    title: str, scores: Mapping[str, Sequence[float]], means: Mapping[str, Row]
) -> str:
    """Violins with a point for each case; scores from 0 to 16 by configuration, in the order in
    which they are drawn; means: mean, low and high of each."""
    row_height = 64
    bottom = TOP + row_height * len(scores)
    drawing = Drawing(860, bottom + 48, title, "The width of a band is the density of cases.")
    scale = Scale(0, 16, NAME_WIDTH, 860 - RIGHT_WIDTH)
    _heading(drawing, title)
    drawing.text(860 - 8, TOP - 10, "mean (95 % interval)", "end", fill=GREY, font_size=11)
    drawing.axis_x(scale, range(0, 17, 2), (TOP, bottom), "score of a case, 0 (worst) to 16 (best)")
    grid = np.linspace(0, 16, 129)
    for number, (name, values) in enumerate(scores.items()):
        middle = TOP + row_height * (number + 0.5)
        density = _density(np.asarray(values, float), grid)
        half = 0.46 * row_height * density / max(density.max(), 1e-9)
        outline = [(scale(x), y) for x, y in zip(grid, half, strict=True) if y > SEEN]
        upper = [(x, middle - y) for x, y in outline]
        lower = [(x, middle + y) for x, y in outline]
        drawing.area([*upper, *reversed(lower)], fill="#c4d7e8", stroke=COLOURS[0])
        for x, offset in _swarm(values):
            drawing.mark(scale(x), middle + offset * 3.2, size=1.5, fill=COLOURS[0])
        _interval(drawing, scale, means[name], middle, COLOURS[1])
        _left(drawing, middle, name, f"{len(values)} cases")
        drawing.text(860 - 8, middle + 4, _words(means[name]), "end")
    return drawing.svg()


def _density(values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Gaussian kernel density, reflected at both ends of the scale (Silverman 1986, section 2.10),
    so that scores of 0 and 16 do not spread beyond it."""
    mirrored = np.concatenate([values, -values, 32 - values])
    distances = (grid[:, None] - mirrored[None, :]) / BANDWIDTH
    density: np.ndarray = np.exp(-0.5 * distances**2).sum(axis=1)
    return density


def _swarm(values: Sequence[float]) -> list[tuple[float, float]]:
    """(score, offset) of a point for each case; equal scores stand side by side, at most 17. Of
    many cases the points stand in steps of a quarter, each once: more could not be told apart."""
    is_crowd = len(values) > CROWD
    seen: Counter[float] = Counter()
    points: list[tuple[float, float]] = []
    for value in sorted(values):
        bin_ = round(value * 4) / 4
        order = seen[bin_] % 17
        x = bin_ if is_crowd else value
        points.append((x, (order + 1) // 2 * (1 if order % 2 else -1)))
        seen[bin_] += 1
    return list(dict.fromkeys(points))


def plane(title: str, rows: Sequence[Row]) -> str:
    """Aggregates of configurations, from -1 to 1: severity across, semantics up, with intervals.
    Rows without both are listed and not drawn."""
    height = max(560, 96 + 22 * len(rows))
    drawing = Drawing(880, height, title, "Severity across, semantics up; numbers name the points.")
    scale_x, scale_y = _quadrants(drawing, title, 512, 8)
    _corners(drawing, 512)
    marks: dict[int, tuple[float, float]] = {}
    for number, row in enumerate(rows, 1):
        colour = COLOURS[(number - 1) % len(COLOURS)]
        drawing.text(562, TOP + 22 * number, str(number), "end", fill=colour, font_weight="bold")
        drawing.text(570, TOP + 22 * number, shortened(name_of(row), 300))
        severity, semantics = (
            [row[f"{scale}_aggregate{end}"] for end in ("", "_low", "_high")]
            for scale in ("severity", "semantic")
        )
        if None in (severity[0], semantics[0]):
            continue
        x, y = marks[number] = scale_x(severity[0]), scale_y(semantics[0])
        if None not in severity:
            drawing.line((scale_x(severity[1]), y), (scale_x(severity[2]), y), stroke=colour)
        if None not in semantics:
            drawing.line((x, scale_y(semantics[1])), (x, scale_y(semantics[2])), stroke=colour)
        drawing.mark(x, y, size=4.5, fill=colour, stroke="#ffffff", label=name_of(row))
    for number, (x, y) in _apart(marks).items():
        colour = COLOURS[(number - 1) % len(COLOURS)]
        drawing.line(marks[number], (x, y), stroke=colour, stroke_width=0.7)
        drawing.mark(x, y, size=8, fill=colour)
        drawing.text(x, y + 3.5, str(number), "middle", fill="#ffffff", font_size=10)
    return drawing.svg()


def _apart(marks: Mapping[int, tuple[float, float]]) -> dict[int, tuple[float, float]]:
    """A position for the number of each mark: the nearest to it that covers no mark and no number
    before it, on rings around it."""
    taken: list[tuple[float, float]] = list(marks.values())
    labels: dict[int, tuple[float, float]] = {}
    for number, (x, y) in marks.items():
        rings = (
            (x + radius * math.cos(angle), y - radius * math.sin(angle))
            for radius in range(20, 400, 16)
            for angle in np.linspace(0.6, 0.6 + 2 * math.pi, 12, endpoint=False)
        )
        labels[number] = next(
            (point for point in rings if all(math.dist(point, other) > 17 for other in taken)),
            (x, y),
        )
        taken.append(labels[number])
    return labels


def cases(title: str, points: Sequence[tuple[float, float]]) -> str:
    """One configuration case by case: (severity, semantic) rescaled to -1 … 1; the area of a point
    is the number of cases there."""
    counts = Counter((1 if x > 0 else -1, 1 if y > 0 else -1) for x, y in points)
    drawing = Drawing(560, 560, title, "Each point is a case: severity across, semantics up.")
    together = Counter((round(x, 2), round(y, 2)) for x, y in points)
    most = max(together.values(), default=1) ** 0.5
    unit = min(3, LARGEST / most)
    scale_x, scale_y = _quadrants(drawing, title, 512, unit * most)
    for (x, y), count in sorted(together.items(), key=lambda item: -item[1]):
        drawing.mark(
            scale_x(x),
            scale_y(y),
            size=unit * count**0.5,
            label=f"{count} case{'' if count == 1 else 's'}",
            fill_opacity=0.62,
            stroke="#ffffff",
            stroke_width=0.6,
        )
    _corners(drawing, 512, counts)
    return drawing.svg()


def _quadrants(drawing: Drawing, title: str, end: float, radius: float) -> tuple[Scale, Scale]:
    """Both axes from -1 to 1 with their four quadrants; the scales across and up. Points of this
    radius stay within the frame and clear of the names of the quadrants."""
    high = radius + LABEL
    scale_x = Scale(-1, 1, 62 + radius, end - radius)
    scale_y = Scale(-1, 1, TOP + 448 - high, TOP + high)
    _heading(drawing, title)
    drawing.box(scale_x(0), TOP, end - scale_x(0), scale_y(0) - TOP)
    ticks = (-1, -0.5, 0, 0.5, 1)
    drawing.axis_x(scale_x, ticks, (TOP, TOP + 448), "severity, −1 to 1")
    drawing.axis_y(scale_y, ticks, (62, end), "semantics, −1 to 1")
    drawing.line((scale_x(0), TOP), (scale_x(0), TOP + 448), stroke=GREY)
    drawing.line((62, scale_y(0)), (end, scale_y(0)), stroke=GREY)
    height, words = scale_y(FIRST_ALONE[0]), FIRST_ALONE[1]
    drawing.line((62, height), (end, height), stroke=GREY, stroke_dasharray="2 3")
    drawing.text(68, height - 4, words, fill=GREY, font_size=11)
    return scale_x, scale_y


def _corners(
    drawing: Drawing, end: float, counts: Mapping[tuple[int, int], int] | None = None
) -> None:
    """The names of the quadrants, in the room that no point reaches, and the cases in each."""
    halo = {"stroke": "#ffffff", "stroke_width": 4, "paint_order": "stroke"}
    for (right, up), (first, second) in CORNERS.items():
        number = "" if counts is None else f": {counts.get((right, up), 0):,}"
        x, anchor = (end - 6, "end") if right > 0 else (68, "start")
        y = TOP + 15 if up > 0 else TOP + 436 - LINE
        drawing.text(x, y, first, anchor, fill=GREY, font_size=11, **halo)
        drawing.text(x, y + LINE, second + number, anchor, fill=GREY, font_size=11, **halo)


def accuracy(title: str, rows: Sequence[Row], kind: str) -> str:
    """Top-1, top-3, top-5 and top-10 of each configuration, in per cent with 95 % intervals; kind:
    strict, broad, or empty for a judge that knows no difference."""
    row_height = 62
    top = TOP + 20
    bottom = top + row_height * len(rows)
    drawing = Drawing(
        860, bottom + 48, title, "Share of cases with the gold diagnosis among the first k."
    )
    scale = Scale(0, 100, NAME_WIDTH, 860 - RIGHT_WIDTH)
    _heading(drawing, title)
    for number, depth in enumerate(DEPTHS):
        x = NAME_WIDTH + 90 * number
        drawing.mark(x, TOP, number, 4.5, fill=COLOURS[number])
        drawing.text(x + 10, TOP + 4, f"top-{depth}")
    matches = f" ({kind})" if kind else ""
    drawing.axis_x(
        scale, range(0, 101, 20), (top, bottom), f"gold diagnosis among the first k, %{matches}"
    )
    for number, row in enumerate(rows):
        middle = top + row_height * (number + 0.5)
        if number % 2:
            drawing.box(0, middle - row_height / 2, NAME_WIDTH - 4, row_height)
        _left(drawing, middle, name_of(row), f"{row['n_cases']} cases")
        for order, depth in enumerate(DEPTHS):
            metric = f"top{depth}_{kind or 'strict'}"
            value = {end: row[f"{metric}{end}"] for end in ("", "_low", "_high")}
            if value[""] is None:
                continue
            y = middle + 13 * (order - 1.5)
            share = {end: None if x is None else 100 * x for end, x in value.items()}
            _interval(drawing, scale, share, y, COLOURS[order], order)
            drawing.text(860 - 8, y + 4, _words(share, 0), "end", font_size=11)
    return drawing.svg()


def composition(title: str, rows: Sequence[Row]) -> str:
    """Shares of a test set's cases, in per cent: a block of bars for each dimension (chapters of
    ICD-10, severities …), the most frequent value first."""
    bar, gap = 22, 34
    blocks = [
        (name, list(members)) for name, members in groupby(rows, lambda row: row["dimension"])
    ]
    height = TOP + sum(gap + bar * len(members) for _, members in blocks) + 52
    drawing = Drawing(860, height, title, "Bars are shares of the cases, with their number.")
    left = 400
    highest = max((row["percent"] for row in rows), default=100)
    step = next(size for size in (5, 10, 20) if 5 * size >= highest or size == 20)
    ticks = range(0, min(100, int(highest // step + 1) * step) + 1, step)
    scale = Scale(0, ticks[-1], left, 860 - 80)
    _heading(drawing, title)
    drawing.axis_x(scale, ticks, (TOP, height - 48), "% of the cases")
    y = TOP
    for name, members in blocks:
        drawing.text(8, y + gap - 10, name, font_weight="bold")
        y += gap
        for row in members:
            named = f"{row['value']}: {row['title']}" if row["title"] else str(row["value"])
            drawing.text(left - 8, y + 14, shortened(named, left - 20, 11.5), "end", font_size=11.5)
            drawing.box(left, y + 3, scale(row["percent"]) - left, bar - 6, fill=COLOURS[0])
            words = f"{row['percent']:.1f} % ({row['n_cases']:,})"
            drawing.text(scale(row["percent"]) + 6, y + 14, words, font_size=11)
            y += bar
    return drawing.svg()


def changes(
    title: str, pairs: Sequence[str], columns: Sequence[str], cells: set[tuple[str, str]]
) -> str:
    """Which pairs of configurations change places, and where: a row for each pair, a column for
    each other way to rank, and a square in each of `cells` (pair, column)."""
    side, left = 18, 420
    # the heads stand at sixty degrees
    longest = max((wide(column, 11) for column in columns), default=0)
    head = min(210, 0.87 * longest + 16)
    width = left + side * len(columns) + 140
    height = TOP + head + side * len(pairs) + 30
    drawing = Drawing(
        max(width, 640), height, title, "A filled square: this ranking reverses the pair."
    )
    _heading(drawing, title)
    top = TOP + head
    for number, column in enumerate(columns):
        x = left + side * (number + 0.5) + 4
        turned = f"rotate(-60 {x:.1f} {top - 6:.1f})"
        drawing.text(x, top - 6, shortened(column, 240, 11), font_size=11, transform=turned)
    for order, pair in enumerate(pairs):
        y = top + side * order
        drawing.text(left - 8, y + 13, shortened(pair, left - 16, 11), "end", font_size=11)
        for number, column in enumerate(columns):
            changed = (pair, column) in cells
            drawing.box(
                left + side * number + 1,
                y + 1,
                side - 2,
                side - 2,
                fill=COLOURS[1] if changed else BAND,
            )
        count = sum((pair, column) in cells for column in columns)
        drawing.text(left + side * len(columns) + 8, y + 13, str(count), font_size=11)
    return drawing.svg()


def _heading(drawing: Drawing, title: str) -> None:
    """The title at the top; a picture that is narrower than it becomes as wide."""
    drawing.width = max(drawing.width, 16 + widest(title, 14))
    drawing.text(8, 22, title, font_size=14, font_weight="bold")


def _left(drawing: Drawing, y: float, name: str, below: str) -> None:
    drawing.text(NAME_WIDTH - 12, y, shortened(name, NAME_WIDTH - 16), "end")
    drawing.text(NAME_WIDTH - 12, y + 15, below, "end", fill=GREY, font_size=11)


def _interval(
    drawing: Drawing, scale: Scale, value: Row, y: float, colour: str, shape: int = 2
) -> None:
    """A value at its key "", with the line from "_low" to "_high" where both are known."""
    if value[""] is None:
        return
    if None not in (value["_low"], value["_high"]):
        ends = (scale(value["_low"]), y), (scale(value["_high"]), y)
        drawing.line(*ends, stroke=colour, stroke_width=2)
    drawing.mark(scale(value[""]), y, shape, 4.5, fill=colour, stroke="#ffffff", stroke_width=0.7)


def _words(value: Row, decimals: int = 1) -> str:
    if value[""] is None:
        return "–"
    text = f"{value['']:.1f}"
    if None in (value["_low"], value["_high"]):
        return text
    return f"{text} ({value['_low']:.{decimals}f} to {value['_high']:.{decimals}f})"
