"""Draws which table is made of which, a picture per domain, from what dbt has parsed.

A picture has the models of a domain, or of a folder of a large domain, and what they read directly.
Columns are steps: every arrow leads to the right. The page is HTML with SVG, without a script; it
is wider than a phone and scrolls, and every box links to the table in docs.html.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import PurePosixPath
from typing import Any

LARGE = 45  # models; a domain with more has a picture per folder
WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 230, 26, 44, 10, 12  # of boxes and between them, in pixels
LONG = 32  # characters that fit into a box; a longer name is set narrower, never cut
ROUNDS = 4  # of ordering by neighbours: more change little
COLOURS = {
    "seed": "#dcebd9",
    "source": "#e6e6e6",
    "staging": "#f6e7c8",
    "intermediate": "#d9e6f2",
    "marts": "#cfe0b8",
    "elsewhere": "#ffffff",
}
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Lineage of Kernel29</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 1rem; max-width: 100%; color: #222; }}
.picture {{ overflow-x: auto; border: 1px solid #ddd; margin: .5rem 0 2rem; }}
svg text {{ font: 12px system-ui, sans-serif; }}
nav a {{ display: inline-block; margin: 0 1rem .4rem 0; }}
i {{ border: 1px solid #999; padding: 0 .4rem; font-style: normal; white-space: nowrap; }}
</style></head><body>
<h1>Which table is made of which</h1>
<p>Every arrow leads from what is read to what is made of it. {legend}
Open a box to read about the table; a wide picture scrolls in its frame.
<a href="docs.html">All tables</a></p>
<nav>{links}</nav>
{pictures}
</body></html>
"""


@dataclass(frozen=True)
class Box:
    """A table in a picture: its id, name, colour, and column and row from the top left."""

    key: str
    name: str
    kind: str
    column: int
    row: int

    @property
    def x(self) -> int:
        return MARGIN + self.column * (WIDTH + GAP_X)

    @property
    def y(self) -> int:
        return MARGIN + self.row * (HEIGHT + GAP_Y)


