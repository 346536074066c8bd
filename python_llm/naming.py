"""Names of files and folders read by a pattern: '{model}_{prompt}' says what each part is."""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from python_llm.errors import FileError

FIELDS = ("model", "prompt", "test_set", "rater")
A_FIELD = re.compile(r"\{([^{}]*)\}")
A_VALUE = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)  # the joints of a name are in no value


def check_pattern(pattern: str) -> None:
    """Raise FileError for a pattern that names no field, an unknown one or one twice, or has two
    fields with nothing between them."""
    fields = A_FIELD.findall(pattern)
    wrong = [field for field in fields if field not in FIELDS]
    if wrong or not fields or set("{}") & set(A_FIELD.sub("", pattern)):
        raise FileError(
            f"--name '{pattern}': write the parts of a name as "
            f"{', '.join(f'{{{field}}}' for field in FIELDS)}, and what is the same in all names "
            "as it is, as in '{model}_{prompt}'."
        )
    if len(set(fields)) < len(fields) or "}{" in pattern:
        raise FileError(
            f"--name '{pattern}': name each part once, with a letter or sign between two of them."
        )


def name_of(path: Path) -> str:
    """What a pattern is read against: the name of a folder, of a file the name without suffix."""
    return path.name if path.is_dir() else path.stem


def fields_of(
    name: str, pattern: str, known: Mapping[str, Collection[str]] | None = None
) -> dict[str, str]:
    """The fields that `name` has by `pattern`, all of whose literal parts it must have.

    `known` has the values a field can have, where they are known: of several readings those
    count whose fields are among them. FileError for a name that does not fit, and for one that
    can still be read in more than one way, with two of them and how to tell them apart.
    """
    check_pattern(pattern)
    found = list(_readings(name, A_FIELD.split(pattern)))
    if not found:
        raise FileError(f"'{name}' is not named as in --name '{pattern}'.")
    for field, values in (known or {}).items():
        found = [one for one in found if one.get(field, "") in values] or found
    if len(found) > 1:
        one, other = (
            " and ".join(f"{field} '{value}'" for field, value in reading.items())
            for reading in (found[0], found[-1])
        )
        field, value = next(
            (field, value) for field, value in found[0].items() if value != found[-1][field]
        )
        instead = f"'{pattern.replace(f'{{{field}}}', value)}' --{field.replace('_', '-')} {value}"
        raise FileError(
            f"'{name}' can be read by --name '{pattern}' as {one}, or as {other}: write out the "
            f"part that is the same in all names, as in --name {instead}."
        )
    return found[0]


def _readings(name: str, parts: list[str]) -> Iterator[dict[str, str]]:
    """Every way to read `name` as `parts`, which are literal, field, literal, field, …, literal."""
    literal, *rest = parts
    if not name.startswith(literal):
        return
    name = name.removeprefix(literal)
    if not rest:
        if not name:
            yield {}
        return
    field, following = rest[0], rest[1:]
    for end in range(1, len(name) + 1):
        value = name[:end]
        if A_VALUE.fullmatch(value):
            for reading in _readings(name[end:], following):
                yield {field: value, **reading}
