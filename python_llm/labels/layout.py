"""Where a file of gradings has what: whatever people call their columns, and however they lay the
ranks of a list out, becomes one row a diagnosis with columns that play known roles."""

import re
from collections.abc import Callable, Mapping
from itertools import pairwise

from python_llm.errors import FileError
from python_llm.imports import tables
from python_llm.imports.numbered_rows import SHEET, Row
from python_llm.labels.unfolding import unfolded
from python_llm.parsing.folding import column_key
from python_llm.runs.reading import ROLES as RUN_ROLES
from python_llm.runs.reading import WIDE_KINDS

# What a column may be called, accents, case and punctuation aside. The first that is there counts.
# who graded, in exports of tools for annotation
OF_USERS = (
    *("annotator_id", "annotator_name", "annotator_email", "annotated_by", "completed_by"),
    *("labeled_by", "labelled_by", "graded_by", "rated_by", "created_by", "evaluator_id"),
    *("reviewer_id", "user", "user_id", "username", "user_name"),
    # of forms
    *("email", "e_mail", "email_address", "your_name", "your_email", "correo_electronico"),
    *("direccion_de_correo_electronico", "nombre_de_usuario", "tu_nombre", "su_nombre"),
)
ROLES = {
    **{role: RUN_ROLES[role] for role in ("case", "gold", "rank")},
    "rater": (*RUN_ROLES["rater"], *OF_USERS),
    "diagnosis": (*RUN_ROLES["diagnosis"], "prediction", "answer", "dx"),
    "relation": (*RUN_ROLES["relation"], "label", "grade", "grading", "rating", "relacion"),
    "severity": RUN_ROLES["severity"],
    "gold_severity": ("gold_severity", "true_severity", "gravedad_real"),
    "configuration": ("configuration_id", "configuration"),
    "model": ("model", "modelo", "llm", "system", "sistema", "model_name", "model_id"),
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
    *("seconds", "secs", "segundos", "time", "tiempo", "minutes", "minutos", "duration", "ms"),
    *("duracion", "timestamp", "hora", "cost", "tokens", "confianza", "certeza", "certainty"),
    *("probability", "probabilidad", "prob"),
}
OF_RATER = re.compile(r"(.+)_(relation|semantic_relation|semantic|severity|severidad|gravedad)")
A_RATER = re.compile(
    r"(?:rater|grader|annotator|reviewer|clinician|physician|doctor|expert|evaluator|evaluador"
    r"|medico|clinico|dra?)(?!_?(?:id|name|initials|number|nombre|iniciales|numero)$)_?\w+"
)
# dx1, diagnosis_2, top3_relation, semantic_4, gravedad5
OF_A_RANK = re.compile(r"(?P<before>\D*?)_?(?P<rank>\d{1,2})(?:_(?P<after>\D+))?")
# What may stand in a header, for finding it: names and the words that tell
HEADINGS = [
    *(name for names in ROLES.values() for name in names),
    *sorted(OF_GOLD | OF_RELATION | OF_GRADE | OF_RANK | OF_CASE | OF_DIAGNOSIS),
    *(f"{kind}{joint}{rank}" for kind in WIDE_KINDS for joint in ("", "_") for rank in range(1, 6)),
]


def _words(written: str) -> set[str]:
    """The words of a folded name, those in the plural in the singular too."""
    words = set(written.split("_")) - {""}
    for ending, singular in (("s", ""), ("es", ""), ("es", "is"), ("ies", "y")):
        words |= {w.removesuffix(ending) + singular for w in words if w.endswith(ending)}
    return words


def guess(name: str) -> str | None:
    """The role of a column by its name alone, `gold_rank` for the rank of the gold diagnosis; None
    if its words do not tell."""
    written = column_key(name)
    for role, names in ROLES.items():
        if written in names:
            return role
    words = _words(written)
    if not words or words & OF_NOTHING:
        return None
    if words & OF_RANK and words & OF_GOLD:
        return "gold_rank"
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
    """`rows`, lists inside a row laid out: objects and lists in cells, columns dx1, dx2, …, or a
    column of diagnoses for each model with its labels beside it ('gpt4', 'gpt4 relation')."""
    rows = _filled_down(unfolded(rows, guess))
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    ranks = {
        name: rank_and_role
        for name in names
        if not _rank_and_rater(name) and (rank_and_role := _rank_and_role(name))
    }
    diagnoses = [name for name, (_, role) in ranks.items() if role == "diagnosis"]
    # a table of hit rates has numbers there: top1, top3, top5
    has_names = any(any(map(str.isalpha, row.values.get(n, ""))) for row in rows for n in diagnoses)
    if has_names and len({ranks[name][0] for name in diagnoses}) > 1:
        return _row_per_value(
            rows, "rank", {name: (str(n), role) for name, (n, role) in ranks.items()}
        )
    if of_labels := _labels_of_ranks(names):
        return _row_per_value(rows, "rank", of_labels)
    has_diagnosis = any(guess(name) == "diagnosis" for name in names)
    models = {} if has_diagnosis else _models_columns(names)
    return _row_per_value(rows, "model", models) if models else rows


