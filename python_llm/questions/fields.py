"""Which column of a published file is what: question, options, key, number, image, voided.

Names are compared without accents, case and punctuation. Of several columns that may be the key
the first with a value counts: a published table often has one that was never filled in.
"""

import contextlib
import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from python_llm.errors import FileError
from python_llm.imports import tables, workbooks
from python_llm.imports.encodings import decode
from python_llm.imports.markup_tables import is_markup
from python_llm.imports.numbered_rows import SHEET_UNREAD, Row, place
from python_llm.parsing.folding import column_key, without_accents, without_entities
from python_llm.questions import course_files, documents, vignettes
from python_llm.questions.options import LETTERS, split_text

ALIASES = {
    "question": (
        *("question", "question_text", "pregunta", "enunciado", "texto", "texto_pregunta"),
        *(
            "stem",
            "qtext",
            "texto_de_la_pregunta",
            "full_question",
            "question_stem",
            "pregunta_texto",
        ),
        *("prompt", "question_body", "enunciado_de_la_pregunta", "cuestion", "input", "statement"),
        *("domanda", "questao", "frage", "qüestio", "question_max_120_characters"),
        *(
            "enonce",
            "questiontext",
            "question_title",
            "questiontitle",
            "query",
            "q",
            "problem",
            "problema",
        ),
    ),
    "options": (
        *("options", "opciones", "respuestas", "choices", "alternativas", "answers"),
        *("opciones_de_respuesta", "respuestas_posibles", "posibles_respuestas"),
        *("answer_options", "answer_choices", "opciones_respuesta", "answeroptions"),
        *(
            "propositions",
            "alternatives",
            "opts",
            "responses",
            "possible_answers",
            "candidates",
            "variants",
        ),
    ),
    "key": (
        *("answer_idx", "answer_letter", "answer_key", "answerkey", "key", "clave"),
        *("respuesta_correcta", "correcta", "correct", "solucion", "correct_answer"),
        *("opcion_correcta", "cop", "ra", "correct_option", "respuesta_oficial", "rc", "resp"),
        *("answer_index", "gold", "label", "target", "respuesta_valida", "respuesta"),
        *("resp_correcta", "correct_answers", "reponse_correcte", "bonne_reponse", "gabarito"),
        *("reponses_correctes", "bonnes_reponses", "reponse", "reponse_s"),
        *("resposta_correta", "resposta_correcta", "risposta_corretta", "richtige_antwort"),
        *("losung", "loesung", "antwort", "korrekte_antwort", "richtig", "solution", "soluzione"),
        *("corrige", "solucao", "resposta", "risposta"),
        *("correct_index", "correctindex", "gold_index", "correct_option_index", "correctanswer"),
        *(
            "ideal",
            "output",
            "completion",
            "expected",
            "expected_output",
            "respuesta_esperada",
            "r_c",
            "ans",
        ),
        *("answer_number", "answer_num", "answer_no", "answer_position", "answer_option"),
        *("numero_respuesta", "respuesta_numero", "num_respuesta", "answer_id", "answer_choice"),
    ),
    "answer": ("answer", "answer_text", "texto_respuesta", "correct_answer_text"),
    "number": (
        *("numero", "question_number", "numero_de_pregunta", "n_pregunta", "num_pregunta", "num"),
        *(
            "no_pregunta",
            "numero_pregunta",
            "number",
            "no",
            "n",
            "nº",
            "qid",
            "question_id_specific",
            "question_id",
            "id",
            "index",
        ),
        *("nr", "nummer", "num_de_pregunta", "item", "pregunta_numero", "nro", "n_o", "preg"),
        *("question_no", "question_num", "question_nr", "q_no", "q_num", "q_number", "q_id", "qno"),
        *("qnum", "n_o_pregunta", "n_de_pregunta", "no_de_pregunta", "nro_pregunta", "orden"),
        *("order", "serial_no", "sr_no", "sl_no", "s_no", "frage_nr"),
    ),
    "image": (
        "image",
        "imagen",
        "figure",
        "figura",
        "image_path",
        "imagen_asociada",
        "has_image",
        "has_figure",
        *("image_file", "image_name", "image_url", "image_id", "image_filename", "images", "img"),
        *("picture", "figure_file", "figures", "photo", "foto", "fotografia", "imagenes"),
        *("nombre_imagen", "archivo_imagen", "bild", "abbildung", "immagine", "imagem", "figur"),
    ),
    "voided": (
        "anulada",
        "anulado",
        "voided",
        "void",
        "annulled",
        "impugnada",
        "is_voided",
        "estado",
        "observaciones",
    ),
    "subject": (
        *("especialidad", "subject", "subject_name", "category", "categoria", "asignatura"),
        *("specialty", "speciality", "tema", "materia", "area", "topic", "meta_info", "type"),
    ),
    "vignette": (),  # by vignettes.NAMES
    "exam": ("exam", "examen", "year", "ano", "convocatoria", "exam_id", "exam_name"),
}
# names that begin so are the key too: 'Respuesta correcta Ministerio V0.'
KEY_BEGINNINGS = (
    *("respuesta_correcta", "correct_ans", "clave_oficial", "rc_", "plantilla"),
    *("respuesta_oficial", "resp_correcta", "resp_oficial", "clave_"),
)
# what a question may be called beside its options
TEXT_NAMES = ("text", "content", "title", "titulo", "name", "body", "description", "descripcion")
# a name of these words alone, one of them telling, is the key's: 'Correct response (letter)'
KEY_TELLS = {
    *("correct", "correcta", "correcto", "right", "key", "clave", "solution", "solucion", "gold"),
    *("valida", "acertada", "correta", "corretta", "correcte", "richtige"),
}
KEY_WORDS = KEY_TELLS | {
    *("answer", "response", "option", "choice", "letter", "letra", "respuesta", "opcion", "resp"),
    *("text", "texto", "index", "idx", "number", "numero", "official", "oficial", "final", "item"),
    *("la", "de", "the", "of", "alternativa", "alternative", "1", "definitiva", "position"),
    *("no", "n", "num", "correccion", "id", "provisional", "value", "valor", "rpta", "rta"),
}
OPTION_PREFIXES = (
    *("option", "opcion", "respuesta", "alternativa", "choice", "answer", "op", "opt", "resp", "r"),
    *("ending", "ans", "reponse", "risposta", "resposta", "antwort", "distractor", ""),
    *("options", "opciones", "respuestas", "choices", "alternativas", "answers"),
    *("opc", "alt", "alternative", "response", "possible_answer", "proposition"),
)
KAHOOT = "_max_75_characters"  # how its sheet says how long an answer may be
OF_OPTION = {
    f"{prefix}{joint}{mark}{limit}".strip("_"): (number, order)
    for number, letter in enumerate(LETTERS.lower())
    for order, prefix in enumerate(OPTION_PREFIXES)
    for joint in ("_", "")
    for mark in (letter, str(number + 1))
    for limit in ("", KAHOOT)
}
FIELDS = (*ALIASES, *(f"option_{letter.lower()}" for letter in LETTERS))
# what a test says its columns are where it has none: question, options, key
HEADERLESS = re.compile(r"[A-J]")
RULE = re.compile(r":?-+:?")
# a column of several: each part is a letter, a number or a short text, in nearly every row
SHORT, MOSTLY = 40, 0.9
NUMBER = re.compile(r"(?i)(?:pregunta|question|p|q)?[\s.]*\d{1,4}(?:\.0)?")
# objects of a document that hold the keys of all its questions
KEY_OBJECTS = ("answers", "keys", "answer_keys", "respuestas", "claves", "soluciones", "correctas")
FEWEST_CHARACTERS = 12  # of a question; less is its number
MARK_CELL = re.compile(r"(?:\d{1,3}(?:\.0)?|[A-Ja-j])[.)]?")
# what says whether an answer was right, and is no key
VERDICTS = {
    *("true", "false", "yes", "verdadero", "falso", "cierto", "wahr", "falsch", "vrai", "faux"),
    *("ja", "nein", "oui", "non", "si", "correct", "incorrect", "wrong", "correcto", "incorrecto"),
    *("correcta", "incorrecta", "richtig", "acierto", "fallo", "no"),
}
FLAGS = {"0", "1"}
CROSSES = ("x", "✓", "✔", "*", "correcta", "correct", "correcto")
OF_OBJECT = "id"  # the name under which an object holds a question


