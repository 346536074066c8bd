"""Imports multiple-choice questions from published files, as one Parquet file per question set.

The formats are JSON lines and JSON (MedQA, MMLU, MedMCQA, HEAD-QA: options as object, list or
columns; examinations in one object) and tables with or without a header (CSV, Excel, Parquet)
whose columns have English or Spanish names, or any names with a mapping. Options may stand at the
end of the question's text, the key in another file. A row that cannot be used is set aside with
its reason; a question on an image, voided or without a usable key arrives and is not scored.
"""

import contextlib
import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from python_llm import files, paths
from python_llm.audit import trail
from python_llm.errors import FileError
from python_llm.imports import tables
from python_llm.imports.numbered_rows import HEADER_AGAIN, Row, place
from python_llm.parsing.folding import column_key, option_key
from python_llm.questions import (
    documents,
    fields,
    key_files,
    key_tables,
    keys,
    shapes,
    vignettes,
)
from python_llm.questions.options import (
    ESCAPED,
    LETTERS,
    LINE_MARK,
    NoOptions,
    options_of,
    split_text,
    without_options,
)

BANK = "kernel29_bank"
NAME = re.compile(r"[a-z][a-z0-9_]*")

IMPORTED_SCHEMA = pa.schema(
    [
        pa.field("question_set", pa.string(), nullable=False),
        pa.field("question_number", pa.int32(), nullable=False),
        pa.field("language", pa.string()),
        pa.field("question_text", pa.string(), nullable=False),
        pa.field("options", pa.list_(pa.string()), nullable=False),
        pa.field("answer_letter", pa.string()),
        pa.field("source", pa.string(), nullable=False),
        pa.field("contains_phi", pa.bool_(), nullable=False),
        pa.field("question_ref", pa.string()),
        pa.field("subject", pa.string()),
        pa.field("unscored_reason", pa.string()),
    ]
)
UNSCORED = {
    "image": "on an image that is not in the file",
    "voided": "voided",
    "no_key": "without a key",
    "two_keys": "with several keys",
    "key_is_no_option": "with a key that is no option",
    "keys_contradict": "with two keys that contradict each other",
}
# of questions that arrive, the reasons that are a mistake of the file and are named row by row
LINE_SHOWN, LINES_SHOWN = 60, 12  # characters; lines
NAMES_SHOWN = 300  # characters of names of columns
FEWEST_KEYS = 3  # that are no option and tell that the column of keys is another
NAMED = ("two_keys", "key_is_no_option", "keys_contradict")

