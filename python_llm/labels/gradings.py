"""What people say of whole lists: at which rank the gold diagnosis stands, or whether it is among
the first k. Which columns of a file say so, and what their values mean."""

import re
from collections.abc import Mapping, Sequence

from python_llm.errors import FileError
from python_llm.imports.numbered_rows import Row
from python_llm.labels import column_words, counting, layout
from python_llm.parsing.folding import column_key, name_key
from python_llm.parsing.ordinals import ORDINALS
from python_llm.registries.label_spelling import is_doubted, says_nothing
from python_llm.runs.reading import A_GOLD_RANK, gold_rank_of

GOLD_RANK = "gold_rank"  # the scale of ranks; the others are top1, top3, top5, … of hits
HITS = {
    **dict.fromkeys(("yes", "y", "si", "s", "true", "t", "verdadero", "v", "1", "1 0"), "yes"),
    **dict.fromkeys(("hit", "found", "correct", "acierto", "correcto", "correcta", "ok"), "yes"),
    **dict.fromkeys(("present", "presente", "right", "in list"), "yes"),
    **dict.fromkeys(("oui", "o", "ja", "j", "sim", "vrai", "wahr", "richtig"), "yes"),
    **dict.fromkeys(("non", "nein", "nao", "faux", "falsch"), "no"),
    **dict.fromkeys(("no", "n", "false", "f", "falso", "0", "0 0", "miss", "wrong"), "no"),
    **dict.fromkeys(("not found", "incorrect", "fallo", "incorrecto", "incorrecta"), "no"),
    **dict.fromkeys(("absent", "ausente", "not in list", "否"), "no"),
}
ABSENT = {"absent", "ausente", "missed", "miss", "not listed", "not present", "no aparece"}
ABSENT |= {"nicht enthalten", "nicht vorhanden", "nicht dabei", "nicht genannt", "fehlt"}
ABSENT |= {"nicht in der liste", "absente", "non cite", "pas dans la liste", "non liste"}
ABSENT |= {"assente", "non presente", "nao listado", "nao consta", "nao aparece", "no listado"}
CROSSES = {"x", "X"}  # a box that is ticked, or a hit that is missed
SIGNS = {  # which have no letters
    **dict.fromkeys("✓✔✅☑👍", "yes"),
    **dict.fromkeys("✗✘✖✕❌❎☐👎", "no"),
}
WHOLE_SHARES = {"100": "yes", "100 0": "yes", "0": "no", "0 0": "no"}  # of a credit, in percent
A_NUMBER = re.compile(r"\d+(?:[.,]0+)?")
ORDINAL = re.compile(r"^\s*(\d{1,2})\s*(?:st|nd|rd|th|er|[eè]me|\.?[ºª°])\.?\s*$", re.IGNORECASE)
A_SHARE = re.compile(r"0?[.,]\d+")  # of a credit
MOST_RANKS = 20
LONGEST_LABEL = 25  # characters; a column of longer texts has comments
ROLE = re.compile(r"gold_rank|top[1-9]\d?")  # of --column
NAMES_OF_IDS = {"id", "no", "n", "nr", "number", "numero", "code", "ref"}
# top5, hit@5, in_top_5, correct_top1, acierto_5, aciertos en los 3 primeros
DEPTH = re.compile(
    r"(?:(?:top|(?<![a-z])(?:hits?|first|primer[oa]s?|acc(?:uracy)?|recall|aciertos?|correct[oa]?"
    r"|found|success|miss(?:es)?|errors?|fehler))"
    r"_?(?:(?:at|in|en|the|l[oa]s?)_?)*(?:top|first|primer[oa]s?)?_?(?P<after>[1-9]\d?)"
    r"|(?P<before>[1-9]\d?)_primer[oa]s?)(?![\d])"
)
IN_NAMES = {  # words of such a name that are nobody's
    *("in", "is", "the", "hit", "hits", "gold", "correct", "correcto", "acierto", "aciertos", "at"),
    *("label", "labels", "grade", "grading", "score", "en", "las", "los", "list", "lista", "rank"),
    *("dx", "diagnosis", "found", "of", "de", "p", "top", "gt", "predict", "rango", "posicion"),
    *("puntuacion", "nota", "etiqueta", "valoracion", "evaluacion", "grado", "rating", "value"),
    *("k", "yes", "no", "first", "golden", "truth", "true", "primeros", "primeras", "esta"),
    *("passed", "pass", "success", "was", "del", "el", "aparece", "diagnostico"),
    *("agree", "agreed", "agreement", "accept", "accepted", "acceptable", "result", "present"),
    *("judged", "judgement", "judgment", "model", "modelo", "ddx", "final", "my", "it", "this"),
    *("contains", "contain", "included", "includes", "match", "matches", "matched", "right"),
    *("would", "you", "do", "does", "did", "answer", "respuesta", "resultado", "presente"),
    *("acuerdo", "contiene", "incluye", "acertado", "coincide", "es", "fue", "mi", "lo"),
    *("acerto", "acertos", "certo", "correto", "primeiros", "na", "da", "resposta", "erste"),
    *("treffer", "richtig", "ergebnis", "juste", "reussite", "resultat", "liste", "les", "dans"),
}
OF_GOLD_RANK = {"gold_rank", "gt_rank", "rank_of_gold", "rank_of_gt", "golden_rank", "true_rank"}
OF_GOLD_RANK |= {"predict_rank", "correct_rank", "rank_of_truth", "rango_correcto", "p_grade"}
OF_GOLD_RANK |= {"posicion_correcta", "rango_del_correcto", "rank_correct"}
OF_GOLD_RANK |= {
    f"{rank}{diagnosis}"
    for rank, diagnosis in (
        *(("rank_of_", "correct_diagnosis"), ("rank_of_the_", "correct_diagnosis")),
        *(("position_of_", "correct_diagnosis"), ("position_of_the_", "correct_diagnosis")),
        *(("posicion_del_", "diagnostico_correcto"), ("rango_del_", "diagnostico_correcto")),
        *(("rang_der_", "richtigen_diagnose"), ("rang_der_", "korrekten_diagnose")),
        *(("platz_der_", "richtigen_diagnose"), ("position_der_", "richtigen_diagnose")),
        *(("rang_du_", "diagnostic_correct"), ("rang_du_", "bon_diagnostic")),
        *(("posicao_do_", "diagnostico_correto"), ("posizione_della_", "diagnosi_corretta")),
    )
}