class Lineage:
    """The models, seeds and sources of a manifest, and what reads what."""

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        kinds = ("model", "seed")
        self.nodes: dict[str, Mapping[str, Any]] = {
            key: node
            for key, node in {**manifest["nodes"], **manifest["sources"]}.items()
            if node["resource_type"] in (*kinds, "source")
        }
        self.parents = {
            key: [
                table
                for table in node.get("depends_on", {}).get("nodes", [])
                if table in self.nodes
            ]
            for key, node in self.nodes.items()
        }

    def pictures(self) -> dict[str, list[str]]:
        """The models of each picture by its title: a domain, or a folder of a large one."""
        domains: dict[str, list[str]] = defaultdict(list)
        for key, node in self.nodes.items():
            if node["resource_type"] == "model":
                domains[PurePosixPath(node["original_file_path"]).parts[2]].append(key)
        titled: dict[str, list[str]] = {}
        for domain, keys in sorted(domains.items()):
            if len(keys) <= LARGE:
                titled[domain] = keys
                continue
            for key in keys:
                folders = PurePosixPath(self.nodes[key]["original_file_path"]).parts[3:-1]
                titled.setdefault("/".join((domain, *folders)), []).append(key)
        return dict(sorted(titled.items()))

    def boxes(self, models: Iterable[str]) -> dict[str, Box]:
        """Where each model and what it reads stands: as far right as what it reads demands."""
        own = set(models)
        shown = own | {parent for key in own for parent in self.parents[key]}
        columns: dict[str, int] = {}

        def column(key: str) -> int:
            if key not in columns:
                parents = (
                    [table for table in self.parents[key] if table in shown] if key in own else []
                )
                columns[key] = max((column(table) + 1 for table in parents), default=0)
            return columns[key]

        for key in shown:
            column(key)
        children: dict[str, list[str]] = defaultdict(list)
        for key in own:
            for parent in self.parents[key]:
                children[parent].append(key)
        for key in shown - own:  # beside the first that reads it, not at the far left
            columns[key] = min(columns[child] for child in children[key]) - 1
        rows = self._rows(columns, children)
        return {
            key: Box(key, self.nodes[key]["name"], self._kind(key, own), columns[key], rows[key])
            for key in sorted(shown)
        }

    def _rows(
        self, columns: Mapping[str, int], children: Mapping[str, list[str]]
    ) -> dict[str, int]:
        """The row of each box in its column, near those it is joined to."""
        by_column: dict[int, list[str]] = defaultdict(list)
        for key in sorted(columns, key=lambda table: self.nodes[table]["name"]):
            by_column[columns[key]].append(key)
        rows = {key: row for keys in by_column.values() for row, key in enumerate(keys)}
        for _ in range(ROUNDS):
            for number in sorted(by_column):
                middles = {}
                for key in by_column[number]:
                    near = [
                        table for table in (*self.parents[key], *children[key]) if table in rows
                    ]
                    middles[key] = (
                        sum(rows[table] for table in near) / len(near) if near else rows[key]
                    )
                by_column[number].sort(key=lambda table: (middles[table], table))
                rows |= {key: row for row, key in enumerate(by_column[number])}
        return rows

    def _kind(self, key: str, own: set[str]) -> str:
        node = self.nodes[key]
        if node["resource_type"] != "model":
            return str(node["resource_type"])
        if key not in own:
            return "elsewhere"
        return PurePosixPath(node["original_file_path"]).parts[1]

    def svg(self, title: str, models: Iterable[str]) -> str:
        """One picture."""
        boxes = self.boxes(models)
        own = {key for key, box in boxes.items() if box.kind not in ("seed", "source", "elsewhere")}
        width = max(box.x for box in boxes.values()) + WIDTH + MARGIN
        height = max(box.y for box in boxes.values()) + HEIGHT + MARGIN
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img"><title>Lineage of {escape(title)}</title>'
        ]
        for key in sorted(own):
            parts += [
                _arrow(boxes[table], boxes[key]) for table in self.parents[key] if table in boxes
            ]
        parts += [_box(box) for box in boxes.values()]
        return "\n".join([*parts, "</svg>"])


def page(manifest: Mapping[str, Any]) -> str:
    """All pictures on one page."""
    lineage = Lineage(manifest)
    pictures = lineage.pictures()
    legend = " ".join(f'<i style="background: {tint}">{name}</i>' for name, tint in COLOURS.items())
    return PAGE.format(
        legend=legend,
        links=" ".join(f'<a href="#{escape(title)}">{escape(title)}</a> ' for title in pictures),
        pictures="\n".join(
            f'<h2 id="{escape(title)}">{escape(title)}</h2>\n'
            f'<div class="picture" tabindex="0" role="region" aria-label="{escape(title)}">'
            f"{lineage.svg(title, models)}</div>"
            for title, models in pictures.items()
        ),
    )


def _arrow(start: Box, end: Box) -> str:
    x1, y1, x2, y2 = start.x + WIDTH, start.y + HEIGHT // 2, end.x, end.y + HEIGHT // 2
    bend = GAP_X // 2
    return (
        f'<path d="M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}" fill="none" '
        f'stroke="#999"/><path d="M{x2 - 6} {y2 - 3} L{x2} {y2} L{x2 - 6} {y2 + 3}" '
        'fill="none" stroke="#666"/>'
    )


def _box(box: Box) -> str:
    kind = box.key.split(".")[0]
    narrower = f' textLength="{WIDTH - 16}" lengthAdjust="spacingAndGlyphs"'
    return (
        f'<a href="docs.html#!/{kind}/{escape(box.key)}"><title>{escape(box.name)}</title>'
        f'<rect x="{box.x}" y="{box.y}" width="{WIDTH}" height="{HEIGHT}" rx="4" '
        f'fill="{COLOURS[box.kind]}" stroke="#888"/>'
        f'<text x="{box.x + 8}" y="{box.y + 17}"{narrower if len(box.name) > LONG else ""}>'
        f"{escape(box.name)}</text></a>"
    )
