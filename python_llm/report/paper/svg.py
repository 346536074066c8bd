"""Drawings as SVG text, made without a browser: shapes, words, axes.

Lengths are CSS pixels from the upper left corner. Words have a contrast of at least 7 to 1 on
white, and marks at least 4.5 to 1 (WCAG 2.2, criteria 1.4.6 and 1.4.11).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

INK, GREY, GRID, BAND = "#1d2733", "#4a5763", "#d5dce3", "#eef2f6"
COLOURS = ("#1f5f99", "#b3541e", "#0b6e4f", "#7a3b8f", "#a3264a", "#3d4fb0")
FONT = "font-family='Helvetica, Arial, sans-serif'"
CHARACTER = 0.56  # mean width of a letter of that font, in heights
WIDEST = 0.72  # of a bold letter of DejaVu Sans, which stands in where that font is missing


def wide(text: str, size: float = 12) -> float:
    """The width of a text, in pixels; an estimate."""
    return CHARACTER * size * len(text)


def widest(text: str, size: float) -> float:
    """The width of a bold text, in pixels, in the widest of the fonts that may draw it."""
    return WIDEST * size * len(text)


def shortened(text: str, width: float, size: float = 12) -> str:
    """The text, cut with an ellipsis where it is wider than `width` pixels."""
    fits = max(4, int(width / (CHARACTER * size)))
    return text if len(text) <= fits else f"{text[: fits - 1]}…"


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` onto pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


@dataclass
class Drawing:
    """A picture with a title and a description for those who cannot see it."""

    width: float
    height: float
    title: str
    description: str
    shapes: list[str] = field(default_factory=list)

    def line(self, start: tuple[float, float], end: tuple[float, float], **style: object) -> None:
        """A straight line; style: attributes such as stroke, stroke_width, stroke_dasharray."""
        ends = f"x1='{start[0]:.1f}' y1='{start[1]:.1f}' x2='{end[0]:.1f}' y2='{end[1]:.1f}'"
        self.shapes.append(f"<line {ends}{_attributes({'stroke': GREY, **style})}/>")

    def box(self, x: float, y: float, width: float, height: float, **style: object) -> None:
        """A rectangle by its upper left corner."""
        size = f"x='{x:.1f}' y='{y:.1f}' width='{width:.1f}' height='{height:.1f}'"
        self.shapes.append(f"<rect {size}{_attributes({'fill': BAND, **style})}/>")

    def mark(
        self, x: float, y: float, shape: int = 0, size: float = 4, label: str = "", **style: object
    ) -> None:
        """A circle, square, diamond or triangle (shape 0 to 3); label: what a pointer shows."""
        attributes = _attributes({"fill": COLOURS[0], **style})
        hint = f"<title>{escape(label)}</title>" if label else ""
        if shape == 0:
            self.shapes.append(
                f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{size:.1f}'{attributes}>{hint}</circle>"
            )
            return
        corners = {
            1: ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
            2: ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
            3: ((0, -1.2), (1.1, 0.9), (-1.1, 0.9)),
        }[shape]
        self.area([(x + size * right, y + size * down) for right, down in corners], hint, **style)

    def area(self, corners: Iterable[tuple[float, float]], hint: str = "", **style: object) -> None:
        """A filled polygon."""
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        attributes = _attributes({"fill": COLOURS[0], **style})
        self.shapes.append(f"<polygon points='{points}'{attributes}>{hint}</polygon>")

    def text(self, x: float, y: float, words: str, anchor: str = "start", **style: object) -> None:
        """Words on one line; anchor: start, middle or end of them is at x."""
        attributes = _attributes({"fill": INK, "font_size": 12, **style})
        self.shapes.append(
            f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'{attributes}>"
            f"{escape(words)}</text>"
        )

    def axis_x(
        self, scale: Scale, ticks: Sequence[float], y: tuple[float, float], name: str
    ) -> None:
        """Grid lines from y[0] down to y[1], their values and the name of the axis below."""
        for tick in ticks:
            self.line((scale(tick), y[0]), (scale(tick), y[1]), stroke=GRID)
            self.text(scale(tick), y[1] + 16, f"{tick:g}".replace("-", "−"), "middle", fill=GREY)
        self.text((scale.start + scale.end) / 2, y[1] + 36, name, "middle")

    def axis_y(
        self, scale: Scale, ticks: Sequence[float], x: tuple[float, float], name: str
    ) -> None:
        """Grid lines from x[0] to x[1], their values and the name of the axis on the left."""
        for tick in ticks:
            self.line((x[0], scale(tick)), (x[1], scale(tick)), stroke=GRID)
            self.text(x[0] - 6, scale(tick) + 4, f"{tick:g}".replace("-", "−"), "end", fill=GREY)
        middle = (scale.start + scale.end) / 2
        turned = f"rotate(-90 {x[0] - 38:.1f} {middle:.1f})"
        self.text(x[0] - 38, middle, name, "middle", transform=turned)

    def svg(self) -> str:
        """The picture as one SVG document."""
        head = (
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{self.width:.0f}' "
            f"height='{self.height:.0f}' viewBox='0 0 {self.width:.0f} {self.height:.0f}' "
            f"role='img' {FONT}>"
        )
        about = f"<title>{escape(self.title)}</title><desc>{escape(self.description)}</desc>"
        paper = "<rect width='100%' height='100%' fill='#ffffff'/>"
        return "\n".join([head, about, paper, *self.shapes, "</svg>", ""])


def _attributes(style: dict[str, object]) -> str:
    return "".join(
        f" {name.replace('_', '-')}='{escape(str(value))}'" for name, value in style.items()
    )