ASKS_WHETHER = {"is", "was", "are", "does", "do", "did", "has", "esta", "es", "aparece"}
# What may stand in a header, for finding it
HEADINGS = [
    f"{word}{joint}{k}" for word in ("top", "hit") for joint in ("", "_") for k in (1, 3, 5)
]
HEADINGS += sorted(OF_GOLD_RANK | {"score", "acierto", "correct", "grade"})
# (rater, '' if the name says none; scale; column)
Columns = list[tuple[str, str, str]]


def columns(
    rows: Sequence[Row],
    assigned: Mapping[str, str],
    raters: Sequence[str],
    spellings: Mapping[str, str] | None = None,
    file_name: str = "the file",
) -> Columns:
    """The columns of a file that grade whole lists; none if it labels ranks.

    `assigned` maps roles (gold_rank, top1, top5, …) to columns, several with commas between them;
    `raters` are columns too. Otherwise a name that asks whether something is among the first k has
    hits, one that says rank of the gold diagnosis, or in which P0, P1, … are written, has ranks;
    and so has the column of another rater beside it. FileError for a column that is not there, that
    asks for the first k and has other numbers, or that reads otherwise than the other raters'.
    """
    present = list(dict.fromkeys(name for row in rows for name in row.values))
    graded = [entry for role in assigned for entry in _assigned(role, assigned[role], present)]
    taken = {column for *_, column in graded}
    of_ranks = []
    for name in present:
        if name in taken:
            continue
        grading = _by_name(rows, name, spellings or {}, file_name)
        if grading is not None:
            graded.append(grading)
        if grading is not None and grading[1] == GOLD_RANK and _n_p_grades(rows, name):
            of_ranks.append(name)
    taken = {column for *_, column in graded}
    for name in present if of_ranks else []:
        other = next((column for column in of_ranks if _are_alike(name, column)), None)
        is_asked_for = name in raters or not raters
        if name not in taken and is_asked_for and (other or name in raters):
            graded += _as_the_others(rows, name, other or of_ranks[0], file_name)
    named = [name for name in raters if name in {column for *_, column in graded}]
    if named:
        graded = [(name, scale, name) for _, scale, name in graded if name in named]
    return graded


