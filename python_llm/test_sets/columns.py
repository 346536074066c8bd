"""Which column of a table of cases holds which field, by its name unless a mapping decides."""

from collections.abc import Iterable, Mapping
from typing import Any

from python_llm.errors import FileError
from python_llm.imports.tables import text
from python_llm.parsing.folding import column_key

# The names of columns, compared without accents, case, punctuation and blanks. Names in one tuple
# are equivalent, so two of them leave the choice to a person; an earlier tuple takes precedence
# over a later one.
NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
    "record_id": (
        ("case_id", "caseid", "id_case", "id_caso", "caso_id"),
        ("record_id", "note_id", "sample_id", "episodio_anonimizado", "episodio"),
        ("id", "identifier", "identificador"),
        ("patient_id", "id_paciente", "subject_id", "nhc"),
        ("case_number", "number", "numero", "patient_number"),
        ("patient", "paciente", "case", "caso"),
    ),
    "narrative": (
        (
            *("text", "case_text", "clinical_text", "texto", "texto_clinico"),
            *("vignette", "case_vignette", "clinical_vignette", "vineta", "narrative"),
            *("case_narrative", "description", "case_description", "descripcion", "detailed"),
            *("detailed_description", "clinical_case", "caso_clinico", "case_report"),
            *("note", "notes", "clinical_note", "clinical_notes", "nota", "notas"),
            *("case_presentation", "presentation", "clinical_presentation", "presentacion"),
            *("historia_clinica", "clinical_history", "patient_history", "informe"),
        ),
        ("case", "caso", "patient", "paciente"),
        ("symptoms", "symptom_description", "sintomas", "summary", "resumen", "question"),
    ),
    "gold_names": (
        (
            *("gold", "gold_diagnosis", "golden_diagnosis", "gold_name", "gold_names"),
            *("gold_standard", "ground_truth", "gt", "true_diagnosis", "final_diagnosis"),
            *("diagnostico_final", "diagnostico_real", "diagnostico_definitivo"),
        ),
        ("diagnosis", "diagnostico", "disease", "enfermedad", "dx", "disease_name"),
        ("rare_disease", "diagnosis_name", "condition", "disorder", "target", "label"),
    ),
    "gold_codes": (
        ("gold_codes", "gold_code", "disease_id", "disease_ids", "diagnostic_code_s"),
        (
            *("omim", "omim_id", "omim_code", "mim", "orpha", "orpha_id", "orpha_code"),
            *("orphacode", "orphanet", "orphanet_id", "orphanet_code", "mondo", "mondo_id"),
        ),
    ),
    "icd10_code": (
        ("icd10_code", "icd10", "icd_10", "icd_10_code", "cie10", "cie_10", "codigo_cie"),
        ("diag_cie", "icd", "cie"),
    ),
    "reason": (
        (
            *("reason", "chief_complaint", "presenting_complaint", "complaint"),
            *("reason_for_visit", "reason_for_consultation", "motivo", "motivo_consulta"),
            "motivo_de_consulta",
        ),
    ),
    "history": (
        (
            *("history", "history_of_present_illness", "present_illness", "hpi", "anamnesis"),
            *("enfermedad_actual", "historia", "historia_actual"),
        ),
    ),
    "background": (
        (
            *("background", "past_history", "past_medical_history", "medical_history", "pmh"),
            *("antecedentes", "antecedentes_personales"),
        ),
    ),
    "examination": (
        (
            *("examination", "physical_examination", "physical_exam", "exam", "exploracion"),
            *("exploracion_fisica", "physical_findings"),
        ),
    ),
    "complementary": (
        (
            *("tests", "test_results", "investigations", "laboratory", "labs", "lab_results"),
            *("complementary", "complementary_tests", "pruebas", "pruebas_complementarias"),
            *("exploracion_complementaria", "exploraciones_complementarias"),
        ),
    ),
    "sex": (("sex", "gender", "sexo"),),
    "age": (("age", "edad", "age_years", "age_at_presentation"),),
    "severity": (("gold_severity",), ("severity", "severidad", "gravedad")),
    "hpo_ids": (("hpo_ids", "hpo_id", "hpo_codes", "hpo"),),
    "hpo_names": (("hpo_names", "phenotypes", "phenotype", "hpo_terms"),),
}
ID_OR_TEXT = {"case", "caso", "patient", "paciente"}
SECTIONS = ("reason", "history", "background", "examination", "complementary")
# what fields may be called on the command line
SPOKEN = {
    **{name: "narrative" for name in ("text", "case", "note", "vignette", "description")},
    **{name: "gold_names" for name in ("gold", "diagnosis", "disease", "gold_diagnosis")},
    **{name: "record_id" for name in ("id", "case_id", "patient_id")},
}
WANTED = [name for ranks in NAMES.values() for names in ranks for name in names]


