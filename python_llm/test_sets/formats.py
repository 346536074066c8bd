"""The formats clinical cases come in, each turned into records of one layout (store.RECORDS).

A reader yields dicts with `source_line` and any of the fields of RECORDS; what is missing is null.
What it cannot take it reports through `reject(line, field, reason)`; no reason quotes a value.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from python_llm.errors import FileError
from python_llm.tables import EXCEL, Reject, decode, fold, read_json, read_rows, text, texts
from python_llm.test_sets.store import RECORDS, TEXTS

FORMATS = ("rarebench", "synthetic_v2", "phenopacket", "table", "urg")
# a hospital's records and tables of unknown origin are real patients unless somebody says otherwise
USUALLY_PHI = {"urg", "table"}
LANGUAGES = {"urg": "es"}

Records = Iterator[dict[str, Any]]

LIST_FIELDS = {field.name for field in RECORDS if field.type == TEXTS}
MAPPABLE = {
    field.name
    for field in RECORDS
    if not field.name.startswith(("source_", "record_number", "test_set", "contains_phi"))
}

# The source's hospital extract (chapter 2 and its appendix), and the ways its columns are written.
URG_COLUMNS = {
    "reason": ["motivo_consulta", "motivo_de_consulta", "motivo"],
    "history": ["enfermedad_actual", "anamnesis", "historia_actual"],
    "examination": ["exploracion", "exploracion_fisica"],
    "complementary": [
        "exploracion_compl",
        "exploracion_complementaria",
        "exploraciones_complementarias",
        "pruebas_complementarias",
    ],
    "background": ["antecedentes", "antecedentes_personales"],
    "judgement": ["juicio_diagnostico", "juicio_clinico", "diagnostico"],
    "icd10_code": ["diag_cie", "diagnostico_cie", "codigo_cie", "cie10", "cie_10", "cie"],
    "sex": ["sexo"],
    "age": ["edad"],
    "ta_max": ["ta_max", "tension_max", "tas", "ta_sistolica"],
    "ta_min": ["ta_min", "tension_min", "tad", "ta_diastolica"],
    "frec_cardiaca": ["frec_cardiaca", "frecuencia_cardiaca", "fc"],
    "temperatura": ["temperatura", "temp"],
    "sat_oxigeno": ["sat_oxigeno", "saturacion", "saturacion_de_oxigeno", "sato2", "sat_o2"],
    "glucemia": ["glucemia"],
    "diuresis": ["diuresis"],
    "discharge_reason": ["motivo_alta_ingreso", "motivo_alta", "motivo_de_alta"],
    "ward_days": ["est_planta", "estancia_planta", "dias_planta"],
    "icu_days": ["est_uci", "estancia_uci", "dias_uci"],
    "record_id": ["id", "episodio", "numero_episodio"],
}
V2_COLUMNS = {
    "gold_names": ["disease", "diagnosis", "golden_diagnosis"],
    "history": ["detailed", "description", "case", "detailed_description"],
    "record_id": ["id"],
}


def read(
    file: Path,
    content: bytes,
    source_format: str,
    mapping: dict[str, Any] | None,
    reject: Reject,
) -> Records:
    """The records of one file (or of the files of a folder, `content` then empty)."""
    if source_format == "rarebench":
        return _patients(file, reject) if file.is_dir() else _rarebench(file, content, reject)
    if source_format == "phenopacket":
        return _phenopackets(file, content, reject)
    if file.is_dir():
        raise FileError(f"{file.name} is a folder: give a file, one import each.")
    if source_format == "urg":
        return _table(file, content, _aliases(URG_COLUMNS), mapping, reject)
    if source_format == "synthetic_v2":
        return _table(file, content, _aliases(V2_COLUMNS), mapping, reject)
    if mapping is None:
        raise FileError(
            "A table needs --mapping FILE: a YAML or JSON file with `columns:`, a field for each "
            f"column to be read; fields are {', '.join(sorted(MAPPABLE))}."
        )
    return _table(file, content, {}, mapping, reject)


def read_mapping(file: Path) -> dict[str, Any]:
    """`columns` (field: column or list of columns), and optionally `values` (field: one value for
    all rows), `separator` for lists, `language`. Raises FileError for anything else."""
    try:
        mapping = yaml.safe_load(decode(file.read_bytes()))
    except OSError as error:
        raise FileError(f"{file} cannot be read ({error.strerror}).") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise FileError(f"{file.name}{line}: neither YAML nor JSON; correct it.") from error
    if not isinstance(mapping, dict) or not isinstance(mapping.get("columns"), dict):
        raise FileError(
            f"{file.name} has no `columns:`: write one line per field, such as `history: Notes`."
        )
    columns, values = mapping["columns"], mapping.get("values") or {}
    unknown = set(mapping) - {"columns", "values", "separator", "language"}
    unknown |= (set(columns) | set(values if isinstance(values, dict) else ["values"])) - MAPPABLE
    if unknown:
        raise FileError(
            f"{file.name} names {', '.join(sorted(map(str, unknown)))}, which no record has: "
            f"fields are {', '.join(sorted(MAPPABLE))}."
        )
    for field, named in columns.items():
        if not named or not all(
            isinstance(name, str) for name in (named if isinstance(named, list) else [named])
        ):
            raise FileError(f"{file.name}, {field}: give the name of a column, or a list of them.")
    for name, value in {**values, **mapping}.items():
        if name not in ("columns", "values") and isinstance(value, dict | list):
            raise FileError(f"{file.name}, {name}: give one value.")
    if not isinstance(mapping.get("separator", "|"), str | None) or mapping.get("separator") == "":
        raise FileError(f"{file.name}, separator: give the text between two items of a list.")
    return mapping


def _aliases(columns: dict[str, list[str]]) -> dict[str, str]:
    return {alias: field for field, aliases in columns.items() for alias in aliases}


def _table(
    file: Path,
    content: bytes,
    known: dict[str, str],
    mapping: dict[str, Any] | None,
    reject: Reject,
) -> Records:
    mapping = mapping or {"columns": {}}
    separator = mapping.get("separator", "|")
    constants = {
        field: _value(field, one, separator) for field, one in (mapping.get("values") or {}).items()
    }
    # what the mapping names replaces what is known about the format
    named: dict[str, list[str]] = {}
    for field, columns in mapping["columns"].items():
        named[field] = [fold(c) for c in (columns if isinstance(columns, list) else [columns])]
    fields = {alias: field for alias, field in known.items() if field not in named}
    wanted = [*(column for columns in named.values() for column in columns), *fields]
    checked = False
    for line, row in read_rows(file, content, wanted, reject):
        folded = {fold(name): value for name, value in row.items()}
        if not checked:
            missing = {c for columns in named.values() for c in columns} - set(folded)
            if missing and file.suffix.lower() not in (".jsonl", ".ndjson", ".json"):
                raise FileError(
                    f"{file.name} has no column {', '.join(sorted(missing))}: its columns are "
                    f"{', '.join(str(name) for name in row if name)}; correct the mapping file."
                )
            checked = True
        record: dict[str, Any] = {"source_line": line, **constants}
        for column, value in folded.items():
            field = fields.get(column)
            if field and record.get(field) is None:
                record[field] = _value(field, value, separator)
        for field, columns in named.items():
            values = [_value(field, folded.get(column), separator) for column in columns]
            present = [value for value in values if value]
            if not present:
                continue
            if field in LIST_FIELDS:
                record[field] = [item for value in present for item in value]
            else:
                record[field] = "\n".join(present)
        yield {**record, **_gold_as_written(record)}


def _gold_as_written(record: dict[str, Any]) -> dict[str, Any]:
    """A gold diagnosis in the source's own notation taken apart: 'A also known as B / C' is three
    names of one disease, 'Comorbid diagnosis: A also known as B + C' a name and a judgement."""
    names = record.get("gold_names") or []
    if len(names) != 1:
        return {}
    comorbid = re.fullmatch(r"comorbid diagnosis\W*(.+)", names[0], re.IGNORECASE | re.DOTALL)
    first, known_as, others = (comorbid[1] if comorbid else names[0]).partition(" also known as ")
    if comorbid:
        return {"gold_names": [first], "judgement": record.get("judgement") or others or first}
    if known_as:
        return {"gold_names": [first, *(texts(others, " / ") or [])]}
    return {}


def _value(field: str, value: Any, separator: str | None) -> Any:
    if field in LIST_FIELDS:
        return texts(value, separator)
    if isinstance(value, list | dict):
        return "\n".join(part for part in (text(item) for item in value) if part) or None
    return text(value)


def _rarebench(file: Path, content: bytes, reject: Reject) -> Records:
    """RareBench: `Phenotype` (HPO ids) and `RareDisease` (OMIM, ORPHA, CCRD ids of one disease)."""
    for line, item in read_json(file, content, reject):
        phenotypes, diseases = item.get("Phenotype"), item.get("RareDisease")
        if not isinstance(phenotypes, list) or not phenotypes:
            reject(line, "Phenotype", "no list of HPO ids; the record is left out")
            continue
        if not isinstance(diseases, list | str) or not diseases:
            reject(line, "RareDisease", "no disease id; the record is left out")
            continue
        ids, names = _split_ids(texts(phenotypes, None) or [], r"HP:\d{7}")
        codes, disease_names = _split_ids(texts(diseases, None) or [], r"[A-Za-z]+:\S+")
        yield {
            "source_line": line,
            "record_id": text(item.get("id") or item.get("patient_id")),
            "hpo_ids": ids or None,
            "hpo_names": names or None,
            "gold_codes": codes or None,
            "gold_names": disease_names or None,
            "sex": text(item.get("Sex") or item.get("sex")),
            "age": text(item.get("Age") or item.get("age")),
        }


def _split_ids(written: list[str], pattern: str) -> tuple[list[str], list[str]]:
    ids = [item for item in written if re.fullmatch(pattern, item)]
    return ids, [item for item in written if item not in ids]


PHENOTYPE_KEYS = ("phenotype", "phenotypes", "phenotypic_features", "symptoms", "symptom", "hpo")
DISEASE_KEYS = ("disease", "rare_disease", "gt", "golden_diagnosis", "diagnosis", "disease_name")
NUMBER_KEYS = ("patient", "patient_number", "number", "id", "index", "")


def _patients(folder: Path, reject: Reject) -> Records:
    """PUMCH_ADM in two steps: patient_N.json files give the phenotype names of patient N, and a CSV
    of scores beside them the disease names, by a column of numbers if it has one, else in order."""
    files = {}
    for file in folder.glob("*.json"):
        number = re.search(r"(\d+)\D*$", file.stem)
        if number:
            files[int(number[1])] = file
    if not files:
        raise FileError(f"{folder.name} holds no patient_N.json files.")
    diseases = _scores(folder, sorted(files), reject)
    for place, (number, file) in enumerate(sorted(files.items()), 1):

        def report(_line: int | None, field: str, reason: str, place=place, file=file) -> None:
            reject(place, field, f"{file.name}: {reason}")

        for _, item in read_json(file, file.read_bytes(), report):
            folded = {fold(key): value for key, value in item.items()}
            found = next((folded[key] for key in PHENOTYPE_KEYS if folded.get(key)), None)
            written = texts(list(found) if isinstance(found, dict) else found, ",") or []
            named = next((folded[key] for key in DISEASE_KEYS if folded.get(key)), None)
            gold = diseases.get(number) or texts(named, None) or []
            ids, names = _split_ids(written, r"HP:\d{7}")
            codes, gold_names = _split_ids(gold, r"[A-Za-z]+:\S+")
            if not written:
                reject(place, "phenotypes", f"patient {number} has none; the record is left out")
                continue
            if not gold:
                reject(place, "disease", f"patient {number} has none; the record is left out")
                continue
            yield {
                "source_line": place,
                "record_id": str(number),
                "hpo_ids": ids or None,
                "hpo_names": names or None,
                "gold_codes": codes or None,
                "gold_names": gold_names or None,
                "sex": text(folded.get("sex") or folded.get("gender")),
                "age": text(folded.get("age")),
            }


def _scores(folder: Path, numbers: list[int], reject: Reject) -> dict[int, list[str]]:
    kinds = (".csv", ".tsv", *EXCEL)
    tables = sorted(path for path in folder.iterdir() if path.suffix.lower() in kinds)
    if not tables:
        return {}
    if len(tables) > 1:
        raise FileError(
            f"{folder.name} holds {len(tables)} tables ({', '.join(t.name for t in tables)}): "
            "leave the one with the disease names there and take the others out."
        )
    rows = read_rows(tables[0], tables[0].read_bytes(), {*DISEASE_KEYS, *NUMBER_KEYS[:-1]}, reject)
    diseases: dict[int, list[str]] = {}
    for place, (_, row) in enumerate(rows):
        folded = {fold(key): value for key, value in row.items() if key is not None}
        number = next((text(folded[key]) for key in NUMBER_KEYS if text(folded.get(key))), None)
        names = next((folded[key] for key in DISEASE_KEYS if text(folded.get(key))), None)
        digits = re.search(r"\d+", number or "")
        patient = int(digits[0]) if digits else (numbers[place] if place < len(numbers) else None)
        found = texts(names, "/")
        if patient is not None and found:
            diseases[patient] = found
    return diseases


def _phenopackets(file: Path, content: bytes, reject: Reject) -> Records:
    """GA4GH phenopackets, versions 1 and 2, JSON: one per file, an array, lines, a family, a cohort
    or a folder of files."""
    place = 0
    sources = (
        [(path, path.read_bytes()) for path in sorted(file.rglob("*.json"))]
        if file.is_dir()
        else [(file, content)]
    )
    if not sources:
        raise FileError(f"{file.name} holds no JSON files.")
    for path, bytes_ in sources:
        offset = place if file.is_dir() else 0

        def report(line: int | None, field: str, reason: str, path=path, offset=offset) -> None:
            where = f"{path.name}: " if file.is_dir() else ""
            reject(offset + 1 if file.is_dir() else line, field, where + reason)

        for line, item in read_json(path, bytes_, report):
            members = item.get("members") or ([item["proband"]] if "proband" in item else [item])
            for packet in members:
                place += 1
                record = _phenopacket(packet, lambda *issue, line=line: report(line, *issue))
                if record:
                    yield {"source_line": place if file.is_dir() else line, **record}
        place = max(place, offset + 1)


def _phenopacket(packet: dict[str, Any], reject: Any) -> dict[str, Any] | None:
    if not isinstance(packet, dict):
        reject("record", "not a phenopacket")
        return None
    subject = _get(packet, "subject") or {}
    observed, excluded = [], []
    for feature in _get(packet, "phenotypicFeatures") or []:
        code = text(_get(_get(feature, "type"), "id"))
        if code:
            absent = _get(feature, "excluded") or _get(feature, "negated")
            (excluded if absent else observed).append(code)
    codes, names, onset = _gold(packet)
    if not observed:
        reject("phenotypicFeatures", "no observed feature; the record is left out")
        return None
    if not codes and not names:
        reject("diseases", "no disease that is not excluded; the record is left out")
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


def _gold(packet: dict[str, Any]) -> tuple[list[str], list[str], str | None]:
    """Ids, names and onset of what the patient has: a solved interpretation, else the diseases."""
    terms, onset = [], None
    for interpretation in _get(packet, "interpretations") or []:
        disease = _get(_get(interpretation, "diagnosis") or {}, "disease")
        if disease and _get(interpretation, "progressStatus") not in ("UNSOLVED", 4):
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
    """The ISO 8601 age, the beginning of a range, or the name of an onset class."""
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


def _get(element: Any, name: str) -> Any:
    """A field under its JSON or its protobuf name (phenotypicFeatures, phenotypic_features)."""
    if not isinstance(element, dict):
        return None
    if name in element:
        return element[name]
    return element.get(re.sub(r"(?<=[a-z])([A-Z])", lambda m: "_" + m[1].lower(), name))