def _assigned(role: str, named: str, present: Sequence[str]) -> Columns:
    """The columns that --column gives a role of gradings."""
    columns = [named] if named in present else [name.strip() for name in named.split(",")]
    for column in columns:
        if column not in present:
            raise FileError(
                f"--column {role}={column}: there is no such column; there are "
                f"{', '.join(present)}."
            )
    if len(columns) == 1:
        return [("", role, columns[0])]
    return [(_rater(DEPTH.sub("", column_key(name))) or name, role, name) for name in columns]


def _written(rows: Sequence[Row], name: str) -> list[str]:
    """What a column says where it does not say that there is no label."""
    cells = [row.values.get(name, "").strip() for row in rows]
    return [text for text in cells if not says_nothing(text)]


def _n_p_grades(rows: Sequence[Row], name: str) -> int:
    return sum(A_GOLD_RANK.fullmatch(text) is not None for text in _written(rows, name))


def _by_name(
    rows: Sequence[Row], name: str, spellings: Mapping[str, str], file_name: str
) -> tuple[str, str, str] | None:
    written = _written(rows, name)
    folded = column_key(name)
    if not written or layout.is_beside(name):
        return None
    n_p_grades = _n_p_grades(rows, name)
    n_ranks = sum(
        rank_of(text) is not None or counting.A_NUMBER.fullmatch(text) is not None
        for text in written
    )
    depth = DEPTH.search(folded)
    if depth is not None and not layout.is_of_ranks(name):
        scale = f"top{depth['after'] or depth['before']}"
        is_bare = any(A_NUMBER.fullmatch(text) for text in written)
        if 2 * n_p_grades > len(written) and not is_bare:
            scale = GOLD_RANK
        n_hits = sum(grade(text, scale, spellings, name) is not None for text in written)
        _check_hits(rows, name, scale, spellings, max(n_ranks, n_hits), file_name)
        if 2 * n_hits < len(written):
            return None
        beside = f"{folded[: depth.start()]}_{folded[depth.end() :]}"
        return _rater(column_words.without_denial(beside)), scale, name
    is_named = max((word for word in OF_GOLD_RANK if word in folded), key=len, default="")
    if not is_named and _asks_for_a_rank(folded) and any(map(_is_beyond_the_first, written)):
        is_named = folded
    if not is_named and {*folded.split("_")} <= layout.OF_CASE | NAMES_OF_IDS:
        return None  # P1, P2, … are its cases
    if (n_p_grades or is_named) and n_ranks and 2 * n_ranks >= len(written):
        return _rater(folded.replace(is_named, "")), GOLD_RANK, name
    if is_named and n_ranks:
        other = next(t for t in written if rank_of(t) is None and not counting.A_NUMBER.match(t))
        raise FileError(
            f"{file_name}: '{name}' has a rank in {n_ranks} of {len(written)} cells, less than "
            f"half, and others such as '{other[:30]}': correct them, or say what each means, as in "
            f"--label '{other[:30]}=P0'."
        )
    return None


def _asks_for_a_rank(folded: str) -> bool:
    """Whether a heading asks where the gold diagnosis stands: 'At which position is the correct
    diagnosis?'. One that names a rank, or asks whether something is, has yes and no."""
    words = folded.split("_")
    return (
        not any(map(str.isdigit, folded))
        and words[0] not in ASKS_WHETHER
        and not (layout.OF_RANK | {"where", "donde", "place", "lugar"}).isdisjoint(words)
        and not (layout.OF_GOLD | {"right", "correcta", "verdadera"}).isdisjoint(words)
        and any(word.startswith("diagn") for word in words)
    )