NUMBER_IN_FRONT = re.compile(r"^\s*(?:pregunta\s+)?(\d{1,3})\s*[.)\-:]+-?\s+", re.IGNORECASE)
ONE_IN_FRONT = re.compile(r"(?:^|\s)[(\[]?1[ \t]?[)\].:º\-]")  # of the first option
VOIDED_TEXT = re.compile(r"(?i)\(?\b(?:pregunta\s+(?:anulada|impugnada)|question\s+voided)\b\)?")
# a question that cannot be answered without a picture the file does not hold
THE = r"(?:the\s+)?(?:accompanying\s+|following\s+|attached\s+|given\s+)?"
PICTURE = r"(?:image|figure|photograph|picture|exhibit|diagram|photomicrograph)"
IMAGE = re.compile(
    r"(?i)\b(?:pregunta\s+(?:asociada|vinculada|ligada|relacionada|referida)\s+(?:a|con)\s+(?:la\s+)?"
    r"(?:imagen|figura)|(?:imagen|figura|foto(?:graf[ií]a)?)s?\s*(?:n[.ºo°]*\s*)?\d+\b"
    r"|(?:en|de|a|con|y)\s+las?\s+(?:im[aá]gen(?:es)?|figuras?|fotograf[ií]as?)(?!\s+(?:corporal"
    r"|de\s+s[ií]|mental|radiol|ecogr|diagn|nodular|l[ií]tica|personal|p[uú]blica|cl[ií]nica"
    r"|hep|pulm|ren|cere))"
    r"|(?:v[eé]ase|observe|mire|vea)\s+(?:en\s+)?(?:la|el)\s+(?:imagen|figura|fotograf[ií]a"
    r"|radiograf[ií]a|ecg|electrocardiograma)"
    r"|(?:radiograf[ií]a|ecg|electrocardiograma|tac?|rm|resonancia|ecograf[ií]a|gr[aá]fica|trazado"
    r"|tira|lesi[oó]n|preparaci[oó]n|espirometr[ií]a|curva)(?:\s+\w+){0,4}\s+(?:adjunt[ao]s?\b|que\s+se"
    r"\s+(?:adjunta|muestra|aporta|presenta|acompa[ñn]a)|se\s+(?:muestra|adjunta|aporta)\b)"
    r"|\((?:ver\s+)?(?:imagen|figura|foto)[^)]{0,20}\)|ver\s+(?:la\s+)?(?:imagen|figura|foto)"
    r"|(?:imagen|figura|fotograf[ií]a)s?\s+(?:adjunt|siguiente|mostrad|inferior|superior|que\s+se"
    r"\s+(?:muestra|adjunta|presenta)|que\s+aparece)|(?:se|le)\s+(?:muestran?|adjuntan?|aportan?)\s+"
    r"(?:en\s+)?(?:la|una|las|el)\s+(?:imagen|im[aá]genes|figura|fotograf[ií]a)"
    rf"|(?:see|shown|depicted|pictured|seen|displayed|presented)\s+(?:in|on)?\s*{THE}{PICTURE}\b"
    rf"|{PICTURE}s?\s+(?:below|above|shown|attached|provided|given|demonstrates|\d)\b"
    rf"|the\s+{PICTURE}\s+shows|(?:following|accompanying|attached|given|this)\s+{PICTURE}s?\b"
    r"|\b(?:attached|accompanying)\s+(?:[\w-]+\s+){0,2}?(?:ecg|ekg|electrocardiogra\w+|x-?rays?"
    r"|radiographs?|ct|mri|scan|smear|film|tracing|rhythm\s+strip|photo\w*)\b"
    r"|\b(?:ecg|ekg|electrocardiogra\w+|x-?rays?|radiographs?|films?|ct|mri|smear|biopsy|scan|section"
    r"|photographs?|photomicrograph|micrograph|fundus\w*|rash|tracing|specimen|histology|angiogram"
    r"|ultraso\w+|curve|graph|loop)(?:\s+[\w()-]+){0,6}?\s+(?:is|are|as|and)\s+"
    r"(?:shown|seen|depicted|pictured|provided)(?:\s+with\b)?"
    r"(?:\s+(?:below|here|above)|\s*[.?:(])"
    # German, French, Portuguese and Italian
    r"|\bzeigt\s+(?:das|die)\s+(?:bild|abbildung|foto)\s*[?.,:]"
    r"|\b(?:was|welche\w*)\s+(?:zeigt|zeigen|sieht\s+man\s+auf|erkennt\s+man\s+auf|ist\s+auf)\s+"
    r"(?:das|die|den|dem|der)\s+(?:bild|abbildung|foto|aufnahme)(?:ern?|en)?\b"
    r"|\b(?:auf|in)\s+(?:dem|der|den)\s+(?:(?:folgenden|obigen|gezeigten|nebenstehenden)\s+)?"
    r"(?:abbildung(?:en)?|(?<!in dem )bild(?:ern)?|fotos?)(?=\s|[?.,:;)])"
    r"|\b(?:(?:siehe|s\.|vgl\.?)\s*(?:das\s+|die\s+)?(?:bild|abbildung|abb\.|foto)"
    r"|(?:bild|abbildung|abb\.)\s*\d)"
    r"|\b(?:que\s+(?:montre|repr[ée]sente)|(?:sur|dans|voir|observez|regardez))\s+"
    r"(?:l['’]\s?image|la\s+(?:figure|photo(?:graphie)?)|le\s+clich[ée]|ce\s+clich[ée]|cette\s+"
    r"(?:image|photo(?:graphie)?|figure))(?!\s+(?:corporelle|de\s+soi|mentale))\b"
    r"|\b(?:image|figure|photo(?:graphie)?|clich[ée])\s+(?:ci-(?:dessous|dessus|contre|jointe?)|suivante?)"
    r"|\b(?:que\s+mostra|o\s+que\s+(?:mostra|se\s+v[êe])|na|nas|veja|observe)\s+(?:n?as?\s+)?"
    r"(?:imagem|imagens|figuras?|fotografias?)(?!\s+(?:corporal|d[eoa]\s|mental|p[úu]blica))\b"
    r"|\b(?:imagem|figura|fotografia)\s+(?:a\s+seguir|abaixo|acima|ao\s+lado|anexa)"
    r"|\b(?:cosa\s+(?:mostra|si\s+vede)|(?:nell['’]|sull['’])|vedi|osserva|guarda)\s*"
    r"(?:(?:l['’]|nell['’]|la|nella|il|in)\s*)?(?:immagine|immagini|figura|foto(?:grafia)?)"
    r"(?!\s+(?:corporea|di\s+s[ée]|mentale))\b"
    r"|\b(?:nella|nelle|la|le)\s+(?:figur[ae]|immagin[ei]|foto)\s+(?:seguent[ei]|allegat[ae]|mostra)"
    r"|(?-i:\b(?:Figures?|Images?|Exhibits?|figures?|images?)\s+\(?[A-D1-9]\b))"
)


