"""What people say of whole lists: at which rank the gold diagnosis stands, or whether it is among
the first k. Which columns of a file say so, and what their values mean."""

import re
from collections.abc import Mapping, Sequence

from python_llm.errors import FileError
from python_llm.imports.tables import Row
from python_llm.labels import layout
from python_llm.parsing.folding import column_key, name_key
from python_llm.registries.label_spelling import NO_LABEL, is_doubted
from python_llm.runs.reading import A_GOLD_RANK, gold_rank_of

GOLD_RANK = "gold_rank"  # the scale of ranks; the others are top1, top3, top5, … of hits
HITS = {
    **dict.fromkeys(("yes", "y", "si", "s", "true", "t", "verdadero", "v", "1", "1 0"), "yes"),
    **dict.fromkeys(("hit", "found", "correct", "acierto", "correcto", "correcta", "ok"), "yes"),
    **dict.fromkeys(("present", "presente", "right", "in list"), "yes"),
    **dict.fromkeys(("no", "n", "false", "f", "falso", "0", "0 0", "miss", "wrong"), "no"),
    **dict.fromkeys(("not found", "incorrect", "fallo", "incorrecto", "incorrecta"), "no"),
    **dict.fromkeys(("absent", "ausente", "not in list", "否"), "no"),
}
CROSSES = {"x", "X"}  # a box that is ticked, or a hit that is missed
SIGNS = {"✓": "yes", "✔": "yes", "✗": "no", "✘": "no"}  # which have no letters
A_NUMBER = re.compile(r"\d+(?:[.,]0+)?")
ROLE = re.compile(r"gold_rank|top[1-9]\d?")  # of --column
# top5, hit@5, in_top_5, correct_top1, acierto_5, aciertos en los 3 primeros
DEPTH = re.compile(
    r"(?:(?:top|hits?|first|primer[oa]s?|acc(?:uracy)?|recall|aciertos?|correct[oa]?|found|success)"
    r"_?(?:(?:at|in|en|the|l[oa]s?)_?)*(?:top|first|primer[oa]s?)?_?(?P<after>[1-9]\d?)"
    r"|(?P<before>[1-9]\d?)_primer[oa]s?)(?![\d])"
)
IN_NAMES = {  # words of such a name that are nobody's
    *("in", "is", "the", "hit", "hits", "gold", "correct", "correcto", "acierto", "aciertos", "at"),
    *("label", "labels", "grade", "grading", "score", "en", "las", "los", "list", "lista", "rank"),
    *("dx", "diagnosis", "found", "of", "de", "p", "top", "gt", "predict", "rango", "posicion"),
    *("puntuacion", "nota", "etiqueta", "valoracion", "evaluacion", "grado", "rating", "value"),
    *("k", "yes", "no", "first", "golden", "truth", "true", "primeros", "primeras", "esta"),
}
OF_GOLD_RANK = {"gold_rank", "gt_rank", "rank_of_gold", "rank_of_gt", "golden_rank", "true_rank"}
OF_GOLD_RANK |= {"predict_rank", "correct_rank", "rank_of_truth", "rango_correcto", "p_grade"}
OF_GOLD_RANK |= {"posicion_correcta", "rango_del_correcto", "rank_correct"}

# What may stand in a header, for finding it
HEADINGS = [
    f"{word}{joint}{k}" for word in ("top", "hit") for joint in ("", "_") for k in (1, 3, 5)
]
HEADINGS += sorted(OF_GOLD_RANK | {"score", "acierto", "correct", "grade"})
# (rater, '' if the name says none; scale; column)
Columns = list[tuple[str, str, str]]


def columns(rows: Sequence[Row], assigned: Mapping[str, str], raters: Sequence[str]) -> Columns:
    """The columns of a file that grade whole lists; none if it labels ranks.

    `assigned` maps roles (gold_rank, top1, top5, …) to columns, `raters` are columns too. Otherwise
    a name that asks whether something is among the first k has hits, one that says rank of the gold
    diagnosis, or in which most is written P0, P1, …, has ranks. FileError for a column that
    is not there.
    """
    present = list(dict.fromkeys(name for row in rows for name in row.values))
    graded: Columns = []
    for role, column in assigned.items():
        if column not in present:
            raise FileError(
                f"--column {role}={column}: there is no such column; there are "
                f"{', '.join(present)}."
            )
        graded.append(("", role, column))
    taken = {column for *_, column in graded}
    for name in present:
        if name not in taken and (grading := _by_name(rows, name)) is not None:
            graded.append(grading)
    named = [name for name in raters if name in {column for *_, column in graded}]
    if named:
        graded = [(name, scale, name) for _, scale, name in graded if name in named]
    return graded


