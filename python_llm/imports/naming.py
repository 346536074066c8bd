"""Names of files and folders read by a pattern: '{model}_{prompt}' says what each part is.

`{skip}` and `*` are passed over, `{prompt:short|long}` has one of these values, and a slash is a
folder.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from python_llm.errors import FileError

FIELDS = ("model", "prompt", "test_set", "rater")
SKIPPED = ("skip", "*")
A_FIELD = re.compile(r"\{([^{}]*)\}")
A_VALUE = re.compile(r"[^\W_](?:[^/]*[^\W_])?")  # the joints of a name are in no value


def check_pattern(pattern: str) -> None:
    """Raise FileError for a pattern that names no field, an unknown one or one twice, or has two
    fields with nothing between them."""
    parts = _parts(pattern)
    fields = [field for field in _fields(pattern) if field not in SKIPPED]
    wrong = [field for field in fields if field not in FIELDS]
    if wrong or not fields or set("{}") & set("".join(parts[::2])):
        raise FileError(
            f"--name '{pattern}': write the parts of a name as "
            f"{', '.join(f'{{{field}}}' for field in FIELDS)}, and what is the same in all names "
            "as it is, as in '{model}_{prompt}'."
        )
    if len(set(fields)) < len(fields) or "" in parts[2:-1:2]:
        raise FileError(
            f"--name '{pattern}': name each part once, with a letter or sign between two of them."
        )


def name_of(path: Path) -> str:
    """What a pattern is read against: the name of a folder, of a file the name without suffix."""
    return path.name if path.is_dir() else path.stem


def path_of(path: Path, root: Path, pattern: str) -> str:
    """The name of something below a folder, with as many folders as the pattern has slashes."""
    folders = path.relative_to(root).parts[:-1] if path != root else ()
    return "/".join((*folders, name_of(path))[-pattern.count("/") - 1 :])


def fields_of(
    name: str, pattern: str, known: Mapping[str, Collection[str]] | None = None
) -> dict[str, str]:
    """The fields that `name` has by `pattern`, all of whose literal parts it must have.

    `known` has the values a field can have, where they are known: of several readings those
    count whose fields are among them. FileError for a name that does not fit, and for one that
    can still be read in more than one way, with two of them and how to tell them apart.
    """
    check_pattern(pattern)
    ways = readings(name, pattern)
    if not ways:
        raise FileError(f"'{name}' is not named as in --name '{pattern}'.")
    return only(name, pattern, among(ways, known or {}))


def readings(
    name: str, pattern: str, otherwise: Mapping[str, str] | None = None
) -> list[dict[str, str]]:
    """Every way to read `name`, none if it does not fit.

    `otherwise` has the value of the pattern's last field for names that end before it.
    """
    parts = _parts(pattern)
    all_readings = list(_readings(name, parts))
    last = _fields(pattern)[-1] if not parts[-1] else ""
    if not all_readings and otherwise and otherwise.get(last):
        shorter = [*parts[:-3], re.sub(r"[\W_]+$", "", parts[-3])]
        all_readings = [{**fields, last: otherwise[last]} for fields in _readings(name, shorter)]
    return list({tuple(fields.items()): fields for fields in all_readings}.values())


def among(ways: list[dict[str, str]], known: Mapping[str, Collection[str]]) -> list[dict[str, str]]:
    """Of several readings those with values that are known, if there are any."""
    for field, values in known.items():
        ways = [reading for reading in ways if reading.get(field, "") in values] or ways
    return ways


def only(name: str, pattern: str, readings: list[dict[str, str]]) -> dict[str, str]:
    """The one reading. Raises FileError for several, with two of them and how to tell them
    apart."""
    if len(readings) > 1:
        first, other = (
            " and ".join(f"{field} '{value}'" for field, value in reading.items())
            for reading in (readings[0], readings[-1])
        )
        field, value = next(
            (field, value) for field, value in readings[0].items() if value != readings[-1][field]
        )
        instead = f"'{pattern.replace(f'{{{field}}}', value)}' --{field.replace('_', '-')} {value}"
        raise FileError(
            f"'{name}' can be read by --name '{pattern}' as {first}, or as {other}: write out the "
            f"part that is the same in all names, as in --name {instead}, or the values it can "
            f"have, as in {{{field}:{value}|{readings[-1][field]}}}."
        )
    return readings[0]


def _parts(pattern: str) -> list[str]:
    """Literal, field, literal, field, …, literal."""
    return A_FIELD.split(pattern.replace("*", "{*}"))


def _fields(pattern: str) -> list[str]:
    return [field.partition(":")[0] for field in _parts(pattern)[1::2]]


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
    (field, _, values), following = rest[0].partition(":"), rest[1:]
    for end in range(0 if field == "*" else 1, len(name) + 1):
        value = name[:end]
        if field in SKIPPED:
            yield from _readings(name[end:], following)
        elif value in values.split("|") if values else A_VALUE.fullmatch(value):
            for reading in _readings(name[end:], following):
                yield {field: value, **reading}
