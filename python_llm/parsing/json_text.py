"""JSON values in text that a model wrote, which may be anything: never an exception; and in files
that people bring, where what JSON would lose in silence is told.
"""

import json
import math
import re
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

# from each of so many places the text was nested a thousand deep: a model that never stopped
MOST_TOO_DEEP = 20

_ENDLESS = re.compile(r"Infinity|\d[eE]\+?\d{3}|\d{309}")


def _with_all(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a model; of a key that it has several times all values that differ, as a list,
    where JSON would keep the last: {"diagnosis": "A", "diagnosis": "B"}."""
    whole = dict(pairs)
    if len(whole) < len(pairs):
        for key in whole:
            values = [value for name, value in pairs if name == key]
            differing = [value for n, value in enumerate(values) if value not in values[:n]]
            whole[key] = differing[0] if len(differing) == 1 else differing
    return whole


# line breaks inside a text are forgiven
_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_with_all)


class Repeated(dict[str, Any]):
    """An object that has a key twice, of which JSON takes the last; `key` is the first such."""

    key = ""


class StrangersDecoder(json.JSONDecoder):
    """Reads as JSON does, and remembers whether an object had a key twice (Repeated)."""

    def __init__(self) -> None:
        super().__init__(object_pairs_hook=self._object)
        self.has_repeated = False

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        whole = dict(pairs)
        if len(whole) == len(pairs):
            return whole
        self.has_repeated = True
        repeated = Repeated(whole)
        repeated.key = next(k for n, (k, _) in enumerate(pairs) if k in dict(pairs[:n]))
        return repeated


def repeated_in(text: str) -> str | None:
    """Why a cell that is JSON is not taken: an object in it has a key twice. None for any other."""
    if text[:1] not in ("{", "["):
        return None
    decoder = StrangersDecoder()
    try:
        value = decoder.decode(text)
    except (ValueError, RecursionError):
        return None
    return flaw_of(value) if decoder.has_repeated else None


def has_endless(text: str) -> bool:
    """Whether a text of JSON may have a number without end."""
    return _ENDLESS.search(text) is not None


def flaw_of(value: Any) -> str | None:
    """Why a value of a file is not taken: a key of an object twice, or a number without end, at any
    depth. NaN is what programs write for nothing, and is nothing."""
    left = [value]
    while left:
        match left.pop():
            case Repeated() as fields:
                return f"the key '{fields.key[:40]}' is there twice: rename one, or leave it out"
            case dict() as fields:
                left.extend(fields.values())
            case list() as items:
                left.extend(items)
            case float() as number if math.isinf(number):
                return "a number without end (Infinity, or above 1.8e308): write the number"
    return None


def value_at(text: str, start: int = 0) -> tuple[Any, int] | None:
    """The JSON value that begins at `start`, and where it ends; None if none begins there.

    What is nested too deeply is not a value, nor is a number of more digits than Python reads. Half
    a character (an emoji that was cut in two, as \\ud83d) is U+FFFD: no table could store it.
    """
    try:
        return _value_at(text, start)
    except (ValueError, RecursionError):
        return None


def _value_at(text: str, start: int) -> tuple[Any, int]:
    value, end = _DECODER.raw_decode(text, start)
    is_half = "\\ud" in text[start:end].lower()
    return (mended(value) if is_half else value), end


def last_read(text: str, opening: str, read: Callable[[Any], T | None]) -> T | None:
    """What `read` makes of the last JSON value in `text` that it makes something of, or None.

    `opening` has the characters a value may begin with. A value that `read` makes nothing of may
    hold one that it does. The last one counts, because who thinks aloud writes drafts first.
    """
    opens = re.compile(f"[{re.escape(opening)}]")
    last: T | None = None
    n_too_deep, at = 0, opens.search(text)
    while at and n_too_deep < MOST_TOO_DEEP:
        end = at.start() + 1
        try:
            value, stop = _value_at(text, at.start())
            if (reading := read(value)) is not None:
                last, end = reading, stop
        except RecursionError:
            n_too_deep += 1
        except ValueError:
            pass  # not JSON from here; pydantic's errors are ValueErrors too
        at = opens.search(text, end)
    return last


def whole_value(text: str) -> Any | None:
    """The JSON value that the text is, white space around it aside; None if it is none, or null."""
    text = text.strip()
    decoded = value_at(text)
    return decoded[0] if decoded and decoded[1] == len(text) else None


def mended(value: Any) -> Any:
    """The same value with U+FFFD for every half of a character in its texts, and lists for the
    tuples of Python."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, (list, tuple)):
        return [mended(item) for item in value]
    if isinstance(value, dict):
        return {mended(key): mended(item) for key, item in value.items()}
    return value