@dataclass(frozen=True)
class Imported:
    """What an import did: questions written, repeated ones left out, why those that are not scored
    are not and which they are, what is said of single rows, why each row that was set aside cannot
    be used, what was chosen or left out in reading, and the columns that play no role."""

    path: Path
    n_questions: int
    n_repeated: int
    n_without_key: int
    unreadable: list[str]
    unscored: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    choices: list[str] = field(default_factory=list)
    unscored_numbers: dict[str, list[int]] = field(default_factory=dict)
    unread: tuple[str, ...] = ()


class Question(NamedTuple):
    """A question of a file as its set holds it."""

    number: int
    ref: str | None
    text: str
    options: list[str]
    letter: str | None
    unscored_reason: str | None
    subject: str | None


class Draft(NamedTuple):
    """A question whose key is not read yet; `position` counts all questions of the file, from 1,
    also those set aside."""

    row: int
    position: int
    named: dict[str, Any]
    text: str
    options: list[str]
    has_image: bool
    is_voided: bool
    counts_from_one: bool  # its options have numbers in the file


class Drafts(NamedTuple):
    """The questions of a file, how many with those set aside, why these were, the sheets that
    were not read, whether it has the column of numbers that was named, whether its keys are called
    an index, what is said of them, and the columns that play no role."""

    drafts: list[Draft]
    n_rows: int
    rejected: list[str]
    unread_sheets: list[str]
    has_number_column: bool = False
    is_index: bool = False
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def import_questions(
    source: Path,
    question_set: str,
    folder: Path,
    *,
    columns: Mapping[str, str] | None = None,
    language: str | None = None,
    skip_without_key: bool = False,
    contains_phi: bool = False,
    key_file: Path | None = None,
) -> Imported:
    """Write `folder`/`question_set`.parquet (IMPORTED_SCHEMA) from `source`, whole or not at all.

    `columns` maps the fields of ALIASES and option_a … option_j to the file's own names.
    `language` is en, es or None, which detects it from the text. `key_file` holds the keys by
    number. A question that appears twice with the same options is written once.
    `skip_without_key` leaves out and counts questions without a usable key. Raises FileError for a
    file of which less than half can be used.
    """
    mapping = dict(columns or {})
    _check_choices(question_set, language, mapping)
    read = read_drafts(source, mapping, key_file)
    rejected = read.rejected + [
        f"{source.name}, sheet '{sheet}': not read, because its header is another than that of the "
        "questions: save it as a file of its own if it has some"
        for sheet in read.unread_sheets
    ]
    base = _base(read, source)
    questions, n_repeated, notes = _questions(read.drafts, source, base)
    _check_keys(questions, source)
    numbers: dict[str, list[int]] = {}
    for question in questions:
        if question.unscored_reason:
            numbers.setdefault(question.unscored_reason, []).append(question.number)
    unscored = Counter({reason: len(listed) for reason, listed in numbers.items()})
    n_left_out = 0
    if skip_without_key:
        n_left_out = sum(question.letter is None for question in questions)
        questions = [question for question in questions if question.letter is not None]
    if not questions:
        raise FileError(f"{source} holds no question that can be used: choose another file.")
    same = {"question_set": question_set, "language": language, "source": source.name}
    rows = [_row(question) | same | {"contains_phi": contains_phi} for question in questions]
    told = {"contains_phi": contains_phi, "n_questions": len(rows)}
    trail.note("import", question_set, what="questions", **told)
    destination = folder / f"{question_set}.parquet"
    with files.locked(folder):
        files.write_parquet(pa.Table.from_pylist(rows, schema=IMPORTED_SCHEMA), destination)
    choices = [
        *read.notes,
        *_left_out(source),
        *(["the keys count the options from 0"] if base.first == 0 else []),
        *_numbers_or_texts(read, base),
    ]
    return Imported(
        *(destination, len(rows), n_repeated, n_left_out, rejected, unscored, notes, choices),
        numbers,
        read.unread,
    )


