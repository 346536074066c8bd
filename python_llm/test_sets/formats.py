"""The formats of clinical cases, each read into records of one layout (store.RECORDS).

A reader yields dicts with `source_line` and any fields of RECORDS; missing fields are null. It
reports what it cannot read through `reject(line, field, reason)`; no reason quotes a value.
"""

from pathlib import Path

from python_llm.imports.headings import Headings
from python_llm.imports.nesting import flat_rows
from python_llm.imports.numbered_rows import Reject
from python_llm.imports.tables import read_rows
from python_llm.parsing.folding import column_key
from python_llm.test_sets import columns as columns_of
from python_llm.test_sets.folders import rows_of_folder
from python_llm.test_sets.gold_fields import gold_of, without_empty_golds
from python_llm.test_sets.long_form import with_fields_beside
from python_llm.test_sets.packets import records_of_packets
from python_llm.test_sets.rarebench import records_of_lines, records_of_patients
from python_llm.test_sets.reading import Reading, Records, named_columns
from python_llm.test_sets.table_records import records_of_table

FORMATS = ("rarebench", "synthetic_v2", "phenopacket", "table", "urg")
# hospital records and tables of unknown origin count as real patients unless the user says
# otherwise
USUALLY_PHI = {"urg", "table"}
LANGUAGES = {"urg": "es"}
# formats shown with the headings of docs/specification.md#narrative; others are shown unchanged
FRAMES = {"urg": "source", "rarebench": "source", "phenopacket": "source"}

# The columns of a hospital extract (docs/specification.md#narrative), with their spellings.
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
    "record_id": [
        *("episodio_anonimizado", "id_episodio", "episodio", "numero_episodio", "n_episodio"),
        *("id_anonimizado", "id", "id_caso", "case_id", "caso"),
    ],
}
V2_COLUMNS = {
    "gold_names": ["disease", "diagnosis", "golden_diagnosis"],
    "narrative": ["detailed", "description", "case", "detailed_description"],
    "record_id": ["id"],
}


def read(
    file: Path, content: bytes, source_format: str, reading: Reading, reject: Reject
) -> Records:
    """The records of one file, or of the files of a folder, whose `content` is empty. Raises
    FileError."""
    if source_format == "rarebench":
        records = (
            records_of_patients(file, reject)
            if file.is_dir()
            else records_of_lines(file, content, reject)
        )
    elif source_format == "phenopacket":
        records = records_of_packets(file, content, reject)
    else:
        known = _aliases({"urg": URG_COLUMNS, "synthetic_v2": V2_COLUMNS}.get(source_format, {}))
        mapped = named_columns((reading.mapping or {}).get("columns", {}), reading)
        wanted = [column_key(column) for named in mapped.values() for column in named]
        names = Headings([*wanted, *(known or columns_of.WANTED)])
        if file.is_dir():
            # a mapping may give all records one gold diagnosis
            may_lack = reading.without_gold or reading.mapping is not None
            rows = rows_of_folder(file, names, reject, without_gold=may_lack)
        else:
            rows = with_fields_beside(read_rows(file, content, names, reject))
        records = records_of_table(file, flat_rows(file, rows, reject), known, reading, reject)
    for record in map(without_empty_golds, records):
        if file.is_dir() and source_format not in ("rarebench", "phenopacket"):
            record["source_row"] = record["source_line"]  # files set aside before have none
        yield {**record, **gold_of(record)}


def _aliases(columns: dict[str, list[str]]) -> dict[str, str]:
    return {alias: field for field, aliases in columns.items() for alias in aliases}