def _is_beyond_the_first(written: str) -> bool:
    return (rank_of(written) or 0) > 1


def _check_hits(
    rows: Sequence[Row],
    name: str,
    scale: str,
    spellings: Mapping[str, str],
    n_readable: int,
    file_name: str,
) -> None:
    """Raise FileError where a column asks whether something is among the first k, and has a number
    that is no answer: whether it has ranks, or other words for yes and no, nobody can tell."""
    if scale == GOLD_RANK or 2 * n_readable <= len(_written(rows, name)):
        return
    for row in rows:
        text = row.values.get(name, "").strip()
        if A_NUMBER.fullmatch(text) and grade(text, scale, spellings, name) is None:
            raise FileError(
                f"{file_name}, line {row.number}: '{name}' asks by its name whether the gold "
                f"diagnosis is among the first {scale.removeprefix('top')} and has '{text}', which "
                "is neither 1 nor 0: correct it or say what it means with --label "
                f"'{text}=no'; if the column has ranks, with --column gold_rank='{name}' (several "
                "columns with commas between them)."
            )


def _are_alike(name: str, other: str) -> bool:
    """Whether two columns by their names are of two raters: rater_1 and rater_2, 'Dr. A' and
    'Dra. B', R1 and R2, score_ana and score_ben."""
    names = column_key(name), column_key(other)
    if name == other or layout.is_beside(name) or layout.is_of_diagnoses(name, beside=other):
        return False
    if all(map(layout.A_RATER.fullmatch, names)):
        return True
    stems = [[re.sub(r"\d+$", "", word) for word in folded.split("_")] for folded in names]
    stems = [[word for word in stem if word] for stem in stems]
    stems = [stem[:-1] if len(stem) > 1 and len(stem[-1]) == 1 else stem for stem in stems]
    if stems[0] == stems[1]:
        return bool(stems[0])
    shared = set(stems[0]) & set(stems[1])
    return len(stems[0]) == len(stems[1]) == len(shared) + 1 and bool(shared & IN_NAMES)


def _as_the_others(rows: Sequence[Row], name: str, other: str, file_name: str) -> Columns:
    """The column of a rater beside another who writes ranks: it is read as ranks too. None if it
    has no labels but long texts. Raises FileError where it says something else."""
    written = _written(rows, name)
    if not written or sum(map(len, written)) > LONGEST_LABEL * len(written):
        return []
    unlike = [text for text in written if gold_rank_of(text) is None and not is_doubted(text)]
    if 2 * len(unlike) < len(written):
        return [(_rater(column_key(name)), GOLD_RANK, name)]
    raise FileError(
        f"{file_name}: '{name}' has '{unlike[0][:30]}' where '{other}' has ranks (P0, P1, P2, …): "
        "the raters of a file are read alike; write ranks in both, or name the columns to read "
        "with --rater COLUMN for each."
    )


def may_grade(rows: Sequence[Row], name: str) -> bool:
    """Whether most of what a column says could be a grading of a whole list."""
    written = _written(rows, name)
    n_grades = sum(gold_rank_of(text) is not None or bool(grade(text, "top1")) for text in written)
    return 2 * n_grades > len(written)


def may_be_ranks(rows: Sequence[Row], name: str, read: Columns) -> str:
    """What is said of a column that is not read and may be a rater's, for its values: all could be
    ranks. Nothing of others, nor of a rater's who was left out beside those `read`."""
    ranks = [gold_rank_of(text) for text in _written(rows, name)]
    is_left_out = any(_are_alike(name, column) for *_, column in read)
    if is_left_out or layout.is_beside(name) or not ranks or None in ranks:
        return ""
    if max(rank or 0 for rank in ranks) > MOST_RANKS:
        return ""
    return f" (if these are ranks of a rater: --rater '{name}', with --rater for each other)"


