"""Which column of a table of cases holds which field, by its name unless a mapping decides."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from python_llm.errors import FileError
from python_llm.imports import presence
from python_llm.imports.cells import text
from python_llm.imports.header_rows import LONGEST_NAME
from python_llm.imports.headings import KINDS, WORDS, is_of_person, kind_of, words_of
from python_llm.imports.nesting import EXCLUDED_ITEMS, SECONDARY
from python_llm.imports.numbered_rows import Row
from python_llm.imports.presence import Presence
from python_llm.imports.principal import NO, YES
from python_llm.parsing.folding import column_key

# The names of columns, compared without accents, case, punctuation and blanks. Names in one tuple
# are equivalent, so two of them leave the choice to a person; an earlier tuple takes precedence
# over a later one.
NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
    "record_id": (
        ("case_id", "caseid", "id_case", "id_caso", "caso_id"),
        ("record_id", "note_id", "sample_id", "episodio_anonimizado", "episodio"),
        ("encounter_id", "visit_id", "hadm_id", "stay_id", "admission_id"),
        ("id", "identifier", "identificador"),
        ("patient_id", "id_paciente", "subject_id"),
        ("case_number", "number", "numero", "patient_number", "no", "nr"),
        ("codigo", "code", "codice", "kode"),
        ("patient", "paciente", "case", "caso"),
    ),
    "narrative": (
        (
            *("text", "case_text", "clinical_text", "texto", "texto_clinico"),
            *("vignette", "case_vignette", "clinical_vignette", "vineta", "narrative"),
            *("case_narrative", "description", "case_description", "descripcion", "detailed"),
            *(
                "detailed_description",
                "clinical_case",
                "caso_clinico",
                "case_report",
                "case_history",
            ),
            *("note", "notes", "clinical_note", "clinical_notes", "nota", "notas"),
            *("case_presentation", "presentation", "clinical_presentation", "presentacion"),
            *("storia_clinica", "histoire_clinique", "quadro_clinico", "tableau_clinique"),
            *("historia_clinica", "case_history", "clinical_history", "patient_history", "informe"),
            *("clinical_summary", "case_summary", "resumen_clinico", "resumen_del_caso"),
        ),
        ("note_text", "report_text", "free_text"),  # of OMOP and REDCap
        ("case", "caso", "patient", "paciente"),
        ("symptoms", "symptom_description", "sintomas", "summary", "resumen", "question", "sx"),
        ("abstract", "input"),
    ),
    "gold_names": (
        (
            *("gold", "gold_diagnosis", "golden_diagnosis", "gold_name", "gold_names"),
            *(
                "gold_standard",
                "ground_truth",
                "gt",
                "true_diagnosis",
                "true_dx",
                "final_diagnosis",
            ),
            *("correct_diagnosis", "confirmed_diagnosis", "definitive_diagnosis", "correct_dx"),
            *("established_diagnosis", "reference_diagnosis", "adjudicated_diagnosis"),
            *("confirmed_dx", "final_dx"),
            *("diagnostico_final", "diagnostico_real", "diagnostico_definitivo"),
        ),
        ("diagnosis", "diagnostico", "disease", "enfermedad", "dx", "disease_name"),
        ("rare_disease", "diagnosis_name", "condition", "disorder", "target", "label"),
        ("condition_concept_name", "condition_name"),  # of OMOP
        ("long_title",),  # of a code, in MIMIC
        ("ideal",),  # of OpenAI's evals
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
    "sex": (("sex", "gender", "sexo"), ("sx",)),
    "age": (("age", "edad", "age_years", "age_at_presentation"),),
    "severity": (("gold_severity",), ("severity", "severidad", "gravedad")),
    "hpo_ids": (("hpo_ids", "hpo_id", "hpo_codes", "hpo"),),
    "hpo_names": (("hpo_names", "phenotypes", "phenotype", "hpo_terms", "fenotipos", "fenotipo"),),
    "excluded_hpo_ids": (("excluded_hpo_ids",),),
}
ID_OR_TEXT = {"case", "caso", "patient", "paciente"}
OF_CODES = {"codigo", "code", "codice", "kode"}  # of a case, or of a disease
OF_PATIENT = {"patient", "paciente", "nom", "nombre", "nome", "vorname", "patientin"}
# Columns inside an object, by the name of the object. Names that say nothing by themselves take
# their meaning from it; what an object of diagnoses or phenotypes holds is nothing else.
_LABELS = (
    *("name", "names", "display", "label", "term", "title", "text", "value", "nombre"),
    *("nome", "nom", "bezeichnung", "descripcion", "descricao", "libelle"),
)
_OF_CASE = ("patient", "case", "record", "subject", "paciente", "caso", "sujeto")
_OF_DIAGNOSIS = {
    *(name for names in NAMES["gold_names"] for name in names if name not in ("target", "label")),
    *("diagnoses", "final_diagnoses", "diseases", "diagnosticos", "enfermedades", "golds"),
    *("conditions", "disorders", "gold_diagnoses"),
}
_OF_PHENOTYPE = {
    *("phenotype", "phenotypes", "phenotypic_features", "hpo", "hpo_terms", "features"),
    *("symptoms", "sintomas", "findings"),
}
_OF_TEXT = {*NAMES["narrative"][0], *("narratives", "texts", "content")}
_INSIDE: tuple[tuple[set[str], dict[str, tuple[str, ...]], bool], ...] = (
    (
        _OF_DIAGNOSIS,
        {
            "gold_names": (*_LABELS, "diagnosis", "disease", "disease_name", "diagnostico"),
            "gold_codes": (
                *("code", "codes", "id", "ids", "codigo", "disease_id"),
                *(name for names in NAMES["gold_codes"] for name in names),
            ),
            "icd10_code": tuple(name for names in NAMES["icd10_code"] for name in names),
            "severity": ("severity", "severidad", "gravedad"),
        },
        True,
    ),
    (
        _OF_PHENOTYPE,
        {"hpo_names": _LABELS, "hpo_ids": ("id", "code", "hpo_id", "hpo", "hpo_code")},
        True,
    ),
    (
        {"messages", "conversation", "conversations", "contents", "turns", "dialogue", "input"},
        {"narrative": ("user",), "gold_names": ("assistant",)},
        True,
    ),
    (_OF_TEXT, {"narrative": ("div", "text", "content", "value", "body")}, False),
    ({"fields"}, {"narrative": tuple(NAMES["narrative"][0])}, False),  # Argilla
    (
        {*_OF_CASE},
        {
            "record_id": ("id", "identifier", "number", "case_id", "patient_id", "record_id"),
            "narrative": ("text", "description", "narrative", "note", "vignette"),
            "gold_names": ("diagnosis", "diagnostico"),
        },
        False,
    ),
)
# not the meaning of a column wherever it stands
_TOO_GENERAL = {
    *_LABELS,
    *("id", "ids", "code", "codes", "number", "numero", "identifier", "identificador", "target"),
    *("description", "descripcion", "summary", "question", "condition", "case", "caso", "patient"),
    *("paciente", "content", "value", "body", "div", "notes", "note"),
}
_BETWEEN = {"coding", "code", "item", "items", "term"}  # objects around the value, not its subject
_CODE = re.compile(r"[A-TV-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?|[A-Za-z]{3,8}:\d+")
MOST_LISTED = 30  # columns named in a message
ADDED = ("hpo_ids", "excluded_hpo_ids")  # one form of findings does not hide another
# words of a heading that its diagnosis was made later than another or is the right one, and of one
# that a model made
LATER = words_of(
    "final last after later follow followup definitive confirmed correct corrected true"
    " real actual established proven revised adjudicated consensus expert reference"
    " discharge autopsy biopsy histology definitivo definitiva confirmado confirmada"
    " correcto corregido seguimiento consenso endgultig endgultige gesichert gesicherte"
    " definitif confirme definitiva alta anatomopatologico histologico"
)
OF_MODELS = words_of(
    "model modelo gpt llm ai ia predicted prediction predicho predicted_by claude gemini"
    " llama date fecha code codigo icd cie source fuente differential diferencial"
    " secondary secundario"
)
N_ABOVE_PLAIN = 4  # kinds of gold diagnosis (imports/headings.py) that go before a plain one
# The text and the gold diagnosis in the forms in which sets for teaching and testing models are
# published: Alpaca, OpenAI, preferences, RAGAS, SQuAD. Without the one the other may be anything.
DATASETS = (
    *(("instruction", "output"), ("prompt", "completion"), ("prompt", "chosen")),
    *(("user_input", "reference"), ("context", "answers_text")),
)
SECTIONS = ("reason", "history", "background", "examination", "complementary")
# what fields may be called on the command line
SPOKEN = {
    **{name: "narrative" for name in ("text", "case", "note", "vignette", "description")},
    **{name: "gold_names" for name in ("gold", "diagnosis", "disease", "gold_diagnosis")},
    **{name: "record_id" for name in ("id", "case_id", "patient_id")},
    **{name: "gold_codes" for name in ("code", "codes", "gold_code", "disease_code")},
}
WANTED = [name for ranks in NAMES.values() for names in ranks for name in names]


def field_of(spoken: str) -> str:
    """The field that somebody means by a name on the command line: what fields are called there,
    the name of a field itself, or what its columns are usually called."""
    name = column_key(spoken)
    if name in SPOKEN:
        return SPOKEN[name]
    for field, ranks in NAMES.items():
        if name == field or any(name in names for names in ranks):
            return field
    kind = kind_of(spoken)
    return kind[0] if kind else name


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
    } | _of_dataset(columns, named_by_user, sample)
    taken = {column for named in chosen.values() for column in named}
    prose = {column for column in ID_OR_TEXT & columns.keys() if _is_prose(column, sample)}
    # a text that the user names is the whole text
    fields = [f for f in NAMES if f not in SECTIONS or "narrative" not in named_by_user]
    for field in (field for field in fields if field not in chosen):
        for level in _levels(field, columns, chosen):
            fitting = [
                column
                for column in level
                if column not in taken
                and (column not in ID_OR_TEXT or (column in prose) == (field == "narrative"))
                and not _is_of_another(column, field, sample)
            ]
            if len(fitting) > 1 and field in ("narrative", "gold_names"):
                raise _several(file, field, [columns[column] for column in fitting])
            if fitting:
                _check_once(file, field, fitting[0], columns)
                # each vocabulary has its own column of codes
                chosen[field] = fitting if field == "gold_codes" else fitting[:1]
                # some rows may have an object where others have a text
                chosen[field] += [
                    column
                    for column, name in columns.items()
                    if name.startswith(f"{columns[fitting[0]]}.") and field_inside(name) == field
                ]
                taken.update(chosen[field])
                break
    _check_later(file, columns, chosen, named_by_user, sample)
    _choose_findings(columns, chosen, taken, sample)
    for field in fields:
        is_added = field in ADDED and field not in named_by_user
        inside = _inside(field, columns, taken) if is_added or field not in chosen else []
        if len(inside) > 1 and field not in ("gold_codes", *ADDED):
            raise _several(file, field, [columns[column] for column in inside])
        if inside:
            chosen[field] = [*(chosen.get(field, []) if is_added else []), *inside]
            taken.update(inside)
    _check(file, columns, chosen, sample, without_gold=without_gold)
    if "narrative" in chosen and "narrative" not in named_by_user and chosen.keys() & {*SECTIONS}:
        return _beside_sections(file, columns, chosen)
    return chosen


def _of_dataset(
    columns: Collection[str], chosen: Collection[str], sample: list[dict[str, Any]]
) -> dict[str, list[str]]:
    """The columns of the text and of the gold diagnosis in a form of DATASETS; none where another
    column has the usual name of either, or somebody named one. The task of Alpaca is the text where
    its input is empty."""
    usual = {*NAMES["narrative"][0], *NAMES["gold_names"][0], *NAMES["gold_names"][1]}
    if usual & {*columns} or {"narrative", "gold_names"} & {*chosen}:
        return {}
    written, gold = next((pair for pair in DATASETS if {*pair} <= {*columns}), ("", ""))
    if not gold:
        return {}
    texts = [written]
    if written == "instruction" and "input" in columns:
        are_filled = [bool(text(row.get("input"))) for row in sample]
        texts = ["input"] if all(are_filled) else ["instruction", "input"]
    return {"narrative": texts, "gold_names": [gold]}


def _choose_findings(
    columns: Mapping[str, str],
    chosen: dict[str, list[str]],
    taken: set[str],
    sample: list[dict[str, Any]],
) -> None:
    """Add the columns of excluded findings, and where no other has them those of observed ones:
    'Positive, HPO codes', or a column for each id."""
    free = [column for column in columns if column not in taken]
    held = presence.of_findings(free, sample)
    excluded, observed = held[Presence.EXCLUDED], held[Presence.OBSERVED]
    if excluded and "excluded_hpo_ids" not in chosen:
        chosen["excluded_hpo_ids"] = excluded
    others = [column for column in free if column not in (*excluded, *observed)]
    if not chosen.keys() & {"hpo_ids", "hpo_names"}:
        matrix = [column for column in others if presence.id_in_heading(columns[column])]
        by_name = [column for column in others if presence.is_by_name(column)]
        if observed:
            chosen["hpo_ids"] = observed
        elif len(matrix) > 1:
            chosen["hpo_ids"] = matrix
        elif by_name and not matrix:
            chosen["hpo_ids"] = by_name
    elif inside := [column for column in observed if "." in columns[column]]:
        # some rows have an object of lists where others have a list
        chosen["hpo_ids"] = [*chosen.get("hpo_ids", []), *inside]
    taken.update(chosen.get("excluded_hpo_ids", []), chosen.get("hpo_ids", []))


def _levels(
    field: str, columns: Mapping[str, str], chosen: Mapping[str, list[str]]
) -> Iterator[list[str]]:
    """The columns that may hold `field`, those that take precedence first: by the names that are
    known, then by the kind of the heading. A final or discharge diagnosis goes before a plain one,
    which goes before a judgement."""
    known = [[column for column in columns if column in names] for names in NAMES[field]]
    kinds = []
    if field != "narrative" or not chosen.keys() & {*SECTIONS, "narrative"}:
        kinds = [
            [
                column
                for column, name in columns.items()
                if _kind_of(name) == (field, rank) and not is_of_person(name)
            ]
            for rank, kind in enumerate(KINDS)
            if kind.field == field
        ]
    if field == "gold_names":
        first, plain, *others = known
        of_kind = [[c for c in level if c not in {*first, *plain}] for level in kinds]
        yield first
        yield from of_kind[:N_ABOVE_PLAIN]
        yield plain
        yield from [*of_kind[N_ABOVE_PLAIN:], *others]
    elif field == "record_id":  # 'Nº caso' goes before 'Paciente'
        yield from [*known[:-1], *kinds, known[-1]]
    else:
        yield from [*known, *kinds]


def _kind_of(name: str) -> tuple[str, int] | None:
    """The kind of a heading, unless it is the path of a field inside an object."""
    return None if field_inside(name) else kind_of(name)


def passed_over(
    chosen: Mapping[str, list[str]], columns: Iterable[str], named: Iterable[str]
) -> str | None:
    """A sentence on columns that hold a diagnosis, too, and are not read as the gold one, or only
    where that is empty. `chosen` has the columns of each field in the order in which they count."""
    gold = chosen.get("gold_names") or chosen.get("judgement")
    if not gold or {"gold_names", "judgement"} & {*named}:
        return None
    if "judgement" in chosen and len(gold) > 1:
        return (
            f"The gold diagnosis is that of '{gold[0]}', and where it is empty that of "
            f"{_quoted(gold[1:])}: --column 'gold={gold[1]}' takes that one alone."
        )
    others = [
        name.strip()
        for name in columns
        if name.strip() not in gold and (_kind_of(name) or ("",))[0] == "gold_names"
    ]
    if not others:
        return None
    return (
        f"The gold diagnosis is that of '{gold[0]}', not of {_quoted(others)}: --column "
        f"'gold={others[0]}' takes another."
    )


def not_stored(
    taken: Mapping[str, list[str]], unread: Iterable[str], of_names: Collection[str]
) -> str | None:
    """A sentence on columns that tell who a patient is and are not stored: record numbers and the
    like, and `of_names`, those with names of people."""
    persons = [name for name in unread if is_of_person(name) or name in of_names]
    if not persons:
        return None
    verb = "tells who a patient is and is" if len(persons) == 1 else "tell who a patient is and are"
    sentence = f"{_quoted(persons)} {verb} not stored"
    number = next((name for name in persons if name not in of_names), None)
    if "record_id" in taken:
        return f"{sentence}."
    return f"{sentence}: cases are named by case_id (kernel29 cases list SET)." + (
        f" --column 'id={number or persons[0]}' stores it as their id"
        f"{'' if number else ', if it holds no names'}."
    )


def _beside_sections(
    file: str, columns: Mapping[str, str], chosen: dict[str, list[str]]
) -> dict[str, list[str]]:
    """Next to columns of sections the text is a section, too: the history. Raises FileError if
    there is one."""
    if "history" in chosen:
        text_column, history = (columns[chosen[field][0]] for field in ("narrative", "history"))
        raise FileError(
            f"{file}: the columns {_quoted([text_column, history])} could both be the text of "
            f"the case: say which with --column text={text_column.strip()}, or that the first "
            f"is a section with --column examination={text_column.strip()}."
        )
    return {"history" if field == "narrative" else field: named for field, named in chosen.items()}


def _inside(field: str, columns: Mapping[str, str], taken: set[str]) -> list[str]:
    """The columns inside objects that hold `field`, where no column of its own does."""
    return [
        column
        for column, name in columns.items()
        if column not in taken and field_inside(name) == field
    ]


def field_inside(name: str) -> str | None:
    """The field of a column inside an object, such as `note.history` or `diagnoses.code`."""
    *objects, last = map(column_key, name.split("."))
    if not objects or SECONDARY in objects:
        return None
    if EXCLUDED_ITEMS in objects:
        path = ".".join(part for part in name.split(".") if column_key(part) != EXCLUDED_ITEMS)
        return "excluded_hpo_ids" if field_inside(path) in ("hpo_ids", "hpo_names") else None
    subjects = [word for word in objects if word not in _BETWEEN] or objects
    for parents, fields, is_all in _INSIDE:
        if subjects[-1] in parents:
            for field, names in fields.items():
                if last in names:
                    return field
            if is_all:
                return None
    if last in _TOO_GENERAL:
        return None
    return next(
        (field for field, ranks in NAMES.items() if any(last in names for names in ranks)), None
    )


def _check_later(
    file: str,
    columns: Mapping[str, str],
    chosen: Mapping[str, list[str]],
    named_by_user: Collection[str],
    sample: list[dict[str, Any]],
) -> None:
    """Raise FileError if the gold diagnosis is that of a plain column, and the heading of another
    says in words that are not known that its diagnosis was made later or is the right one."""
    gold = chosen.get("gold_names", [])
    is_named = "gold_names" in named_by_user
    if not gold or is_named or gold[0] in NAMES["gold_names"][0] or LATER & {*gold[0].split("_")}:
        return
    for column, name in columns.items():
        words = {*column.split("_")}
        if column in gold or not (words & WORDS["diagnosis"] and words & LATER) or "." in name:
            continue
        if not words & OF_MODELS and _holds_diagnoses(column, sample):
            raise _several(file, "gold_names", [columns[gold[0]], name])


def _holds_diagnoses(column: str, sample: list[dict[str, Any]]) -> bool:
    """Whether most values of a column are words: no codes, dates, or yes and no."""
    values = [value for row in sample if (value := text(row.get(column)))]
    of_words = [v for v in values if len(re.findall(r"[^\W\d_]", v)) > 2 and not v[-1].isdigit()]
    return 2 * len(of_words) > len(values) and not _says_yes_or_no(column, sample)


def _is_of_another(column: str, field: str, sample: list[dict[str, Any]]) -> bool:
    """Whether the values of a column show that it is not of `field`, whatever its name."""
    if column == "sx":
        return (field == "sex") != _is_short(column, sample)
    if column in OF_PATIENT and are_names(column, sample):
        return True
    if field == "gold_names":
        return _says_yes_or_no(column, sample)
    return field == "record_id" and column in OF_CODES and _are_codes(column, sample)


def _are_codes(column: str, sample: list[dict[str, Any]]) -> bool:
    """Whether some values of a column are codes of a vocabulary, or several rows have one."""
    values = [value for row in sample if (value := text(row.get(column)))]
    return len({*values}) < len(values) or any(map(_CODE.fullmatch, values))


def _says_yes_or_no(column: str, sample: list[dict[str, Any]]) -> bool:
    """Whether a column only says yes and no: 'confirmed_diagnosis'."""
    values = {column_key(value) for row in sample if (value := text(row.get(column)))}
    return bool(values) and values <= (YES | NO) - {"s", "f", "v", "o", "n", "j", "y"}


def check_once(file: str, rows: Iterable[Row], wanted: Collection[str]) -> None:
    """Raise FileError if two columns of a row have one name but for case, accents and signs, and it
    is one of `wanted`."""
    for _, row in rows:
        seen: dict[str, str] = {}
        for name in filter(None, row):
            other = seen.setdefault(column_key(name), name)
            if other != name and column_key(name) in wanted and column_key(name):
                raise FileError(
                    f"{file}: the columns {_quoted([other, name])} have one name but for case, "
                    "accents and signs: rename one of them."
                )


def _several(file: str, field: str, names: list[str]) -> FileError:
    subjects = {"narrative": "the text of the case", "gold_names": "the gold diagnosis"}
    both = " ".join(f"--column 'text={name.strip()}'" for name in names)
    joined = f", or read all of them, one after the other, with {both}"
    return FileError(
        f"{file}: the columns {_quoted(names)} could both be {subjects.get(field, field)}: say "
        f"which with --column {field}={names[0].strip()}{joined if field == 'narrative' else ''}."
    )


def _check_once(file: str, field: str, column: str, columns: Mapping[str, str]) -> None:
    """Raise FileError if two columns have the name that was taken for `field`."""
    again = next((name for name in columns.values() if name == f"{columns[column]} (2)"), None)
    if again:
        raise _several(file, field, [columns[column], again])


def _lies_on_its_side(sample: list[dict[str, Any]]) -> bool:
    """Whether the first column has the names of those of a text and of a gold diagnosis."""
    firsts = [str(next(iter(row.values()), "") or "") for row in sample]
    fields = {_field_named(name) for name in firsts if len(name) <= LONGEST_NAME}
    of_texts = {"narrative", *SECTIONS} & fields
    return len(sample) < len(sample[0]) and "gold_names" in fields and bool(of_texts)


def _field_named(name: str) -> str | None:
    key = column_key(name)
    levels = ((field, level) for field, of_field in NAMES.items() for level in of_field)
    known = next((field for field, level in levels if key in level), None)
    return known or (kind_of(name) or (None,))[0]


def _check(
    file: str,
    columns: dict[str, str],
    chosen: dict[str, list[str]],
    sample: list[dict[str, Any]],
    *,
    without_gold: bool,
) -> None:
    of_ids = [
        columns[column].strip()
        for column in columns
        if column not in (*chosen.get("excluded_hpo_ids", ()), *chosen.get("gold_codes", ()))
        and presence.has_ids(row.get(column) for row in sample)
    ]
    text_column = f"--column 'hpo_ids={of_ids[0]}'" if of_ids else "--column text=NAME"
    has_text = any(field in chosen for field in ("narrative", *SECTIONS, "hpo_ids", "hpo_names"))
    gold = ("gold_names", "gold_codes", "icd10_code", "judgement")
    has_gold = without_gold or any(field in chosen for field in gold)
    lacking = {
        **({} if has_text else {"the text of the case": text_column}),
        **({} if has_gold else {"the gold diagnosis": "--column gold=NAME"}),
    }
    if lacking and _lies_on_its_side(sample):
        raise FileError(
            f"{file} has the names of its columns in the first column: it lies on its side. Turn "
            "it (in Excel: copy, paste special, transpose), so that each case has a row."
        )
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


def _is_short(column: str, sample: list[dict[str, Any]]) -> bool:
    """Whether the values of a column are single words, such as a sex."""
    values = [value for row in sample if (value := text(row.get(column)))]
    return all(len(value) < 10 and len(value.split()) == 1 for value in values)


def are_names(column: str, sample: list[dict[str, Any]]) -> bool:
    """Whether most values of a column are no ids and no texts but names of people: no digit in
    them, and few words, each with a capital ('de', 'von' and the like aside)."""
    values = [value for row in sample if (value := text(row.get(column)))]
    return 2 * sum(map(_is_name, values)) > len(values)


def of_people(present: Iterable[str], sample: list[dict[str, Any]]) -> set[str]:
    """The columns with names of patients, by what is in them: 'Paciente', 'Nom'."""
    return {
        name.strip()
        for name in present
        if column_key(name) in OF_PATIENT and are_names(column_key(name), sample)
    }


def _is_name(value: str) -> bool:
    words = re.findall(r"\w+", value)
    telling = [word for word in words if len(word) > 1 and column_key(word) not in ID_OR_TEXT]
    if not telling:  # 'Patient A', a letter
        return False
    is_of_words = 1 < len(words) < 8 and all(word[0].isupper() or len(word) < 4 for word in words)
    is_short = len(words) < 3  # 'ana pérez', 'AGM'
    return (is_of_words or is_short) and not any(letter.isdigit() for letter in value)


def _quoted(names: Iterable[str]) -> str:
    return listed(f"'{name.strip()}'" for name in names if name)


def listed(names: Iterable[str]) -> str:
    """Names of columns in a message, not more than somebody reads."""
    written = [name.strip() for name in names]
    return ", ".join([*written[:MOST_LISTED], *["…"] * (len(written) > MOST_LISTED)])