def _check_keys(questions: list[Question], source: Path) -> None:
    """Raise FileError if no key of a file is one of its options."""
    reasons = {question.unscored_reason for question in questions}
    if len(questions) >= FEWEST_KEYS and reasons == {"key_is_no_option"}:
        raise FileError(
            f"{source.name}: no key is one of its question's options: name the column of the keys "
            "with --column key=COLUMN, or write letters (A, B, …)."
        )


def _left_out(source: Path) -> list[str]:
    """What is said of the lines of a document that are no part of a question."""
    text = documents.text_of(source, tables.read(source))
    if not text or not documents.questions_of(text):
        return []
    lines = Counter(documents.without_page_heads(text)[1])
    shown = [
        f"'{line[:LINE_SHOWN]}'" + (f" ({times} times)" if times > 1 else "")
        for line, times in lines.items()
    ]
    more = f" and {len(shown) - LINES_SHOWN} more" if len(shown) > LINES_SHOWN else ""
    listed = f"{', '.join(shown[:LINES_SHOWN])}{more}"
    return [f"{source.name}: lines that are of no question are left out: {listed}"] * bool(shown)


def _row(question: Question) -> dict[str, Any]:
    """What IMPORTED_SCHEMA has of a question."""
    return {
        "question_number": question.number,
        "question_text": question.text,
        "options": question.options,
        "answer_letter": question.letter,
        "question_ref": question.ref,
        "subject": question.subject,
        "unscored_reason": question.unscored_reason,
    }


def _check_choices(question_set: str, language: str | None, mapping: Mapping[str, str]) -> None:
    """Raise FileError for a name, a language or a mapping that cannot be used."""
    if not NAME.fullmatch(question_set):
        raise FileError(
            f"'{question_set}' cannot name a question set: use lower-case letters, digits and _."
        )
    if question_set == BANK:
        raise FileError(f"{BANK} is the project's own question bank: choose another name.")
    if language not in (None, "en", "es"):
        raise FileError(f"Language '{language}' is not known: use en or es, or leave it out.")
    fields.check_mapping(mapping)