def not_ranks(rows: Sequence[Row], name: str) -> str:
    """Why a column that somebody named is not one of gradings, for a message."""
    written = _written(rows, name)
    if not written:
        return "it is empty"
    return (
        f"it has '{written[0][:30]}'; write P0, P1, P2, … for ranks, or say --column "
        f"gold_rank='{name}' or, for yes and no, --column top5='{name}'"
    )


def _rater(folded: str) -> str:
    """Who a name says graded: what is left of it."""
    words = [word for word in folded.split("_") if word and word not in IN_NAMES]
    return "_".join(words)


def meanings(spellings: Sequence[tuple[str, str]]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Of pairs of a spelling and its label: those of gradings, and the others."""
    gradings = {spelling(written): label for written, label in spellings if _is_grading(label)}
    return gradings, [pair for pair in spellings if not _is_grading(pair[1])]


def spelling(written: str) -> str:
    return (name_key(written) or written.strip()) + "?" * is_doubted(written)


def _is_grading(label: str) -> bool:
    return name_key(label) in ("yes", "no") or bool(A_GOLD_RANK.fullmatch(label))


def grade(
    written: str, scale: str, spellings: Mapping[str, str] | None = None, column: str = ""
) -> str | None:
    """What a grading says: 'yes' or 'no' of a hit, the rank as a number, '0' for none; None if it
    says neither. A rank in answer to the question for a hit answers it; a yes in a `column` that
    asks for a miss is no hit, unless `spellings` say what it means."""
    text = (spellings or {}).get(spelling(written), written)
    if is_doubted(text):
        return None
    if scale == GOLD_RANK:
        rank = None if "%" in text else rank_of(text)
        return "0" if name_key(text) in ABSENT else None if rank is None else str(rank)
    if A_GOLD_RANK.fullmatch(text) and (rank := gold_rank_of(text)) is not None:
        return "yes" if 0 < rank <= int(scale.removeprefix("top")) else "no"
    answer = hit_of(text)
    is_of_a_miss = text == written and column_words.asks_for_a_miss(column)
    if answer and is_of_a_miss and column_words.is_bare_answer(text):
        return column_words.OPPOSITE[answer]
    return answer


def hit_of(written: str) -> str | None:
    """'yes' or 'no', as a word, a number, a percentage or a sign says it; None if it is none."""
    text = written.strip().replace("\ufe0f", "")
    if text.endswith("%"):
        return WHOLE_SHARES.get(name_key(text))
    return HITS.get(name_key(text)) or SIGNS.get(text) or ("yes" if text in CROSSES else None)


def is_of_a_label(field: str) -> bool:
    """Whether what was set aside is a label, and not a row."""
    return field in (GOLD_RANK, "semantic", "severity") or bool(ROLE.fullmatch(field))


def rank_of(written: str) -> int | None:
    """A rank as gold_rank_of has it, also with a sign for number before it or an ordinal's behind
    it, or as the ordinal: '#2', 'nº 2', 'rank 2', '2nd', '2º', 'second'. A number no list is as
    long as is none: 99 may stand for a label that is missing."""
    word = ORDINALS.get(written.strip(" .").casefold())
    rank = word or gold_rank_of(ORDINAL.sub(r"\1", counting.A_SIGN.sub("", written)))
    is_bare = not A_GOLD_RANK.fullmatch(written)
    return None if rank is not None and is_bare and rank > MOST_RANKS else rank


def unclear_crosses(rows: Sequence[Row], columns: Columns) -> set[str]:
    """The columns in which an x may mean yes or no: beside it stands more than empty cells."""
    unclear = set()
    for *_, column in columns:
        cells = {row.values.get(column, "").strip() for row in rows}
        others = {mark for mark in cells - CROSSES if not says_nothing(mark)}
        if cells & CROSSES and others:
            unclear.add(column)
    return unclear


def known(scale: str) -> str:
    """What can be written, for whoever wrote something else."""
    return "P0, P1, P2, …" if scale == GOLD_RANK else "yes or no, 1 or 0, or P0, P1, P2, …"


def alias_of(rater: str) -> str:
    """A rater's name as part of a judge's."""
    return re.sub(r"[\s/]+", "_", rater.strip())