def check_mapping(mapping: Mapping[str, str]) -> None:
    """Raise FileError for a field that is none."""
    for field in mapping:
        if field not in FIELDS:
            raise FileError(
                f"--column {field}=…: '{field}' is not a field; use {', '.join(ALIASES)} or "
                "option_a to option_j."
            )


def columns_of(
    rows: list[Row],
    mapping: Mapping[str, str],
    name: str,
    may_lack: Collection[str] = (),
) -> dict[str, str]:
    """The column of each field, as `mapping` says or by its name. Raises FileError for a column
    that is not there, but for fields that the rows `may_lack`, and where nothing looks like a
    question."""
    filled: dict[str, int] = {}
    for row in rows:
        for column, value in row.values.items():
            filled[column] = filled.get(column, 0) + (not _is_empty(value))
    by_key = {column_key(column): column for column in reversed(filled)}
    fields: dict[str, str] = {}
    for field, column in mapping.items():
        same = column if column in filled else by_key.get(column_key(column))
        if same is None and field in may_lack:
            continue
        if same is None:
            raise FileError(
                f"{name}: there is no column '{column}' for {field}; the file has "
                f"{', '.join(map(str, filled))}."
            )
        fields[field] = same
    free = {key: column for key, column in by_key.items() if column not in fields.values()}
    if not any(field.startswith("option") for field in fields):
        fields |= _option_columns(free, filled)
    for field, aliases in ALIASES.items():
        if field in fields or (field == "options" and "option_a" in fields):
            continue
        taken = set(fields.values())
        candidates = [free[alias] for alias in aliases if alias in free]
        if field == "voided":
            candidates += [free[key] for key in free if key.startswith(("anulad", "void"))]
        if field == "question":
            candidates += [column for key, column in free.items() if _names_question(key)]
        if field == "key":
            candidates += [column for key, column in free.items() if _names_key(key)]
        candidates = [column for column in candidates if column not in taken]
        if field == "question" and (numbers := _numbers_among(candidates, rows)):
            fields.setdefault("number", numbers)
            candidates.remove(numbers)
        if candidates:
            fields[field] = next((c for c in candidates if filled[c]), candidates[0])
    if "question" not in fields and (whole := _column_with_options(rows, fields)):
        fields["question"] = whole
    if not {"options", "option_a"} & fields.keys() and (lists := _column_of_lists(rows, fields)):
        fields["options"] = lists
    if "question" not in fields and {"options", "option_a"} & fields.keys():
        named = [free[alias] for alias in TEXT_NAMES if alias in free]
        fields |= {"question": named[0]} if named else {}
    if "question" not in fields:
        raise FileError(
            f"{name}: no column looks like the question; name it with --column question=COLUMN."
        )
    _check_no_verdicts(rows, fields, mapping, name)
    others = [column for column in filled if column not in fields.values()]
    vignette = vignettes.column_among(others, rows, fields["question"])
    return fields if vignette is None else {"vignette": vignette, **fields}


