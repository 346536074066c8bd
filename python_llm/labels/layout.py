"""Where a file of gradings has what: whatever people call their columns, and however they lay the
ranks of a list out, becomes one row a diagnosis with columns that play known roles."""

import json
import re
from collections.abc import Mapping

from python_llm import tables
from python_llm.errors import FileError
from python_llm.runs.importing import ROLES as RUN_ROLES
from python_llm.runs.importing import WIDE_KINDS
from python_llm.tables import Row, fold

# What a column may be called, accents, case and punctuation aside. The first that is there counts.
ROLES = {
    **{role: RUN_ROLES[role] for role in ("case", "gold", "rank")},
    "diagnosis": (*RUN_ROLES["diagnosis"], "prediction", "answer", "dx"),
    "relation": (*RUN_ROLES["relation"], "label", "grade", "grading", "rating", "relacion"),
    "severity": RUN_ROLES["severity"],
    "gold_severity": ("gold_severity", "true_severity", "gravedad_real"),
    "configuration": ("configuration_id", "configuration"),
    "model": ("model", "modelo", "llm", "system", "sistema", "model_name", "model_id"),
    "rater": (
        *("rater", "grader", "annotator", "reviewer", "clinician", "physician", "doctor"),
        *("expert", "evaluator", "judge", "rater_id", "evaluador", "medico", "clinico"),
    ),
}
# Words that tell the role of a column with any other name, in English and Spanish
OF_GOLD = {
    *("gold", "golden", "gt", "gdx", "truth", "true", "real", "oro", "reference", "referencia"),
    *("correct", "correcto", "actual", "verdadero", "target", "final"),
}
OF_SEVERITY = {"severity", "severidad", "gravedad"}
OF_RELATION = {
    *("relation", "relationship", "relacion", "semantic", "semantica", "similarity", "similitud"),
    *("equivalence", "equivalencia", "concordancia"),
}
OF_GRADE = {
    *("score", "rating", "grade", "grading", "label", "puntuacion", "nota", "calificacion"),
    *("grado", "valoracion", "etiqueta", "evaluacion"),
}
OF_RANK = {"rank", "rango", "ranking", "posicion", "position", "puesto", "orden", "order"}
OF_CASE = {"case", "caso", "patient", "paciente", "record", "historia", "vignette", "vineta"}
OF_DIAGNOSIS = {
    *("diagnosis", "diagnostico", "dx", "ddx", "disease", "enfermedad", "predicted", "prediction"),
    *("prediccion", "proposed", "propuesto", "candidate", "answer", "respuesta", "hypothesis"),
}
OF_MODEL = {"model", "modelo", "llm", "system", "sistema"}
OF_NOTHING = {
    *("reason", "reasoning", "explanation", "justification", "comment", "comments", "motivo"),
    *("razon", "razonamiento", "justificacion", "comentario", "comentarios", "notes", "confidence"),
    *("date", "fecha", "code", "codigo", "icd10", "icd", "cie10", "orpha", "omim", "distance"),
}
OF_RATER = re.compile(r"(.+)_(relation|semantic_relation|semantic|severity|severidad|gravedad)")
A_RATER = re.compile(
    r"(?:rater|grader|annotator|reviewer|clinician|physician|doctor|expert|evaluator|evaluador"
    r"|medico|clinico|dra?)_?\w+"
)
A_GOLD_RANK = re.compile(r"[pP][0-5]")
# dx1, diagnosis_2, top3_relation, relation_4, gravedad5
OF_A_RANK = re.compile(
    rf"(?:(?:{'|'.join(WIDE_KINDS)})_?(?P<one>\d{{1,2}})(?:_(?P<of>\w+))?"
    r"|(?P<role>relation|semantic_relation|label|grade|relacion|severity|severidad|gravedad)"
    r"_?(?P<two>\d{1,2}))"
)
# What may stand in a header, for finding it: names and the words that tell
HEADINGS = [
    *(name for names in ROLES.values() for name in names),
    *sorted(OF_GOLD | OF_RELATION | OF_GRADE | OF_RANK | OF_CASE | OF_DIAGNOSIS),
    *(f"{kind}{joint}{rank}" for kind in WIDE_KINDS for joint in ("", "_") for rank in range(1, 6)),
]