def read_drafts(source: Path, mapping: Mapping[str, str], key_file: Path | None = None) -> "Drafts":
    """The questions of a file with the values of their rows by field, the rest of the row under its
    own names; and why each other row was set aside. Raises FileError if that is more than half.

    With a `key_file` the mapping's column of keys is that of the key file, and its column of
    numbers that of each of the two that has it."""
    if key_file is None:
        return _read(source, mapping)
    of_exam = {field: column for field, column in mapping.items() if field not in ("key", "answer")}
    read = _read(source, of_exam, frozenset({"number"}))
    text = documents.text_of(source, tables.read(source))
    listed = key_files.read_key_file(
        key_file,
        {field: column for field, column in mapping.items() if field in ("key", "number")},
        version=documents.version_said(text) if text else None,
        # a column that the examination has need not be in the other file
        may_lack=frozenset({"number"} if read.has_number_column else ()),
    )
    return _with_keys(read, listed)


def _read(
    source: Path, mapping: Mapping[str, str], may_lack: frozenset[str] | None = None
) -> "Drafts":
    """The questions of a file; with their keys, unless fields that the file `may_lack` are given.

    A file that is of no use as a table with a header is read as a table on its side and as a
    document; if that is of no use either, the error is that of the table."""
    try:
        return _drafts(source, fields.read_rows(source, mapping.values()), mapping, may_lack)
    except FileError:
        for records in [] if mapping else fields.other_readings(source):
            with contextlib.suppress(FileError):
                return _drafts(source, records, mapping, may_lack)
        raise


def _drafts(
    source: Path,
    records: fields.Records,
    mapping: Mapping[str, str],
    may_lack: frozenset[str] | None,
) -> "Drafts":
    unreadable = records.unreadable
    rejected = [f"{place(source, number)}: {reason}" for number, reason in unreadable]
    rows = shapes.reshape(records.rows)
    if not rows:
        raise FileError(f"{source.name} holds no rows: choose another file.")
    where = place(source, rows[0].number)
    columns = fields.columns_of(rows, mapping, where, may_lack or frozenset())
    listed: key_files.KeyFile | None = None
    key_sheet: str | None = None
    if may_lack is None and not {"key", "answer"} & columns.keys():
        listed, key_sheet = _key_of_a_sheet(source, records.unread_sheets)
        if listed is None:
            raise FileError(
                f"{source.name}: no column looks like the key; name it with --column key=COLUMN "
                f"(there are {', '.join(map(str, rows[0].values))[:NAMES_SHOWN]}), or give the "
                "file that holds the keys with --key-file."
            )
    lost = [number or 0 for number, reason in unreadable if HEADER_AGAIN not in reason]
    drafts, aside, n_asked = _placed(source, rows, columns, lost)
    rejected += aside
    if len(drafts) < tables.LEAST_USABLE * (len(drafts) + len(rejected)):
        raise FileError(
            f"{rejected[0]}. {len(rejected)} of {len(rows) + len(unreadable)} rows cannot be used: "
            "correct them, or say which column is which with --column."
        )
    read = Drafts(
        drafts,
        n_asked + len(lost),
        rejected,
        [sheet for sheet in records.unread_sheets if sheet != key_sheet],
        column_key(mapping.get("number", "")) == column_key(columns.get("number", "")),
        is_index=bool({*column_key(columns.get("key", "")).split("_")} & {"index", "idx"}),
        notes=tuple(vignettes.remarks(rows, columns, source.name)),
        unread=tuple(vignettes.unread(rows, columns)),
    )
    return _with_keys(read, listed) if listed else read