def _check_no_verdicts(
    rows: list[Row], fields: Mapping[str, str], mapping: Mapping[str, str], name: str
) -> None:
    """Raise FileError where what is called the key says of each row whether somebody's answer was
    right: TRUE and FALSE, though no option is, or 0 and 1 beside other letters than A and B."""
    if "key" in mapping or "key" not in fields:
        return
    column = fields["key"]
    written = {_folded(row.values.get(column)) for row in rows} - {""}
    asked = [field for field in fields if field.startswith("option")] or ["question"]
    words = {
        word
        for row in rows
        for field in asked
        for word in re.findall(r"\w+", _folded(row.values.get(fields[field])))
    }
    letters = {_folded(row.values.get(fields.get("answer", ""))) for row in rows} - {""}
    is_flag = written == FLAGS and bool(letters - {"a", "b"}) and letters <= {*LETTERS.lower()}
    is_verdict = bool(written) and written <= VERDICTS and not written <= words
    if not (is_verdict or is_flag):
        return
    beside = f"the answer in '{fields['answer']}'" if "answer" in fields else "an answer"
    raise FileError(
        f"{name}: the column '{column}' says {' or '.join(sorted(written))} of each question, so "
        f"it says whether {beside} was right and which option is right it does not: name the "
        "column of the key with --column key=COLUMN, or give the file that holds the keys with "
        "--key-file; answers of a model are brought in with kernel29 questions answers."
    )


def _folded(value: Any) -> str:
    return without_accents(str("" if value is None else value)).strip().lower().removesuffix(".0")