def guess(name: str) -> str | None:
    """The role of a column by its name alone; None if its words do not tell."""
    written = fold(name)
    for role, names in ROLES.items():
        if written in names:
            return role
    words = set(written.split("_"))
    if not words or words & OF_NOTHING:
        return None
    if words & OF_SEVERITY:
        return "gold_severity" if words & OF_GOLD else "severity"
    for role, telling in (
        *(("relation", OF_RELATION), ("gold", OF_GOLD), ("rank", OF_RANK)),
        *(("diagnosis", OF_DIAGNOSIS), ("case", OF_CASE), ("model", OF_MODEL)),
        ("rater", set(ROLES["rater"])),
    ):
        if words & telling:
            return role
    return "relation" if words <= OF_GRADE else None


def one_row_a_diagnosis(rows: list[Row]) -> list[Row]:
    """`rows`, lists inside a row laid out: objects in a column of JSON, or columns dx1, dx2, …"""
    nested = next((name for name in rows[0].values if _objects(rows[0].values[name])), None)
    if nested is not None:
        return [
            Row(row.number, {**rest, "rank": str(rank), **each})
            for row in rows
            for rest in [{name: text for name, text in row.values.items() if name != nested}]
            for rank, each in enumerate(_objects(row.values.get(nested, "")), 1)
        ]
    found = {name: OF_A_RANK.fullmatch(fold(name)) for name in rows[0].values}
    places = {
        name: (int(match["one"] or match["two"]), match["of"] or match["role"] or "diagnosis")
        for name, match in found.items()
        if match
    }
    if len({rank for rank, what in places.values() if what == "diagnosis"}) < 2:
        return rows
    return [
        Row(row.number, {**rest, "rank": str(rank), **each})
        for row in rows
        for rest in [{name: text for name, text in row.values.items() if name not in places}]
        for rank in sorted({rank for rank, _ in places.values()})
        for each in [
            {what: row.values[name] for name, (place, what) in places.items() if place == rank}
        ]
        if each.get("diagnosis", "").strip()
    ]


def _objects(text: str) -> list[dict[str, str]]:
    """The objects of a JSON array, values as text; none if `text` is anything else."""
    if not text.startswith("[{"):
        return []
    try:
        items = json.loads(text)
    except json.JSONDecodeError:
        return []
    return [
        {str(key): "" if value is None else str(value) for key, value in item.items()}
        for item in items
        if isinstance(item, dict)
    ]


def columns_by_role(rows: list[Row], given: Mapping[str, str], path_name: str) -> dict[str, str]:
    """Which column plays which role: as `given`, otherwise by its name, otherwise by its words.

    Several columns that could be the relation are the columns of several raters, and left to them.
    FileError for a role or a column that does not exist, and where two columns could be the
    gold diagnosis, the diagnosis or the case.
    """
    present = list(dict.fromkeys(name for row in rows for name in row.values))
    roles = tables.roles(rows, ROLES, given)
    taken = set(roles.values())
    for role in ROLES:
        likely = [
            name
            for name in present
            if name not in taken
            and guess(name) == role
            and not OF_RATER.fullmatch(fold(name))
            and not A_RATER.fullmatch(fold(name))
        ]
        if role in roles or not likely:
            continue
        if len(likely) > 1 and role in ("gold", "diagnosis", "case"):
            raise FileError(
                f"{path_name}: '{likely[0]}' and '{likely[1]}' could both be the {role}: say "
                f"which with --column {role}=NAME."
            )
        if len(likely) == 1 or role not in ("relation", "severity"):
            roles[role] = likely[0]
            taken.add(likely[0])
    return roles


def raters_columns(present: list[str], taken: set[str]) -> list[tuple[str, str | None, str]]:
    """Columns of one rater each: (rater, scale or None, column).

    Named anna_relation, 'Severity (Anna)', 'Puntuación Dra. Ruiz', rater_1, 'Dr. Smith'.
    """
    found: list[tuple[str, str | None, str]] = []
    for name in present:
        written = fold(name)
        words = [word for word in written.split("_") if word]
        if name in taken or set(words) & OF_NOTHING:
            continue
        scale = "severity" if set(words) & OF_SEVERITY else None
        if scale is None and set(words) & OF_RELATION:
            scale = "semantic"
        rater = [word for word in words if word not in OF_SEVERITY | OF_RELATION | OF_GRADE]
        if A_RATER.fullmatch(written) and scale is None:
            found.append((name, None, name))
        elif rater and len(rater) < len(words):
            found.append(("_".join(rater), scale, name))
    return found