def _placed(
    source: Path, rows: list[Row], columns: Mapping[str, str], lost: list[int]
) -> tuple[list[Draft], list[str], int]:
    """The questions of rows, why others are set aside, and how many of all ask something. A
    question's place counts those set aside and the rows that are `lost`, so that none moves."""
    drafts, aside = [], []
    n_asked = 0
    for row in rows:
        named = {name: row.values.get(column) for name, column in columns.items()}
        named["row"] = row.values
        if named.get("vignette"):
            named["question"] = vignettes.joined(named["vignette"], named.get("question"))
        if column_key(columns.get("option_a", "")).endswith("1"):
            named["option_1"] = None
        position = n_asked + 1 + sum(number < row.number for number in lost)
        try:
            drafts.append(_draft(row.number, position, named))
        except NoOptions as error:
            aside.append(f"{place(source, row.number)}: {error}")
            n_asked += _asks(named)
        else:
            n_asked += 1
    return drafts, aside, n_asked


def _asks(named: Mapping[str, Any]) -> bool:
    """Whether a row that is set aside is a question, and no heading or remark."""
    filled = [
        name
        for name, value in named.items()
        if name.startswith(("question", "option", "key", "answer", "number"))
        and str("" if value is None else value).strip()
    ]
    text = str(named.get("question") or "")
    return len(filled) > 1 or "?" in text or len(LINE_MARK.findall(text)) > 1


def _key_of_a_sheet(source: Path, sheets: list[str]) -> tuple[key_files.KeyFile | None, str | None]:
    """The keys that a workbook holds in a sheet of their own, and the name of that sheet; nothing
    if it has none. Raises FileError for sheets that contradict each other, unless one of them is
    version 0."""
    listed: dict[str, key_files.KeyFile] = {}
    for sheet in sheets:
        with contextlib.suppress(FileError):
            listed[sheet] = key_files.read_key_file(source, {}, sheet)
    if not listed:
        return None, None
    by_version = [sheet for sheet in listed if key_tables.version_of(sheet) == "0"]
    sheet, *others = by_version or listed
    keys_of_sheet = listed[sheet].keys
    for other in [] if by_version else others:
        shared = keys_of_sheet.keys() & listed[other].keys.keys()
        if any(str(keys_of_sheet[n]) != str(listed[other].keys[n]) for n in shared):
            raise FileError(
                f"{source.name}: the sheets '{sheet}' and '{other}' have other keys for the same "
                "numbers: save the one that counts as a file of its own and give it with "
                "--key-file."
            )
    return listed[sheet], sheet


def _draft(row: int, position: int, named: dict[str, Any]) -> Draft:
    """The question of a row. Raises NoOptions for one that cannot be asked."""
    text = str(named.get("question") or "").replace("\r\n", "\n").replace("\xa0", " ").strip()
    text = ESCAPED.sub("", text)
    if not text:
        raise NoOptions("the question is empty: fill it in or delete the row")
    if named.get("options") == []:
        raise NoOptions("the question has no options: it is none of multiple choice")
    options, whole = options_of(named), text
    if options is None:
        split = split_text(text)
        if split is None:
            raise NoOptions(
                "no column looks like options, and the text does not end with them: name them with "
                "--column option_a=COLUMN and so on, or --column options=COLUMN"
            )
        text, options = split
    else:
        text = without_options(text, options)
    text = documents.CAPTION.sub("", text)
    in_front = NUMBER_IN_FRONT.match(text)
    if in_front and keys.number_of(named.get("number")) in (None, in_front[1]):
        named["number"] = in_front[1]
        text = text[in_front.end() :]
    image = str(named.get("image") or "").strip().lower()
    has_image = image not in ("", "0", "no", "false", "none", "nan", "null", "0.0") or bool(
        IMAGE.search(text)
    )
    is_voided = keys.is_true(named.get("voided")) or bool(VOIDED_TEXT.search(text))
    listed = named["options"] if isinstance(named.get("options"), str) else whole[len(text) :]
    counts_from_one = bool(ONE_IN_FRONT.search(listed)) or "option_1" in named
    return Draft(row, position, named, text, options, has_image, is_voided, counts_from_one)