def _numbers_among(candidates: list[str], rows: list[Row]) -> str | None:
    """The column that is called the question and has its number, beside one that has its text."""
    are_numbers = {
        column: all(NUMBER.fullmatch(str(row.values.get(column) or "").strip()) for row in rows)
        for column in candidates
    }
    first = next((column for column in candidates if are_numbers[column]), None)
    return first if not all(are_numbers.values()) else None


def _column_with_options(rows: list[Row], fields: Mapping[str, str]) -> str | None:
    """The column, whatever its name, most of whose texts end with options."""
    if any(field.startswith("option") for field in fields):
        return None
    names = dict.fromkeys(
        name for row in rows for name in row.values if name not in fields.values()
    )
    for name in names:
        texts = [row.values[name] for row in rows if isinstance(row.values.get(name), str)]
        texts = [text for text in texts if text.strip()]
        n_split = sum(split_text(text) is not None for text in texts)
        if texts and n_split > tables.LEAST_USABLE * len(rows):
            return str(name)
    return None


def _names_question(name: str) -> bool:
    """Whether a column is called the question by its first words: 'Enunciado del ítem'."""
    return name.startswith(
        ("pregunta_", "enunciado_", "question_", "texto_de_la_pregunta")
    ) and not (
        {*name.split("_")} & {"id", "number", "numero", "type", "tipo", "no", "n", "num", "idx"}
    )


def _names_key(name: str) -> bool:
    """Whether a column is called the key, by how it begins or by all of its words."""
    words = {*name.split("_")}
    if name.startswith(("n_", "num_", "no_")):  # how many are right
        return False
    return name.startswith(KEY_BEGINNINGS) or bool(words <= KEY_WORDS and words & KEY_TELLS)


def _column_of_lists(rows: list[Row], fields: Mapping[str, str]) -> str | None:
    """The one column, whatever its name, that holds a list of two or more texts in nearly every
    row."""
    counts: dict[str, int] = {}
    for row in rows:
        for name, value in row.values.items():
            is_list = isinstance(value, list) and len(value) >= 2
            if name not in fields.values() and is_list and all(isinstance(v, str) for v in value):
                counts[name] = counts.get(name, 0) + 1
    columns = [name for name, n in counts.items() if n >= MOSTLY * len(rows)]
    return columns[0] if len(columns) == 1 else None


def _option_columns(free: Mapping[str, str], filled: Mapping[str, int]) -> dict[str, str]:
    """The columns of single options, all named alike: A, B, … or Opción 1, Opción 2, …"""
    # next to an RB, RA and RC are options; alone, each is the right answer
    not_options = set() if {"rb", "r_b"} & {*free} else {"ra", "rc", "r_a", "r_c"}
    best: dict[int, tuple[int, str]] = {}
    for key, column in free.items():
        if key in OF_OPTION and key not in not_options:
            number, order = OF_OPTION[key]
            if number not in best or order < best[number][0]:
                best[number] = (order, column)
    if not {0, 1} <= best.keys():
        return {}
    name = column_key(best[0][1])
    if name.endswith("1") and name[:-1].strip("_") and (zero := free.get(f"{name[:-1]}0")):
        # counted from 0: all of them follow it
        best = {0: (0, zero)} | {number + 1: column for number, column in best.items()}
    fields = {}
    for number in range(len(LETTERS)):
        if number not in best:
            break
        fields[f"option_{LETTERS[number].lower()}"] = best[number][1]
    return fields if any(filled[column] for column in fields.values()) else {}


def _is_empty(value: Any) -> bool:
    return (
        value is None
        or (isinstance(value, (str, list, dict)) and not value)
        or (isinstance(value, str) and not value.strip())
    )


class Records(NamedTuple):
    """The records of a file; where and why rows cannot be read; the sheets of a workbook that are
    not."""

    rows: list[Row]
    unreadable: list[tuple[int | None, str]]
    unread_sheets: list[str]


def _with_number(row: Row, columns: Collection[str]) -> Row:
    """A row whose column '#' has a name, unless the user names it so."""
    names = [n for n in row.values if "#" in str(n) and not column_key(n) and n not in columns]
    if len(names) != 1 or "number" in row.values:
        return row
    return row._replace(
        values={"number" if n == names[0] else n: value for n, value in row.values.items()}
    )