def _row_per_value(
    rows: list[Row], new_column: str, columns: Mapping[str, tuple[str, str]]
) -> list[Row]:
    """A row for each value of `new_column`; `columns` maps a column to its value and its role."""
    by_value: dict[str, dict[str, str]] = {}
    for name, (value, role) in columns.items():
        by_value.setdefault(value, {})[role] = name
    roles = {role for name_of in by_value.values() for role in name_of}
    laid_out = []
    for row in rows:
        shared = {name: text for name, text in row.values.items() if name not in columns}
        for value, name_of in by_value.items():
            cells = {role: row.values.get(name, "") for role, name in name_of.items()}
            if cells.get("diagnosis", "" if "diagnosis" in roles else _any(cells)).strip():
                laid_out.append(Row(row.number, {**shared, new_column: value, **cells}))
    return laid_out


def _any(cells: Mapping[str, str]) -> str:
    return next((text for text in cells.values() if text.strip()), "")


def _labels_of_ranks(names: list[str]) -> dict[str, tuple[str, str]]:
    """Columns of the labels of one rank each, without its diagnosis: the rank, and the scale or the
    rater ('rank1_relation', 'dx2 rater A'). None if there are fewer than two ranks, or a column of
    ranks or diagnoses beside them."""
    columns: dict[str, tuple[str, str]] = {}
    for name in names:
        if labelled := _rank_and_rater(name):
            columns[name] = labelled
        elif (known := _rank_and_role(name)) and known[1] != "diagnosis":
            columns[name] = (str(known[0]), known[1])
    others = {guess(name) for name in names if name not in columns}
    several = len({rank for rank, _ in columns.values()}) > 1
    return columns if several and not others & {"rank", "diagnosis"} else {}


def _rank_and_rater(name: str) -> tuple[str, str] | None:
    """The rank and the rater of a column of one rank's labels by one rater."""
    for match in re.finditer(
        r"(?:dx|rank|top|diagnosis|pred|p)_?(\d{1,2})(?!\d)", column_key(name)
    ):
        written = column_key(name)
        rest = f"{written[: match.start()]}_{written[match.end() :]}".strip("_")
        if A_RATER.fullmatch(rest):
            return match[1], rest
    return None


def _rank_and_role(name: str) -> tuple[int, str] | None:
    """The rank and the role of a column of one rank: 'dx1' is (1, 'diagnosis')."""
    match = OF_A_RANK.fullmatch(column_key(name))
    if match is None:
        return None
    words = [word for part in (match["before"], match["after"]) for word in (part or "").split("_")]
    words = [word for word in words if word]
    telling = [word for word in words if word not in ("rank", "top")]
    if words and (not telling or "_".join(telling) in WIDE_KINDS):
        return int(match["rank"]), "diagnosis"
    role = guess("_".join(telling))
    return (int(match["rank"]), role) if role in ("diagnosis", "relation", "severity") else None


def _models_columns(names: list[str]) -> dict[str, tuple[str, str]]:
    """Columns of what each model said and of its labels: the model, and diagnosis or scale."""
    by_fold = {column_key(name): name for name in names}
    columns: dict[str, tuple[str, str]] = {}
    for name in names:
        words = column_key(name).split("_")
        scales = {*words} & (OF_RELATION | OF_SEVERITY | OF_GRADE)
        model = by_fold.get("_".join(word for word in words if word not in scales))
        if not scales or model is None or model == name or guess(model) is not None:
            continue
        columns[model] = (model, "diagnosis")
        columns[name] = (model, "severity" if scales & OF_SEVERITY else "relation")
    return columns


def _filled_down(rows: list[Row]) -> list[Row]:
    """`rows`, where each list names its case and gold diagnosis in its first row only.

    That is so if most rows name neither and no row names what the one above it does; elsewhere an
    empty cell is a mistake in its row.
    """
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    of_list = [name for name in names if guess(name) in ("case", "gold", "model")]
    subjects = [tuple(row.values.get(name, "").strip() for name in of_list) for row in rows]
    firsts = [subject for subject in subjects if any(subject)]
    if not firsts or not any(subjects[0]) or 2 * len(firsts) > len(rows):
        return rows
    if any(subject == following for subject, following in pairwise(firsts)):
        return rows
    filled = []
    for row, subject in zip(rows, subjects, strict=True):
        if any(subject):
            above = {name: row.values.get(name, "") for name in of_list}
        has_more = any(text.strip() for text in row.values.values())
        filled.append(Row(row.number, {**row.values, **above}) if has_more else row)
    return filled