def split_question(text: str) -> str:
    """The question in a text that may end with its options and begin with its number."""
    text = text.replace("\r\n", "\n").replace("\xa0", " ").strip()
    try:
        split = split_text(text)
    except NoOptions:
        return text
    text = split[0] if split else text
    in_front = NUMBER_IN_FRONT.match(text)
    return text[in_front.end() :] if in_front else text


def _with_keys(drafts: "Drafts", listed: key_files.KeyFile) -> "Drafts":
    """The drafts with the keys of a file or a sheet of their own."""
    asked = [
        key_files.Place(keys.number_of(draft.named.get("number")), draft.position, _subject(draft))
        for draft in drafts.drafts
    ]
    of_questions, notes = key_files.matched(asked, drafts.n_rows, listed)
    keyed = [
        draft._replace(named={**draft.named, "key": key, "answer": None})
        for draft, key in zip(drafts.drafts, of_questions, strict=True)
    ]
    return drafts._replace(
        drafts=keyed, rejected=[*drafts.rejected, *notes], notes=(*drafts.notes, *listed.notes)
    )


def _base(read: Drafts, source: Path) -> keys.Base:
    """What the numbers of the keys count from: one column may say it for the file, in which 0 is
    the first option or no key. Raises FileError where nothing says it."""
    written = [(named_key(draft.named), draft.options) for draft in read.drafts]
    base = keys.base_of(
        [(key, len(options)) for key, options in written],
        is_index=read.is_index,
        from_one=any(draft.counts_from_one for draft in read.drafts),
    )
    if base is None:
        raise FileError(
            f"{source.name}: the numbers of the keys may count the options from 0 or from 1, and "
            "too few keys tell which: write letters (A, B, …), and 'anulada' or 'void' where 0 is "
            "no option."
        )
    are_places = keys.are_places(written, base.first)
    if are_places is None:
        draft = _either(read, base)[0]
        raise FileError(
            f"{place(source, draft.row)}: the key '{named_key(draft.named)}' is an "
            "option's text and another one's number, and the other keys do not tell which is "
            "meant: write letters (A, B, …)."
        )
    return base._replace(are_places=are_places)


def _either(read: Drafts, base: keys.Base) -> list[Draft]:
    """The questions whose key is an option's text and another one's number."""
    return [d for d in read.drafts if keys.is_either(named_key(d.named), d.options, base.first)]


def _numbers_or_texts(read: Drafts, base: keys.Base) -> list[str]:
    """What is said of keys that are an option's text and another one's number."""
    rows = [draft.row for draft in _either(read, base)]
    if not rows:
        return []
    read_as = "numbers" if base.are_places else "texts"
    listed = ", ".join(map(str, rows[:10])) + (", …" if len(rows) > 10 else "")
    return [f"the keys are the options' {read_as}, also where they may be either (row {listed})"]


def _questions(
    drafts: list[Draft], source: Path, base: keys.Base
) -> tuple[list[Question], int, list[str]]:
    """The questions of the drafts, each once; how many were repeated; and which rows have a key
    that cannot be one."""
    numbers = _numbers([(draft.named.get("number"), draft.position) for draft in drafts])
    read = [
        keys.key_of(draft.named.get("key"), draft.named.get("answer"), draft.options, base)
        for draft in drafts
    ]
    of_repeated, notes = _keys_of_repeated(drafts, read, source)
    questions: dict[tuple[str, ...], Question] = {}
    n_repeated = 0
    for draft, number, written_key in zip(drafts, numbers, read, strict=True):
        identity = (draft.text, *draft.options)
        key = of_repeated.get(_subject(draft), written_key)
        reason = "voided" if draft.is_voided else key.reason
        if identity in questions:
            n_repeated += 1
            first = questions[identity]
            if first.unscored_reason == "no_key" and reason is None:
                questions[identity] = first._replace(letter=key.letter, unscored_reason=None)
            continue
        is_zero = reason == "no_key" and keys.is_zero(named_key(draft.named))
        if (reason in NAMED or is_zero) and _subject(draft) not in of_repeated:
            told = "with the key 0, taken for none" if is_zero else UNSCORED[reason or ""]
            notes.append(
                f"{place(source, draft.row)}: {told} "
                f"(its options are A to {chr(64 + len(draft.options))}): not scored; correct it"
            )
        questions[identity] = Question(
            number,
            keys.number_of(draft.named.get("number")),
            draft.text,
            draft.options,
            None if draft.is_voided else key.letter,
            "image" if draft.has_image and reason in (None, "no_key") else reason,
            str(draft.named.get("subject") or "").strip() or None,
        )
    return list(questions.values()), n_repeated, notes


