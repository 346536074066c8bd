"""The numbers and letters that Word writes before the paragraphs of its lists.

They are not in the text: a paragraph names a list and a level (ECMA-376, part 1, 17.9), and what
stands before it is counted. Lists of one definition count on, unless they say where they start; a
level begins anew below the next paragraph of a higher one.
"""

from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
LABEL = "label"  # attribute of a paragraph: what Word writes before it
N_LEVELS = 9
ROMAN = {1000: "m", 900: "cm", 500: "d", 400: "cd", 100: "c", 90: "xc", 50: "l", 40: "xl"} | {
    **{10: "x", 9: "ix", 5: "v", 4: "iv", 1: "i"}
}


class Level(NamedTuple):
    """A level of a list: where it starts, how it counts, and the text with %1 to %9 for counts."""

    start: int
    form: str
    text: str


class List(NamedTuple):
    """A list: the definition it counts with, its levels, and where it starts anew."""

    definition: str
    levels: dict[int, Level]
    starts: dict[int, int]


def label_paragraphs(
    body: ElementTree.Element, numbering: ElementTree.Element, styles: ElementTree.Element | None
) -> None:
    """Set LABEL at every paragraph of a document that is one of a list."""
    lists = dict(_lists(numbering))
    of_style = _of_styles(styles) if styles is not None else {}
    counts: dict[str, dict[int, int]] = {}
    begun: set[tuple[str, int]] = set()
    for paragraph in body.iter(f"{W}p"):
        number, depth = _list_of(paragraph, of_style)
        numbered = lists.get(number or "")
        if numbered is None or depth not in numbered.levels:
            continue
        count = counts.setdefault(numbered.definition, {})
        level = numbered.levels[depth]
        start = numbered.starts.get(depth, level.start)
        if depth in numbered.starts and (number or "", depth) not in begun:
            count.pop(depth, None)
        begun.add((number or "", depth))
        count[depth] = count[depth] + 1 if depth in count else start
        for deeper in range(depth + 1, N_LEVELS):
            count.pop(deeper, None)
        paragraph.set(LABEL, _label(level, numbered, count))


def _label(level: Level, numbered: List, count: dict[int, int]) -> str:
    if level.form == "bullet":
        return "- "
    label = level.text
    for depth, other in numbered.levels.items():
        label = label.replace(f"%{depth + 1}", _written(count.get(depth, other.start), other.form))
    return f"{label} " if label.strip() else ""


def _written(number: int, form: str) -> str:
    """A count as a level writes it: 3, c, C, iii or III."""
    if form in ("lowerLetter", "upperLetter") and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if form == "upperLetter" else letter
    if form in ("lowerRoman", "upperRoman"):
        written = ""
        for value, sign in ROMAN.items():
            written += sign * (number // value)
            number %= value
        return written.upper() if form == "upperRoman" else written
    return "" if form == "none" else str(number)


def _lists(numbering: ElementTree.Element) -> Iterator[tuple[str, List]]:
    definitions = {
        _value(item, "abstractNumId"): dict(map(_level, item.iter(f"{W}lvl")))
        for item in numbering.iter(f"{W}abstractNum")
    }
    for item in numbering.iter(f"{W}num"):
        definition = _child(item, "abstractNumId")
        starts = {}
        levels = dict(definitions.get(definition, {}))
        for override in item.iter(f"{W}lvlOverride"):
            if (start := _child(override, "startOverride")).isdecimal():
                starts[int(_value(override, "ilvl") or 0)] = int(start)
            levels |= dict(map(_level, override.iter(f"{W}lvl")))
        yield _value(item, "numId"), List(definition, levels, starts)


def _level(item: ElementTree.Element) -> tuple[int, Level]:
    start = _child(item, "start")
    form = _child(item, "numFmt") or "decimal"
    return int(_value(item, "ilvl") or 0), Level(
        int(start) if start.isdecimal() else 0, form, _child(item, "lvlText")
    )


def _list_of(
    paragraph: ElementTree.Element, of_style: dict[str, tuple[str | None, int]]
) -> tuple[str | None, int]:
    """The list and level of a paragraph, its own or those of its style."""
    style = paragraph.find(f"{W}pPr/{W}pStyle")
    number, depth = of_style.get("" if style is None else _value(style, "val"), (None, 0))
    own = paragraph.find(f"{W}pPr/{W}numPr")
    if own is not None:
        number = _child(own, "numId") or number
        level = _child(own, "ilvl")
        depth = int(level) if level.isdecimal() else depth
    return number, depth


def _of_styles(styles: ElementTree.Element) -> dict[str, tuple[str | None, int]]:
    """The list and level of each style that has one, its own or that of what it is based on."""
    named = {_value(item, "styleId"): item for item in styles.iter(f"{W}style")}
    of_style: dict[str, tuple[str | None, int]] = {}
    for name, item in named.items():
        seen: set[str] = set()
        current: ElementTree.Element | None = item
        while current is not None and _value(current, "styleId") not in seen:
            seen.add(_value(current, "styleId"))
            own = current.find(f"{W}pPr/{W}numPr")
            if own is not None and _child(own, "numId"):
                of_style[name] = (_child(own, "numId"), int(_child(own, "ilvl") or 0))
                break
            current = named.get(_child(current, "basedOn"))
    return of_style


def _value(item: ElementTree.Element, name: str) -> str:
    return item.get(f"{W}{name}", "")


def _child(item: ElementTree.Element, name: str) -> str:
    child = item.find(f"{W}{name}")
    return "" if child is None else _value(child, "val")