def columns_by_role(
    rows: list[Row],
    assigned: Mapping[str, str],
    path_name: str,
    holds_labels: Callable[[str], bool],
) -> dict[str, str]:
    """Which column plays which role: as `assigned`, otherwise by its name, otherwise by its words.

    Of several that could be a diagnosis those with nothing but numbers are not, of several that
    could be the relation or the severity the only one that `holds_labels` is. Otherwise they
    are the columns of several raters, and left to them.
    FileError for a role or a column that does not exist, and where two columns could be the
    gold diagnosis, the diagnosis or the case.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row.values))
    roles = tables.roles(rows, ROLES, assigned)
    taken = set(roles.values())
    for role in ROLES:
        # a word before the scale is a rater's where no column names the raters: expert_relation
        is_of_one = role in ("relation", "severity") and "rater" in roles
        candidates = [
            name
            for name in columns
            if name not in taken
            and guess(name) == role
            and (is_of_one or not OF_RATER.fullmatch(column_key(name)))
            and (is_of_one or not A_RATER.fullmatch(column_key(name)))
        ]
        if role in roles or not candidates:
            continue
        if len(candidates) > 1 and role in ("gold", "diagnosis"):
            candidates = [name for name in candidates if _has_words(rows, name)] or candidates
        elif len(candidates) > 1 and role in ("relation", "severity"):
            labels = [name for name in candidates if holds_labels(name)]
            candidates = labels if len(labels) == 1 else candidates
        if len(candidates) > 1 and role in ("gold", "diagnosis", "case"):
            raise FileError(
                f"{path_name}: '{candidates[0]}' and '{candidates[1]}' could both be the {role}: "
                f"say which with --column {role}=NAME."
            )
        if len(candidates) == 1 or role not in ("relation", "severity"):
            roles[role] = candidates[0]
            taken.add(candidates[0])
    return roles


def _has_words(rows: list[Row], name: str) -> bool:
    """Whether a column has names; numbers are ids."""
    return any(letter.isalpha() for row in rows for letter in row.values.get(name, ""))


def add_sheets(rows: list[Row], roles: dict[str, str]) -> None:
    """The role of the sheets of a book, if it is none of `roles` yet: of a rater each if most
    things are in several of them, otherwise of a model each."""
    if any(SHEET not in row.values for row in rows) or SHEET in roles.values():
        return
    of_thing: dict[tuple[str, ...], set[str]] = {}
    parts = [roles[role] for role in ("case", "gold", "diagnosis", "rank") if role in roles]
    for row in rows:
        thing = tuple(column_key(row.values.get(part, "")) for part in parts)
        of_thing.setdefault(thing, set()).add(row.values[SHEET])
    n_shared = sum(len(sheets) > 1 for sheets in of_thing.values())
    role = "rater" if 2 * n_shared > len(of_thing) else "model"
    roles.setdefault(role, SHEET)


def is_of_ranks(name: str) -> bool:
    """Whether a column by its name has labels of one rank: top3_relation."""
    return bool(_words(column_key(name)) & (OF_RELATION | OF_SEVERITY))


def is_beside(name: str) -> bool:
    """Whether a column by its name stands beside labels: comments, dates, codes."""
    return bool(_words(column_key(name)) & OF_NOTHING)


def is_of_diagnoses(name: str, beside: str) -> bool:
    """Whether a column by its name has diagnoses where the one beside it has none: gold_diagnosis
    beside gold_rank is the gold diagnosis, and no rater."""
    names = column_key(name), column_key(beside)
    of_name, of_beside = (_words(folded) & OF_DIAGNOSIS for folded in names)
    return bool(of_name - of_beside) or names[0] in ROLES["gold"]


def raters_columns(present: list[str], taken: set[str]) -> list[tuple[str, str | None, str]]:
    """Columns of one rater each: (rater, scale or None, column).

    Named anna_relation, 'Severity (Anna)', 'Puntuación Dra. Ruiz', rater_1, 'Dr. Smith'.
    """
    columns: list[tuple[str, str | None, str]] = []
    for name in present:
        written = column_key(name)
        words = [word for word in written.split("_") if word]
        if name in taken or is_beside(name):
            continue
        scale = "severity" if set(words) & OF_SEVERITY else None
        if scale is None and set(words) & OF_RELATION:
            scale = "semantic"
        telling = OF_SEVERITY | OF_RELATION | OF_GRADE
        rater = [word for word in words if not _words(word) & telling]
        if A_RATER.fullmatch(written) and scale is None:
            columns.append((name, None, name))
        elif rater and len(rater) < len(words):
            columns.append(("_".join(rater), scale, name))
    return columns
