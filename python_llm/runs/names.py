"""Patterns that say what the parts of a file's name are: '{model}_{prompt}'."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from python_llm.errors import FileError

FIELDS = ("model", "prompt", "test_set", "skip")
TOKEN = re.compile(r"\{([^{}:]*)(?::([^{}]*))?\}|(\*)|([^{}*]+)")
Fields = dict[str, str]


class Pattern:
    """Fixed text and fields: {model}, {prompt}, {test_set}; {skip} and * are passed over.

    {prompt:short|long} has one of these values. A slash in the pattern is a folder.
    """

    def __init__(self, written: str) -> None:
        self.written = written
        self.n_parts = written.count("/") + 1
        self._tokens: list[tuple[str, list[str] | None]] = []  # field or '', its values or the text
        at = 0
        for found in TOKEN.finditer(written):
            field, values, star, text = found.groups()
            if found.start() != at or (field is not None and field not in FIELDS):
                break
            at = found.end()
            if text is not None:
                self._tokens.append(("", [text]))
            else:
                self._tokens.append(("*" if star else field, values.split("|") if values else None))
        self.fields = {field for field, _ in self._tokens} - {"", "*", "skip"}
        if at != len(written) or not self.fields:
            raise FileError(
                f"--name '{written}' is no pattern: write the fixed text of the names with "
                "{model}, {prompt}, {test_set} and {skip} in it, as in '{model}_{prompt}'."
            )

    @cached_property
    def last_field(self) -> str:
        """The field at the end; '' if fixed text is."""
        return self._tokens[-1][0]

    def readings(self, name: str, without_last: bool = False) -> list[Fields]:
        """Every way to read a name, as field and value; `without_last`: the name ends before the
        last field and the punctuation before that."""
        tokens = self._tokens
        if without_last:
            tokens = tokens[:-1]
            if tokens and not tokens[-1][0]:
                text = re.sub(r"[\W_]+$", "", (tokens[-1][1] or [""])[0])
                tokens = [*tokens[:-1], *([("", [text])] if text else [])]
        found = _read(name, tokens) if tokens else ()
        return list({tuple(sorted(one.items())): one for one in found}.values())


def _read(name: str, tokens: list[tuple[str, list[str] | None]]) -> Iterator[Fields]:
    if not tokens:
        if not name:
            yield {}
        return
    (field, values), *others = tokens
    if values is not None:
        heads = [name[: len(one)] for one in values if name.casefold().startswith(one.casefold())]
    elif not others:
        heads = [name] if name or field == "*" else []
    else:
        heads = [name[:end] for end in range(0 if field == "*" else 1, len(name) + 1)]
    for head in heads:
        if "/" in head and field:
            continue  # a folder is no part of a name
        for rest in _read(name[len(head) :], others):
            is_named = field not in ("", "*", "skip")
            if is_named and rest.get(field, head) != head:
                continue
            yield {**rest, field: head} if is_named else rest


def read_name(name: str, pattern: Pattern, given: Mapping[str, str]) -> list[Fields]:
    """The ways to read a name; one that ends before its last field has what was `given` for it."""
    found = pattern.readings(name)
    last = pattern.last_field
    if not found and given.get(last):
        found = [{**one, last: given[last]} for one in pattern.readings(name, without_last=True)]
    return found


def ambiguous(name: str, pattern: Pattern, found: list[Fields]) -> FileError:
    """What to say of a name that can be read in several ways."""
    ways = " or ".join(
        ", ".join(f"{field} '{value}'" for field, value in sorted(one.items())) for one in found[:2]
    )
    field = "prompt" if "prompt" in pattern.fields else sorted(pattern.fields)[0]
    written = pattern.written.replace(f"{{{field}}}", f"{{{field}:{found[-1][field]}}}", 1)
    return FileError(
        f"'{name}' can be read by '{pattern.written}' as {ways}: write what is fixed into the "
        f"pattern, or the values a part can have, separated by |, as in '{written}'."
    )