def _subject(draft: Draft) -> tuple[str, ...]:
    """What two rows that ask the same have in common: text and options, in any order."""
    return (option_key(draft.text), *sorted(map(option_key, draft.options)))


def _keys_of_repeated(
    drafts: list[Draft], read: list[keys.Key], source: Path
) -> tuple[dict[tuple[str, ...], keys.Key], list[str]]:
    """The keys of questions whose rows do not agree on one, and what is said of them.

    A row without a key says nothing. Where the others differ, nobody can say which is right, and
    the question is not scored; where one is voided, it is voided.
    """
    of_subject: dict[tuple[str, ...], dict[str, tuple[Draft, keys.Key]]] = {}
    for draft, key in zip(drafts, read, strict=True):
        reason = "voided" if draft.is_voided else key.reason
        right = draft.options[LETTERS.index(key.letter)] if key.letter and not reason else ""
        if reason != "no_key":
            answers = of_subject.setdefault(_subject(draft), {})
            answers.setdefault(reason or option_key(right), (draft, key))
    settled: dict[tuple[str, ...], keys.Key] = {}
    notes = []
    for subject, answers in of_subject.items():
        if len(answers) < 2:
            continue
        reason = "voided" if "voided" in answers else "keys_contradict"
        settled[subject] = keys.Key(None, reason)
        listed = "; ".join(
            f"{place(source, draft.row)}: {_as_written(draft, key)}"
            for draft, key in answers.values()
        )
        notes.append(f"{UNSCORED[reason]} (the question is repeated: {listed}): correct it")
    return settled, notes


def _as_written(draft: Draft, key: keys.Key) -> str:
    """The key of a row, for a message."""
    return "voided" if draft.is_voided else key.letter or str(named_key(draft.named))[:20]


def named_key(named: Mapping[str, Any]) -> Any:
    """The value of the key's column, or of the answer's where there is no other."""
    return named["key"] if named.get("key") is not None else named.get("answer")


def _numbers(written: list[tuple[Any, int]]) -> list[int]:
    """A number for each question: its own, or where it has none or another has it, its place in
    the file, or the next that is free."""
    refs = [keys.number_of(value) or "" for value, _ in written]
    positions = [position for _, position in written]
    own = [int(ref) if ref.isdecimal() and len(ref) < 9 else None for ref in refs]
    taken: set[int] = set()
    numbers = []
    wanted = {number for number in own if number is not None}
    for position, number in zip(positions, own, strict=True):
        if number is None or number in taken:
            is_free = position not in wanted | taken
            number = position if is_free else max(wanted | taken | {*positions}) + 1
        taken.add(number)
        numbers.append(number)
    return numbers


def imported_folder() -> Path:
    """Where imported question sets are kept: data/questions, or under KERNEL29_DATA_DIR."""
    return paths.resolve(os.environ.get("KERNEL29_DATA_DIR", "data")) / "questions"


def read_imported(folder: Path) -> pa.Table:
    """Every imported question set of `folder` (IMPORTED_SCHEMA); without any, no rows."""
    return files.read_parquet(
        sorted(folder.glob("*.parquet")),
        IMPORTED_SCHEMA,
        "imported question set (kernel29 questions import)",
    )