def _plain(row: Row) -> Row:
    """A row with the characters that entities of HTML stand for, as in '&lt;5 mg', at any depth."""

    def plain(value: Any) -> Any:
        if isinstance(value, str):
            return without_entities(value)
        if isinstance(value, list):
            return [plain(item) for item in value]
        if isinstance(value, dict):
            return {name: plain(item) for name, item in value.items()}
        return value

    return row._replace(values=plain(row.values))


def read_rows(source: Path, columns: Collection[str], *, of_questions: bool = True) -> Records:
    """Every record of a file. Of a workbook the sheets whose header has most names that are known
    or, `of_questions`, the first with a question. Raises FileError if more than half of the rows
    cannot be read."""
    unreadable: list[tuple[int | None, str]] = []
    unread: list[str] = []

    def reject(number: int | None, field: str, reason: str) -> None:
        if field == SHEET_UNREAD:
            unread.append(reason)
        else:
            unreadable.append((number, f"{field}: {reason}"))

    # a letter or a digit tells no header: answers are letters and digits too
    aliases = [n for names in (*ALIASES.values(), OF_OPTION) for n in names if len(n) > 1]
    known = list(dict.fromkeys([*map(column_key, columns), *aliases]))
    content = tables.read(source)
    text = documents.text_of(source, content)
    rows = course_files.rows_of(source, content) if text is not None or _is_text(content) else []
    if not rows and text:
        rows = documents.questions_of(text)
    rows = rows or _headerless(source, content)
    if not rows:
        try:
            rows = [_plain(row) for row in tables.read_rows(source, content, known, reject)]
        except FileError:
            rows = documents.questions_of("\n".join(_lines_of(source, content)))
            if not rows:
                raise
    sheets = workbooks.sheet_names(source, content)
    unread_sheets = [name for name in sheets if any(f"'{name}'" in reason for reason in unread)]
    if of_questions and unread_sheets and rows and not _asks(rows):
        for sheet in unread_sheets:
            read = [_plain(row) for row in tables.read_sheet(source, content, sheet, known, reject)]
            if _asks(read):
                rows, unread_sheets = read, [name for name in sheets if name != sheet]
                break
    if unreadable and len(rows) < tables.LEAST_USABLE * (len(rows) + len(unreadable)):
        number, reason = unreadable[0]
        raise FileError(
            f"{place(source, number)}: {reason}; correct it ({len(unreadable)} such rows)."
        )
    if len(rows) == 1 and (turned := _turned(rows[0].values)):
        rows = turned
    if len(rows) == 1 and not {*columns} & {*rows[0].values} and _is_exam(rows[0].values):
        document = rows[0].values
        nested = [
            item
            for item in _question_list(document, {})
            if (names := {column_key(name) for name in item}) & {*ALIASES["question"]}
            or names & {*ALIASES["options"]}
        ]
        if any({*map(column_key, item)} & {*ALIASES["question"], *TEXT_NAMES} for item in nested):
            if keys := _keys_of_document(document):
                nested = _with_their_keys(nested, keys)
            rows = [Row(number, item) for number, item in enumerate(nested, 1)]
    rows = _in_columns([_with_number(row, columns) for row in rows if not _is_rule(row)])
    return Records(rows, unreadable, unread_sheets)


def other_readings(source: Path) -> Iterator[Records]:
    """What a table may be instead of one with a header: a table on its side, whose first column
    names the fields, or a document line by line."""
    content = tables.read(source)
    cells = _cells(source, content)
    width = max(map(len, cells), default=0)
    names = [row[0].strip() for row in cells if row]
    if {*map(column_key, names)} & {*ALIASES["question"]} and len({*names}) == len(names):
        turned = zip(*(row + [""] * (width - len(row)) for row in cells if row), strict=True)
        rows = [
            Row(number, dict(zip(names, column, strict=True)))
            for number, column in enumerate(turned)
        ]
        yield Records(rows[1:], [], [])
    if rows := documents.questions_of("\n".join(_lines_of(source, content))):
        yield Records(rows, [], [])


def _cells(source: Path, content: bytes) -> list[list[str]]:
    """The cells of a workbook's first sheet or of a CSV file; none of another file."""
    if source.suffix.lower() in (".csv", ".tsv"):
        text = decode(content, source.name)
        with contextlib.suppress(csv.Error):
            dialect = csv.Sniffer().sniff(text[:65536], delimiters=",;\t|")
            return [row for row in csv.reader(io.StringIO(text), dialect) if any(row)]
        return []
    return [row for row in workbooks.first_sheet(source, content) if any(map(str.strip, row))]


