"""Whether red cells or plasma that are ordered suit the blood group of the record (order_limits,
kind blood)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from python_llm.parsing.folding import without_accents
from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.record.conditions import names
from python_llm.recommendations.schema import Patient

_CLAUSE = re.compile(r"[;!?\n]|\.(?=\s|$)")
_DENIED = re.compile(r"\b(?:no|not|never|avoid|nunca|evitar|sin)\b", re.IGNORECASE)
# between a group and what it is said of: "group O fresh frozen plasma"
_AT_ONCE = re.compile(r"[\s-]*(?:fresh |frozen |packed |units? of |donor |washed )*", re.IGNORECASE)
_RED_CELLS, _RHESUS = "red_cells", "rh_d"


class Blood:
    """Finds blood of a group that the patient must not be given; pure functions of the seeds."""

    def __init__(self, knowledge: Knowledge) -> None:
        lexicon = knowledge.lexicon
        rows = [row for row in knowledge.tables["order_limits"] if row["kind"] == "blood"]
        self._products = {
            row["subject"].rpartition("_")[0]: re.compile(
                rf"\b(?:{'|'.join(without_accents(p) for p in names(row['phrases']))})\b", re.I
            )
            for row in rows
            if row["phrases"]
        }
        self._donors = {
            (row["subject"].rpartition("_")[0], row["record_phrases"]): (
                names(row["safe_with"]),
                row["against"],
            )
            for row in rows
            if row["subject"] != _RHESUS
        }
        rhesus = [row for row in rows if row["subject"] == _RHESUS]
        self._until_age = {row["against"]: float(row["high"]) for row in rhesus}
        group = without_accents(lexicon.alternatives("blood_group"))
        plus, minus = (lexicon.alternatives(f"rh_{sign}") for sign in ("positive", "negative"))
        sign = rf"[ ,]{{0,2}}(?:(?P<plus>{plus})|(?P<minus>{minus}))"
        # a letter stands for a group only behind the word, or before the sign
        self._told = re.compile(
            rf"\b(?i:{group})\W{{1,3}}(?i:(?:is|was|of|es) )?(?P<group>AB|A|B|O|0)(?![\w'])"
            rf"(?i:{sign})?"
        )
        # "blood group, tested twice this week: O positive"
        self._told_later = re.compile(
            rf"\b(?!(?i:types?)\b)(?i:{group})\b[^.;:!?\n]{{1,60}}(?::|\b(?:is|was|es|fue)\b)\s*"
            rf"(?P<group>AB|A|B|O|0)(?i:{sign})"
        )
        self._of_a_test = lexicon.pattern("not_a_blood_group")
        self._signed = re.compile(rf"\b(?P<group>AB|A|B|O|0)(?i:{sign})")

    def unknown(self, text: str, patient: Patient) -> Iterator[str]:
        """That the record tells no group with which an ordered one could be compared; group O suits
        whose group is not known."""
        ordered = [(p, g) for p, g, _ in self._ordered(text) if (p, g) != (_RED_CELLS, "O")]
        if ordered and self._of(patient) is None:
            yield f"the record has no blood group to compare group {ordered[0][1]} with"

    def problems(self, text: str, patient: Patient) -> Iterator[str]:
        """Why blood that a text orders does not suit the patient."""
        products = self._ordered(text)
        told = self._of(patient) if products else None
        for product, group, sign in products if told else []:
            own, own_sign = told or ("", "")
            donors, against = self._donors[product, own.lower()]
            if group.lower() not in donors:
                yield f"{against} (group {group} for a patient of group {own})"
            elif product == _RED_CELLS and own_sign == "-" and sign == "+":
                for reason, age in self._until_age.items():
                    if patient.sex != "male" and patient.age < age:
                        yield reason

    def _ordered(self, text: str) -> list[tuple[str, str, str]]:
        """Each product that a text orders with its group and sign."""
        plain = without_accents(text)
        return [order for clause in _CLAUSE.split(plain) for order in self._in(clause)]

    def _in(self, clause: str) -> Iterator[tuple[str, str, str]]:
        """Each group of a clause with its product: the one that follows at once ("group O plasma"),
        or the last before it ("plasma del grupo O"), or the next."""
        named = sorted(
            (match.start(), match.end(), product)
            for product, pattern in self._products.items()
            for match in pattern.finditer(clause)
            if not _DENIED.search(clause[: match.start()])
        )
        for start, end, group, sign in self._groups(clause, is_order=True) if named else ():
            before = [product for _, last, product in named if last <= start]
            behind = [(first, product) for first, _, product in named if first >= end]
            follows = bool(behind) and _AT_ONCE.fullmatch(clause[end : behind[0][0]])
            if follows or not before:
                yield (behind[0][1] if behind else named[-1][2]), group, sign
            else:
                yield before[-1], group, sign

    def _of(self, patient: Patient) -> tuple[str, str] | None:
        """The group and sign that a record tells; the last one, if it tells several."""
        record = [*patient.conditions, *patient.notes]
        told = [
            (group, sign)
            for text in record
            for clause in _CLAUSE.split(without_accents(text))
            for _, _, group, sign in self._groups(clause, is_order=False)
        ]
        return told[-1] if told else None

    def _groups(self, clause: str, *, is_order: bool) -> Iterator[tuple[int, int, str, str]]:
        """The groups of a clause, each with its place and sign. is_order: it names blood, so that a
        letter with a sign is one."""
        matches = list(self._told.finditer(clause)) or list(self._told_later.finditer(clause))
        if not matches and is_order:
            matches = list(self._signed.finditer(clause))
        # "O negative." by itself tells a group, unless it is the result of a test
        elif not matches and not self._of_a_test.search(clause):
            matches = [m for m in self._signed.finditer(clause) if _is_alone(clause, *m.span())]
        for match in matches:
            sign = "+" if match["plus"] else "-" if match["minus"] else ""
            yield *match.span(), match["group"].replace("0", "O"), sign


def _is_alone(clause: str, start: int, end: int) -> bool:
    """Whether nothing but commas stands beside a part of a clause."""
    before, behind = clause[:start].rstrip(), clause[end:].lstrip()
    return (not before or before.endswith(",")) and (not behind or behind[0] in ",)")
