"""How people write the labels of the two scales: one of the registry's, or a way that is known."""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from python_llm import seeds
from python_llm.errors import FileError
from python_llm.parsing.folding import name_key

REGISTRIES = {
    "semantic": ("semantic_relations.csv", "semantic_relation"),
    "severity": ("severity_levels.csv", "severity"),
}
SPELLINGS = "label_spellings.csv"
# how people and programs write that there is no label, as compared: -, NA, n/a
NO_LABEL = {"", "na", "n a", "nan", "null", "nil", "none", "n d", "s d", "sin dato", "missing"}
A_DOUBT = {"?", "¿", "？"}
A_NUMBER = re.compile(r"(\d+)(?:[.,]0+)?")


def is_doubted(written: str) -> bool:
    """Whether somebody marked a label as doubtful: 'yes?', '¿sí?', 'P2 (?)'."""
    return not A_DOUBT.isdisjoint(written)


def says_nothing(written: str) -> bool:
    """Whether a cell says that there is no label: nothing, a dash, N/A. A sign (✖, +) is none of
    these, though it has no letters, nor is a mark of a doubt."""
    has_sign = any(sign == "+" or unicodedata.category(sign) == "So" for sign in written)
    return name_key(written) in NO_LABEL and not has_sign and not is_doubted(written)


def _seed(name: str) -> list[dict[str, str]]:
    return seeds.read(f"seeds/experiments/{name}")


def registry(scale: str) -> list[str]:
    """The labels of a scale, in its order."""
    file, column = REGISTRIES[scale]
    return [row[column] for row in _seed(file) if row["is_label"] == "true"]


def spellings_of(meanings: Sequence[tuple[str, str]]) -> dict[str, dict[str, str]]:
    """Per scale: every way to write a label that is understood, and the label; `meanings` are more
    of them as pairs, with FileError for one that means no label."""
    spellings = {
        scale: {name_key(label): label for label in registry(scale)} for scale in REGISTRIES
    }
    for row in _seed(SPELLINGS):
        spellings[row["scale"]].setdefault(name_key(row["written"]), row["label"])
    for written, label in meanings:
        scales = [
            scale for scale in REGISTRIES if name_key(label) in map(name_key, registry(scale))
        ]
        if not scales:
            raise FileError(
                f"--label {written}={label}: '{label}' is not a label: use one of "
                f"{', '.join(registry('semantic') + registry('severity'))}."
            )
        for scale in scales:
            spellings[scale][name_key(written)] = spellings[scale][name_key(label)]
    return spellings


def resolve_label(written: str, spellings: Mapping[str, str]) -> str | None:
    """The label that is meant: as in `spellings`, with its number before or after it ('1 - Exact
    synonym'), a number with a decimal point, or its words run together ('ExactSynonym').
    A label that is marked as doubtful means none."""
    if is_doubted(written):
        return None
    number = A_NUMBER.fullmatch(written.strip())
    whole = number[1] if number else name_key(written)
    numbered = re.sub(r"^\d+ | \d+$", "", whole)
    together = name_key(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", written))
    return next(
        (spellings[form] for form in (whole, numbered, together) if form in spellings), None
    )
