"""GA4GH phenopackets: where they are in a JSON object (itself, a Family or Cohort, or lists of them
below any key), and their records."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from python_llm.errors import FileError
from python_llm.imports.cells import text
from python_llm.imports.json_rows import read_json
from python_llm.imports.numbered_rows import (
    JSON_LINES,
    Reject,
    Rows,
)
from python_llm.parsing.folding import column_key
from python_llm.test_sets.folders import is_about, name_unread
from python_llm.test_sets.reading import Records

_OF_PACKETS = {"phenotypicfeatures", "phenotypic_features", "interpretations", "diseases"}
MOST_DEEP = 6  # objects around a packet


def packets_in(item: Any) -> list[Any]:
    """The phenopackets of an object, without the relatives of a family; the object itself if none
    is in it, for whoever says what it lacks."""
    return list(_below(item, MOST_DEEP)) or [item]


def _below(item: Any, depth: int) -> Iterator[dict[str, Any]]:
    if isinstance(item, list):
        for entry in item:
            yield from _below(entry, depth)
    elif isinstance(item, dict):
        keys = {column_key(str(name)) for name in item}
        if not _OF_PACKETS.isdisjoint(keys):
            yield item
        elif isinstance(item.get("proband"), dict):
            yield item["proband"]
        elif depth:
            for value in item.values():
                yield from _below(value, depth - 1)


def records_of_packets(file: Path, content: bytes, reject: Reject) -> Records:
    """GA4GH phenopackets, versions 1 and 2, in JSON: a single one, an array, lines, a family, a
    cohort, lists of them below a key, or a folder of files."""
    number = 0
    sources = _json_files(file, reject) if file.is_dir() else [(file, content)]
    if not sources:
        raise FileError(f"{file.name} holds no JSON files.")
    for path, bytes_ in sources:
        offset = number if file.is_dir() else 0

        def report(
            line: int | None, field: str, reason: str, path: Path = path, offset: int = offset
        ) -> None:
            where = f"{path.name}: " if file.is_dir() else ""
            reject(offset + 1 if file.is_dir() else line, field, where + reason)

        for line, item in _items_of(path, bytes_, report, is_alone=not file.is_dir()):
            packets = packets_in(item)
            for packet in packets:
                number += 1
                position = number if len(packets) > 1 else line
                record = _phenopacket(packet, lambda *issue, line=position: report(line, *issue))
                if record:
                    yield {"source_line": number if file.is_dir() else position, **record}
        number = max(number, offset + 1)


def _json_files(folder: Path, reject: Reject) -> list[tuple[Path, bytes]]:
    """The JSON files below a folder; any other file is rejected."""
    sources = []
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    name_unread((path for path in paths if path.suffix.lower() != ".json"), reject)
    for path in paths:
        if path.suffix.lower() in (".json", *JSON_LINES):
            sources.append((path, path.read_bytes()))
        elif not path.name.startswith((".", "~$")) and not is_about(path):
            reject(None, "file", f"{path.name}: no phenopacket, which is JSON: export it so")
    return sources


def _items_of(path: Path, content: bytes, reject: Reject, *, is_alone: bool) -> Rows:
    """The objects of a file; one of a folder that cannot be read is rejected, not the folder."""
    try:
        yield from read_json(path, content, reject)
    except FileError as error:
        if is_alone:
            raise
        reject(1, "file", str(error))


def _phenopacket(packet: dict[str, Any], reject: Any) -> dict[str, Any] | None:
    if not isinstance(packet, dict):
        reject("record", "not a phenopacket: write it as a JSON object")
        return None
    subject = _get(packet, "subject") or {}
    observed: list[str] = []
    excluded: list[str] = []
    for feature in _get(packet, "phenotypicFeatures") or []:
        code = text(_get(_get(feature, "type"), "id"))
        if code:
            absent = _get(feature, "excluded") or _get(feature, "negated")
            (excluded if absent else observed).append(code)
    codes, names, onset = _gold(packet)
    if not observed:
        reject("phenotypicFeatures", "no observed feature: add one that is not excluded")
        return None
    if not codes and not names:
        reject(*_without_disease(packet))
        return None
    encounter = _get(subject, "timeAtLastEncounter") or _get(subject, "ageAtCollection") or {}
    return {
        "record_id": text(_get(packet, "id")),
        "hpo_ids": observed,
        "excluded_hpo_ids": excluded or None,
        "gold_codes": codes or None,
        "gold_names": names or None,
        "sex": text(_get(subject, "sex")),
        "age": _age(encounter) or _age(subject),
        "onset": onset,
    }


def _is_unsolved(interpretation: Any) -> bool:
    return _get(interpretation, "progressStatus") in ("UNSOLVED", 4)


def _without_disease(packet: dict[str, Any]) -> tuple[str, str]:
    """Why a phenopacket has no gold diagnosis: field and reason."""
    unsolved = [i for i in _get(packet, "interpretations") or [] if _is_unsolved(i)]
    if any(_get(_get(i, "diagnosis") or {}, "disease") for i in unsolved):
        return "progressStatus", (
            "the disease is of an interpretation that is UNSOLVED: set it to SOLVED if the "
            "diagnosis was made, or leave the patient out"
        )
    return "diseases", "no disease that is not excluded: add one"


def _gold(packet: dict[str, Any]) -> tuple[list[str], list[str], str | None]:
    """Ids, names and onset of the patient's diseases, from interpretations that are not unsolved
    and diseases that are not excluded."""
    terms, onset = [], None
    for interpretation in _get(packet, "interpretations") or []:
        disease = _get(_get(interpretation, "diagnosis") or {}, "disease")
        if disease and not _is_unsolved(interpretation):
            terms.append(disease)
    for disease in _get(packet, "diseases") or []:
        if _get(disease, "excluded"):
            continue
        terms.append(_get(disease, "term"))
        began = (
            _get(disease, "onset") or _get(disease, "ageOfOnset") or _get(disease, "classOfOnset")
        )
        onset = onset or _age(began or {})
    codes = list(dict.fromkeys(code for code in (text(_get(term, "id")) for term in terms) if code))
    names = list(dict.fromkeys(n for n in (text(_get(term, "label")) for term in terms) if n))
    return codes, names, onset


def _age(element: dict[str, Any]) -> str | None:
    """The ISO 8601 age, the start of an age range, or the name of an onset class."""
    age = _get(element, "age")
    if isinstance(age, str):
        return age
    for holder in (age, element):
        if isinstance(holder, dict):
            duration = _get(holder, "iso8601duration") or _get(holder, "iso8601Duration")
            if duration:
                return text(duration)
    ranged = _get(element, "ageRange") or element
    start = _get(ranged, "start")
    if isinstance(start, dict):
        return _age({"age": start}) or _age(start)
    term = _get(element, "ontologyClass") or element
    return text(term.get("label")) if isinstance(term, dict) else None


_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")


def _get(element: Any, name: str) -> Any:
    """A field under its JSON or its protobuf name (phenotypicFeatures, phenotypic_features)."""
    if not isinstance(element, dict):
        return None
    if name in element:
        return element[name]
    return element.get(_CAPITAL.sub(lambda capital: f"_{capital[0].lower()}", name))