def _lines_of(source: Path, content: bytes) -> list[str]:
    """A page, a workbook or a table of one column as the lines of a document."""
    if is_markup(content):
        return course_files.page_lines(decode(content, source.name))
    if source.suffix.lower() in (".csv", ".tsv"):
        try:
            rows = list(csv.reader(io.StringIO(decode(content, source.name))))
        except csv.Error:
            return []
        has_name = bool(rows and rows[0]) and len(rows[0][0].split()) == 1
        lines = [line for row in rows[has_name:] for line in "".join(row).split("\n")]
        return lines if all(len(row) == 1 for row in rows) else []
    return _lines_of_sheet(source, content)


def _lines_of_sheet(source: Path, content: bytes) -> list[str]:
    """The rows of a workbook without a header as lines of a document: the number or letter, the
    text, and a cross behind the right option. None for a file that is no workbook."""
    lines = []
    for row in workbooks.first_sheet(source, content):
        cells = [cell.strip() for cell in row if cell.strip()]
        if len(cells) > 1 and MARK_CELL.fullmatch(cells[0]):
            cells[:2] = [f"{cells[0].rstrip('.)')}. {cells[1]}"]
        if len(cells) > 1 and cells[-1].lower() in CROSSES:
            cells[-1] = "(x)"
        lines.append(" ".join(cells))
    return lines


def _turned(document: Mapping[str, Any]) -> list[Row]:
    """The rows of a document that holds a column under each name, as a list or by row; none if it
    is another."""
    columns = {
        name: list(column.values()) if isinstance(column, dict) else column
        for name, column in document.items()
        if isinstance(column, (dict, list)) and len(column) > 1
    }
    names = {column_key(name) for name in columns}
    is_table = len(columns) > 2 and len({len(column) for column in columns.values()}) == 1
    asks = names & {*ALIASES["question"]}
    if not (is_table and asks and names - asks & {*ALIASES["key"], *ALIASES["answer"], *OF_OPTION}):
        return []
    cells = [zip(columns, row, strict=True) for row in zip(*columns.values(), strict=True)]
    texts = next(columns[name] for name in columns if column_key(name) in asks)
    if not all(isinstance(text, str) for text in texts):
        return []
    return [Row(number, dict(row)) for number, row in enumerate(cells, 1)]


def _asks(rows: list[Row]) -> bool:
    """Whether rows have questions in a column that is called so, and not their numbers."""
    return any(
        column_key(str(name)) in ALIASES["question"] and len(str(value)) > FEWEST_CHARACTERS
        for row in rows
        for name, value in row.values.items()
    )


def _is_text(content: bytes) -> bool:
    """Whether a file is no archive, table or picture."""
    return not content.startswith((b"PK", b"\xd0\xcf", b"PAR1")) and content[:1] not in b"[{"


def _is_rule(row: Row) -> bool:
    """The line under the header of a table in Markdown."""
    cells = [str(value).strip() for value in row.values.values() if value not in (None, "")]
    return bool(cells) and all(RULE.fullmatch(cell) for cell in cells)


def _in_columns(rows: list[Row]) -> list[Row]:
    """The rows with a column that holds several parted: 'Correcta / GPT-4' with '3 / 2'."""
    for name in dict.fromkeys(name for row in rows[:1] for name in row.values):
        parts = [part.strip() for part in str(name).split("/")]
        values = [str(row.values.get(name) or "") for row in rows]
        filled = [value for value in values if value.strip()]
        n_parted = sum(len(value.split("/")) == len(parts) for value in filled)
        short = all(len(value) < SHORT * len(parts) for value in filled)
        if len(parts) < 2 or not all(parts) or not filled or not short:
            continue
        if n_parted < MOSTLY * len(filled) or {*parts} & {*map(str, rows[0].values)}:
            continue
        rows = [
            row._replace(
                values={n: v for n, v in row.values.items() if n != name}
                | dict(
                    zip(
                        parts,
                        [part.strip() for part in value.split("/")] + [""] * len(parts),
                        strict=False,
                    )
                )
            )
            for row, value in zip(rows, values, strict=True)
        ]
    return rows


