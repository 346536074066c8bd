"""RareBench: lines of HPO ids and disease ids, and folders of patients as published."""

import re
from pathlib import Path
from typing import Any

from python_llm.errors import FileError
from python_llm.imports.cells import text, texts
from python_llm.imports.json_rows import read_json
from python_llm.imports.numbered_rows import Reject, Row
from python_llm.imports.patient_files import read_patients
from python_llm.parsing.folding import column_key
from python_llm.test_sets.folders import TABLES, rows_of_table
from python_llm.test_sets.reading import Records


def records_of_lines(file: Path, content: bytes, reject: Reject) -> Records:
    """RareBench: `Phenotype` (HPO ids) and `RareDisease` (OMIM, ORPHA, CCRD ids of one disease)."""
    for line, item in read_json(file, content, reject):
        phenotypes, diseases = item.get("Phenotype"), item.get("RareDisease")
        if not isinstance(phenotypes, list) or not phenotypes:
            reject(line, "Phenotype", "no list of HPO ids: give the record one")
            continue
        if not isinstance(diseases, (list, str)) or not diseases:
            reject(line, "RareDisease", "no disease id: give the record one")
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


PHENOTYPE_KEYS = (
    *("phenotype", "phenotypes", "phenotypic_features", "symptoms", "symptom", "hpo"),
    "patient_info",
)
DISEASE_KEYS = (
    *("golden_diagnosis", "gold_diagnosis", "gt", "rare_disease", "raredisease", "disease"),
    *("diagnosis", "disease_name"),
)
NUMBER_KEYS = ("patient", "patient_number", "number", "id", "index", "")


def records_of_patients(folder: Path, reject: Reject) -> Records:
    """RareBench's patients as published: patient_N.json with phenotype names and gold diagnosis.
    The older form of PUMCH_ADM lists the diseases in a separate table, by patient number if it has
    such a column, otherwise in order."""
    tables = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in TABLES]

    def report(path: Path, field: str, reason: str) -> None:
        if path not in tables:
            reject(None, field, f"{path.name}: {reason}")

    patients = read_patients(folder, report)
    diseases = _diseases_of(folder, tables, [patient.record_id for patient in patients], reject)
    for patient in patients:
        values = patient.values
        phenotypes = next((values[key] for key in PHENOTYPE_KEYS if values.get(key)), None)
        written = _phenotypes(phenotypes)
        disease_names = next((values[key] for key in DISEASE_KEYS if values.get(key)), None)
        gold = diseases.get(patient.record_id) or texts(disease_names, None) or []
        ids, names = _split_ids(written, r"HP:\d{7}")
        codes, gold_names = _split_ids(gold, r"[A-Za-z]+:\S+")
        yield {
            "file_name": patient.file.name,
            "source_line": patient.number,
            "source_row": patient.number,
            "record_id": patient.record_id,
            "hpo_ids": ids or None,
            "hpo_names": names or None,
            "gold_codes": codes or None,
            "gold_names": gold_names or None,
            "gold_written": " / ".join(gold) or None,
            "sex": text(values.get("sex") or values.get("gender")),
            "age": text(values.get("age")),
        }


def _phenotypes(written: Any) -> list[str]:
    """Ids and names in a list or in one text, which is split at its commas; if most commas have no
    blank behind them, only at those ('Weakness, proximal,Seizure')."""
    if isinstance(written, dict):
        written = list(written)
    if isinstance(written, str) and not written.lstrip().startswith("["):
        bare, spaced = (len(re.findall(pattern, written)) for pattern in (r",(?=\S)", r",(?=\s)"))
        if bare > spaced:
            written = re.split(r",(?=\S)", written)
    return texts(written, ",") or []


def _diseases_of(
    folder: Path, tables: list[Path], record_ids: list[str], reject: Reject
) -> dict[str, list[str]]:
    wanted = {*DISEASE_KEYS, *NUMBER_KEYS[:-1]}
    usable: dict[Path, list[Row]] = {}
    for table in tables:

        def report(_path: Path, field: str, reason: str, table: Path = table) -> None:
            reject(None, field, f"{table.name}: {reason}")

        table_rows = list(rows_of_table(table, wanted, report))
        if any(column_key(name) in DISEASE_KEYS for _, row in table_rows[:1] for name in row):
            usable[table] = table_rows
        elif table_rows:
            report(table, "file", "a table without a column of diseases: name one `disease`")
    if len(usable) > 1:
        raise FileError(
            f"{folder.name} holds {len(usable)} tables ({', '.join(t.name for t in usable)}): "
            "keep the one with the disease names and remove the others."
        )
    rows = next(iter(usable.values()), [])
    diseases: dict[str, list[str]] = {}
    for position, (_, row) in enumerate(rows):
        folded = {column_key(key): value for key, value in row.items() if key is not None}
        number = next((text(folded[key]) for key in NUMBER_KEYS if text(folded.get(key))), None)
        names = next((folded[key] for key in DISEASE_KEYS if text(folded.get(key))), None)
        digits = re.search(r"\d+", number or "")
        in_order = record_ids[position] if position < len(record_ids) else None
        patient = str(int(digits[0])) if digits else in_order
        disease_names = texts(names, "/")
        if patient is not None and disease_names:
            diseases[patient] = disease_names
    return diseases
