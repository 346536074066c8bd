"""The gold diagnosis of a record: as written, in doubt, and as names and codes."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from python_llm.imports import certainty, principal
from python_llm.imports.cells import as_written, texts
from python_llm.imports.certainty import PROBLEMS
from python_llm.imports.certainty_words import Certainty
from python_llm.test_sets.golds import (
    is_no_gold,
    lettered_code,
    numbered,
    problem_of,
    problem_of_code,
    problem_of_judgement,
    read_codes,
    read_gold,
    with_vocabulary,
    without_additions,
    without_codes,
)
from python_llm.test_sets.reading import GOLD_FIELDS
from python_llm.test_sets.stated import SENTENCE, is_sentence, name_in


def in_form(record: dict[str, Any], by_column: Iterable[tuple[str, Any]]) -> list[str]:
    """The texts of columns of gold diagnoses, without those that are not valid codes of their
    column's vocabulary; the record says why."""
    kept = []
    for column, items in by_column:
        for written in items or []:
            item = with_vocabulary(column, name := name_in(written))
            problem = None if is_no_gold(item) else problem_of_code(column, item)
            if is_sentence(item):
                problem = SENTENCE
            if name != written:
                record["is_stated"] = True
            if problem:
                record["gold_problem"] = problem
            else:
                kept.append(item)
    return kept


def problem_beside(
    folded: Mapping[str, Any], how: Iterable[tuple[str, certainty.Says]]
) -> str | None:
    """Why the diagnosis of a row is none, by the columns that say how certain it is or that the row
    was rejected."""
    for column, says in how:
        how_certain = says(as_written(folded.get(column)))
        if how_certain in PROBLEMS:
            return PROBLEMS[how_certain].format(column)
    return None


def undoubted(record: dict[str, Any], problem_beside: str | None = None) -> dict[str, Any]:
    """A record without its gold diagnosis if that is in doubt, by itself or by what stands beside
    it; its codes stand for the same."""
    names = [name for name in record.get("gold_names") or [] if not is_no_gold(name)]
    problem = next(filter(None, map(problem_of, names)), None)
    judgement = record.get("judgement")
    if not names and judgement and not is_no_gold(judgement):
        problem = problem_of_judgement(judgement)
    record, problem_of_letter = _without_letters(record)
    if any(record.get(name) for name in GOLD_FIELDS[:-1]):
        problem = problem or problem_beside or problem_of_letter
    if not problem:
        return record
    nothing = dict.fromkeys((*GOLD_FIELDS, "gold_written"))
    return {**record, **nothing, "gold_problem": problem}


def _without_letters(record: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    """A record whose ICD-10 codes are without the letters of ICD-10-GM behind them, and why it has
    no gold diagnosis if none of them is G: 'G70.0 V' is suspected."""
    codes = [*(record.get("gold_codes") or []), record.get("icd10_code")]
    lettered = {code: known for code in codes if code and (known := lettered_code(code))}
    if not lettered:
        return record, None
    how_certain = [(code, certainty.of_letter(letter)) for code, (_, letter) in lettered.items()]
    problem = next(
        (PROBLEMS[how].format(code) for code, how in how_certain if how in PROBLEMS), None
    )
    assured = {code for code, how in how_certain if how is Certainty.CERTAIN}
    if assured and record.get("gold_codes"):
        problem = None
    kept = [
        lettered[code][0] if code in lettered else code
        for code in record.get("gold_codes") or []
        if code not in lettered or code in assured
    ]
    single = record.get("icd10_code")
    if single in lettered:
        single = lettered[single][0]
    return {**record, "gold_codes": kept or None, "icd10_code": single}, problem


def without_empty_golds(record: dict[str, Any]) -> dict[str, Any]:
    """A record without the texts that state that there is no gold diagnosis."""
    lists = ("gold_names", "gold_codes")
    kept = {
        field: [text for text in record[field] if not is_no_gold(text)] or None
        for field in lists
        if record.get(field)
    }
    nothing = {
        field: None
        for field in ("judgement", "icd10_code", "gold_written")
        if record.get(field) and is_no_gold(record[field])
    }
    return {**record, **kept, **nothing}


def several_names(record: Mapping[str, Any]) -> list[str]:
    """The names of a gold diagnosis, those between bars, semicolons and pluses apart."""
    written = record.get("gold_names") or [record.get("judgement") or ""]
    parts = (part.strip() for name in written for part in re.split(r"[|;\n]|\s\+\s", name))
    return list(dict.fromkeys(filter(None, parts)))


def gold_of(record: dict[str, Any]) -> dict[str, Any]:
    """The gold diagnosis of a record as written, and as names and codes
    (docs/specification.md#gold-diagnosis)."""
    names, codes = record.get("gold_names") or [], record.get("gold_codes") or []
    judgement, icd10_code = record.get("judgement"), record.get("icd10_code")
    written = record.get("gold_written") or " / ".join(
        names or ([judgement] if judgement else codes or ([icd10_code] if icd10_code else []))
    )
    if not written:
        return {}
    taken = _gold_as_written(record)
    gold = read_gold(
        taken.get("gold_names", names), are_alternatives=record.get("gold_written") is not None
    )
    own_codes, own_icd10 = read_codes(codes)
    wording, in_wording, icd10_in_wording = without_codes(taken.get("judgement", judgement) or "")
    icd10_codes = [*own_icd10, *gold.icd10_codes, *icd10_in_wording]
    all_codes = dict.fromkeys([*own_codes, *gold.codes, *in_wording, *icd10_codes])
    return {
        "gold_written": written,
        "gold_names": gold.names or None,
        "gold_codes": list(all_codes) or None,
        "judgement": wording or None,
        "icd10_code": next((code for code in (icd10_code, *icd10_codes) if code), None),
    }


def _gold_as_written(record: dict[str, Any]) -> dict[str, Any]:
    """A gold diagnosis in the notation of docs/specification.md#gold-diagnosis, as the fields it
    stands for: 'A (principal) / B (secondary)' is A, 'A also known as B / C' three names of one
    disease, 'Comorbid diagnosis: A also known as B + C' a name and a judgement, and '1. A 2. B' a
    judgement of two diagnoses."""
    names = record.get("gold_names") or []
    if first := principal.principal_in(" / ".join(names)):
        return {"gold_names": [first]}
    if len(names) != 1:
        return {}
    if (diagnoses := numbered(names[0])) and not record.get("judgement"):
        return {"gold_names": [], "judgement": " + ".join(map(without_additions, diagnoses))}
    comorbid = re.fullmatch(r"comorbid diagnosis\W*(.+)", names[0], re.IGNORECASE | re.DOTALL)
    first, known_as, others = (comorbid[1] if comorbid else names[0]).partition(" also known as ")
    if comorbid:
        return {"gold_names": [first], "judgement": record.get("judgement") or others or first}
    if known_as:
        return {"gold_names": [first, *(texts(others, " / ") or [])]}
    return {}