def _headerless(source: Path, content: bytes) -> list[Row]:
    """The rows of a table that has no header, as MMLU's: question, options, letter."""
    if source.suffix.lower() not in (".csv", ".tsv", ".txt"):
        return []
    text = decode(content, source.name)
    for separator in ",;\t":
        try:
            rows = [r for r in csv.reader(io.StringIO(text), delimiter=separator) if any(r)]
        except csv.Error:
            continue
        widths = {len(row) for row in rows}
        if len(widths) != 1 or not 4 <= (width := widths.pop()) <= len(LETTERS) + 2:
            continue
        if all(HEADERLESS.fullmatch(row[-1].strip()) for row in rows):
            names = ["question", *LETTERS[: width - 2], "key"]
            return [
                Row(number, dict(zip(names, row, strict=True)))
                for number, row in enumerate(rows, 1)
            ]
    return []


def _is_exam(value: Any) -> bool:
    """An object around questions, as HEAD-QA's {"exams": {name: {"data": [question, …]}}}; the keys
    of all may stand beside them."""
    if not isinstance(value, dict) or not any(isinstance(v, (dict, list)) for v in value.values()):
        return False
    by_key = {column_key(name): item for name, item in value.items()}
    if by_key.keys() & {*ALIASES["question"]} - {"prompt"}:
        return False
    of_question = by_key.keys() & {*ALIASES["options"], *ALIASES["key"]} - {"label", "target"}
    around = [item for name, item in by_key.items() if name not in of_question]
    return not of_question or (
        any(_holds_objects(item) for item in around)
        and all(name in KEY_OBJECTS and isinstance(by_key[name], dict) for name in of_question)
    )


def _question_list(value: Any, around: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The questions of a JSON document: an array, or the arrays inside an object, in order.
    `around`: what the objects around them say, such as an exam's name and category."""
    if isinstance(value, list):
        for item in value:
            yield from _question_list(item, around)
    elif not _is_exam(value):
        if isinstance(value, dict):
            yield {**around, **value}
    else:
        around = around | {
            name: item
            for name, item in value.items()
            if isinstance(item, (str, int)) and column_key(name) in (*ALIASES["exam"], "category")
        }
        for name, item in value.items():
            if isinstance(item, dict) and not _is_exam(item) and OF_OBJECT not in item:
                yield from _question_list({**item, OF_OBJECT: name}, around)
            elif _holds_objects(item):
                yield from _question_list(item, around)


def _keys_of_document(value: Any) -> dict[str, Any]:
    """The keys that a JSON document has in an object of their own: {"answers": {"1": "B", …}}, also
    one a year. A number that has two keys has none: nobody can say whose they are."""
    keys: dict[str, Any] = {}
    for name, item in value.items():
        if not isinstance(item, dict) or column_key(name) not in (*ALIASES["key"], *KEY_OBJECTS):
            continue
        for part in [item, *(inner for inner in item.values() if isinstance(inner, dict))]:
            for number, key in part.items():
                if not isinstance(key, (dict, list)):
                    keys[str(number)] = key if keys.get(str(number), key) == key else None
    return keys


def _with_their_keys(items: list[dict[str, Any]], keys: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Questions with the keys that their document has for their ids elsewhere or, where it counts
    them from 1 and they have no ids, for their places."""
    ids = [_ids(item) for item in items]
    counts = Counter(name for names in ids for name in names)
    if not any(names & keys.keys() for names in ids):
        places = [str(number) for number in range(1, len(items) + 1)]
        ids = [{number} for number in places] if keys.keys() == {*places} else ids
    keyed = []
    for item, names in zip(items, ids, strict=True):
        has_own = any(_named(item, alias) is not None for alias in ALIASES["key"])
        of_names = [keys[name] for name in names if name in keys and counts[name] < 2]
        is_one = len({*map(str, of_names)}) == 1
        keyed.append({**item, "key": of_names[0]} if is_one and not has_own else item)
    return keyed


def _ids(item: Mapping[str, Any]) -> set[str]:
    """What a question may be called in an object of keys."""
    ids = [item.get(OF_OBJECT), *(_named(item, alias) for alias in ALIASES["number"])]
    return {str(i) for i in ids if i is not None}


def _named(item: Mapping[str, Any], alias: str) -> Any:
    return next((value for name, value in item.items() if column_key(name) == alias), None)


def _holds_objects(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
    )