def choose(
    file: str,
    present: Iterable[str],
    named_by_user: Mapping[str, str | list[str]],
    sample: list[dict[str, Any]],
    *,
    without_gold: bool,
) -> dict[str, list[str]]:
    """The columns of each field, by their folded names: as `named_by_user`, the others by name.

    `sample` holds some rows by folded name: their content decides whether a column such as 'case'
    is an id or a text. Raises FileError for an ambiguous table, and for one without a text or a
    gold diagnosis.
    """
    columns = {column_key(name): name for name in present}
    chosen = {
        field: [column_key(column) for column in (named if isinstance(named, list) else [named])]
        for field, named in named_by_user.items()
    }
    taken = {column for named in chosen.values() for column in named}
    prose = {column for column in ID_OR_TEXT & columns.keys() if _is_prose(column, sample)}
    for field in NAMES:
        if field in chosen:
            continue
        for names in NAMES[field]:
            fitting = [
                column
                for column in columns
                if column in names
                and column not in taken
                and (column not in ID_OR_TEXT or (column in prose) == (field == "narrative"))
            ]
            if len(fitting) > 1 and field in ("narrative", "gold_names"):
                subject = "the text of the case" if field == "narrative" else "the gold diagnosis"
                raise FileError(
                    f"{file}: the columns {_quoted(columns[column] for column in fitting)} could "
                    f"both be {subject}: say which with --column "
                    f"{field}={columns[fitting[0]].strip()}."
                )
            if fitting:
                # each vocabulary has its own column of codes
                chosen[field] = fitting if field == "gold_codes" else fitting[:1]
                taken.update(chosen[field])
                break
    _check(file, columns, chosen, without_gold=without_gold)
    if "narrative" in chosen and "narrative" not in named_by_user and chosen.keys() & {*SECTIONS}:
        if "history" in chosen:
            text_column, history = (
                columns[chosen[column][0]] for column in ("narrative", "history")
            )
            raise FileError(
                f"{file}: the columns {_quoted([text_column, history])} could both be the text of "
                f"the case: say which with --column text={text_column.strip()}, or that the first "
                f"is a section with --column examination={text_column.strip()}."
            )
        # next to columns of sections, the text is a section, too
        chosen["history"] = chosen.pop("narrative")
    return chosen


def _check(
    file: str, columns: dict[str, str], chosen: dict[str, list[str]], *, without_gold: bool
) -> None:
    has_text = any(field in chosen for field in ("narrative", *SECTIONS, "hpo_ids", "hpo_names"))
    gold = ("gold_names", "gold_codes", "icd10_code", "judgement")
    has_gold = without_gold or any(field in chosen for field in gold)
    lacking = {
        **({} if has_text else {"the text of the case": "--column text=NAME"}),
        **({} if has_gold else {"the gold diagnosis": "--column gold=NAME"}),
    }
    if lacking:
        reading = "" if has_gold else ", or import the cases for reading only with --without-gold"
        raise FileError(
            f"{file} has no column known as {' and none as '.join(lacking)} (its columns are "
            f"{_quoted(columns.values())}): say which with {' '.join(lacking.values())}{reading}. "
            "The usual names are in docs/test-sets.md."
        )


def check_roles(file: str, named_by_user: Mapping[str, str | list[str]]) -> None:
    """Raise FileError if one column is named for two fields."""
    fields: dict[str, str] = {}
    for field, named in named_by_user.items():
        for column in named if isinstance(named, list) else [named]:
            other = fields.setdefault(column_key(column), field)
            if other != field:
                raise FileError(
                    f"{file}: the column '{column.strip()}' is named for {other} and for {field}: "
                    "give each a column of its own."
                )


def _is_prose(column: str, sample: list[dict[str, Any]]) -> bool:
    """Whether most values of a column have more words than an id has."""
    values = [value for row in sample if (value := text(row.get(column)))]
    return sum(len(value.split()) > 2 for value in values) * 2 > len(values)


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"'{name.strip()}'" for name in names if name)