def _by_name(rows: Sequence[Row], name: str) -> tuple[str, str, str] | None:
    cells = [row.values.get(name, "").strip() for row in rows]
    written = [text for text in cells if name_key(text) not in NO_LABEL or text in SIGNS]
    folded = column_key(name)
    if not written or layout.is_beside(name):
        return None
    n_p_grades = sum(A_GOLD_RANK.fullmatch(text) is not None for text in written)
    are_ranks = 2 * n_p_grades > len(written)
    depth = DEPTH.search(folded)
    if depth is not None and not layout.is_of_ranks(name):
        scale = f"top{depth['after'] or depth['before']}"
        ranks = [gold_rank_of(text) or 0 for text in written if A_NUMBER.fullmatch(text)]
        if are_ranks or (max(ranks, default=0) > 1 and 2 * len(ranks) > len(written)):
            scale = GOLD_RANK
        if 2 * sum(grade(text, scale) is not None for text in written) < len(written):
            return None
        return _rater(f"{folded[: depth.start()]}_{folded[depth.end() :]}"), scale, name
    is_named = next((word for word in OF_GOLD_RANK if word in folded), "")
    n_readable = sum(gold_rank_of(text) is not None for text in written)
    if are_ranks or (is_named and 2 * n_readable > len(written)):
        return _rater(folded.replace(is_named, "")), GOLD_RANK, name
    return None


def _rater(folded: str) -> str:
    """Who a name says graded: what is left of it."""
    words = [word for word in folded.split("_") if word and word not in IN_NAMES]
    return "_".join(words)


def meanings(spellings: Sequence[tuple[str, str]]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Of pairs of a spelling and its label: those of gradings, and the others."""
    gradings = {spelling(written): label for written, label in spellings if _is_grading(label)}
    return gradings, [pair for pair in spellings if not _is_grading(pair[1])]


def spelling(written: str) -> str:
    return name_key(written) + "?" * is_doubted(written)


def _is_grading(label: str) -> bool:
    return name_key(label) in ("yes", "no") or bool(A_GOLD_RANK.fullmatch(label))


def grade(written: str, scale: str, spellings: Mapping[str, str] | None = None) -> str | None:
    """What a grading says: 'yes' or 'no' of a hit, the rank as a number, '0' for none; None if it
    says neither. A rank in answer to the question for a hit answers it."""
    text = (spellings or {}).get(spelling(written), written)
    if is_doubted(text):
        return None
    rank = gold_rank_of(text)
    if scale == GOLD_RANK:
        return None if rank is None else str(rank)
    if A_GOLD_RANK.fullmatch(text) and rank is not None:
        return "yes" if 0 < rank <= int(scale.removeprefix("top")) else "no"
    return (
        HITS.get(name_key(text)) or SIGNS.get(text.strip()) or ("yes" if text in CROSSES else None)
    )


def unclear_crosses(rows: Sequence[Row], columns: Columns) -> set[str]:
    """The columns in which an x may mean yes or no: beside it stands more than empty cells."""
    unclear = set()
    for *_, column in columns:
        cells = {row.values.get(column, "").strip() for row in rows}
        others = {
            mark for mark in cells - CROSSES if name_key(mark) not in NO_LABEL or mark in SIGNS
        }
        if cells & CROSSES and others:
            unclear.add(column)
    return unclear


def known(scale: str) -> str:
    """What can be written, for whoever wrote something else."""
    return "P0, P1, P2, …" if scale == GOLD_RANK else "yes or no, 1 or 0, or P0, P1, P2, …"


def alias_of(rater: str) -> str:
    """A rater's name as part of a judge's."""
    return re.sub(r"[\s/]+", "_", rater.strip())
