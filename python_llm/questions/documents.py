"""Examinations written as text: a document whose questions follow each other, no table.

A question begins with its number, or after the answer or the empty line before it; its options end
it, a line each or marked; its key is a line ('Respuesta correcta: B', 'ANSWER: B'), a mark at the
option, or a list at the end of the document. Word documents are read by their paragraphs.
"""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from python_llm.errors import FileError
from python_llm.imports import tables
from python_llm.imports.encodings import decode
from python_llm.imports.file_kinds import DAMAGED
from python_llm.imports.numbered_rows import Row
from python_llm.questions import key_tables, word_numbers
from python_llm.questions.options import LETTERS, NoOptions, split_text

TEXT = (".txt", ".md", ".markdown", ".text")
WORD = ".docx"
WORD_PARTS = ("word/document.xml", "word/numbering.xml", "word/styles.xml")
MOST_UNPACKED_BYTES = 64 * 2**20
FEWEST_QUESTIONS = 2
SAYS_VERSION = re.compile(r"(?i)\bversi[oó]n\W{0,3}(\d)\b")
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
# 'Respuesta correcta: B', '**RC: 3**', 'ANSWER: C) Aspirin', 'Solución: la 2'
ANSWER = re.compile(
    r"(?i)^[\W_]*(?:(?:comentario|explicaci[oó]n|explanation|rationale|feedback)\s?:\s?)?(?:(?:la\s+)?(?:respuesta|opci[oó]n|soluci[oó]n|r[eé]ponse|risposta|resposta|answer"
    r"|correct[ao]?|clave|key|rc|sol|resp|gabarito|antwort|bonne|richtige)\b\.?[\s\w]{0,20}?)[\s*_]*(?:[:=]|\bes\b)\s*(.+)$"
)
# the key in brackets behind the last option: '[Respuesta: c]'
KEY_BEHIND = re.compile(
    r"(?im)(?<=\S)[ \t]*[\[(]((?:respuesta|soluci[oó]n|clave|answer|key|rc)(?: correcta)?[ ]?:[ ]?"
    r"[(]?[a-j1-9][)]?)[\])][ \t.]*$"
)
VOIDED = re.compile(r"(?i)^[\W_]*(?:pregunta\s+)?(?:anulada|impugnada|voided)[\W_]*$")
NUMBERED = re.compile(
    r"(?i)^[\W_]*(?:(?:pregunta|question|item|q|p)(?![^\W\d])\.?\s*(?:n[ºo°.]*\s*|\#\s*)?(\d{1,3})\b(?:\s+(?:of|de)\s+\d+)?[\s.:)\-–º]*"
    r"|(\d{1,3})\s*(?:[.):º]+-?|[-–]\s)\s*(?=\S))"
)
# the head of a list of keys after the questions, and its entries: '12. B', '12-3', '12) c'
KEYS_BEGIN = re.compile(
    r"(?im)^(?:[^\w\n]|_){0,40}(?:(?:tabla|hoja|plantilla)\s+de\s+)?(?:respuestas|soluciones|claves?|plantilla"
    r"|gabarito|solucionario|respostas|solu[cç][oõ]es|corrig[ée]|r[ée]ponses|risposte|soluzioni"
    r"|answers|answer\s+keys?|solutions|keys?)(?:\s+(?:correctas|oficial(?:es)?|de\s+respuestas|comentadas|razonadas"
    r"|(?:and|y|con|with)\s+(?:explanations?|rationales?|comentarios?|explicaci(?:[oó]n|ones))))?"
    r"(?:(?:[^\w\n]|_){0,40}$|:[ \t]*(?=\d))"
)
# the same with its reason: '12. The answer is B. It relieves …'
KEY_EXPLAINED = re.compile(
    r"(?im)^\W*(\d{1,3})[ ]?[.):\-–]+[ ]?(?:(?:the )?(?:correct )?(?:answer|respuesta|soluci[oó]n)"
    r"(?: correcta)?(?: is| es)?(?: la)?|correcta|correct)\W*([a-j1-9])\b"
)
KEY_ENTRY = re.compile(
    r"(?i)(?<![\w.,])(\d{1,3})\s*(?:[.)\-–:=º]+|\s|(?=[a-j]\b))\s*[(\[]?(?:([a-j]|[1-9])(?![\w.,]\w)"
    r"|(anulad[ao]s?|nul[ao]|void(?:ed)?|annulled|annul[ée]e?|impugnad[ao]s?|invalid)\b"
    # 'X', or another letter that no option has
    r"|(?:(?<=[.)\-–:=º(\[])|(?<=[.)\-–:=º][ ]))(?-i:([K-Z]))(?![\w.,]\w|\w))"
)
# what stands above a list of keys
KEYS_HEAD = re.compile(
    r"(?i)^\W*(?:[^\W\d_]{3,}\W+)*(?:versi[oó]n|v|modelo|cuaderno|tipo|form|version|test)\W*\d\W*$"
)
# beside several keys in a line: a number, a letter or a word that makes one of them void
LEFT_OVER = re.compile(r"(?i)\d|(?<![^\W_])[a-j](?![^\W_])|anul|void|impugn|\bnul[ao]\b|invalid")
# a line of one number and its key, whatever that is: '6. void', '7. La respuesta es la D'
KEY_LINE = re.compile(r"^\W*(\d{1,3})[ \t]*(?:[.)\-–:=º]+|[ \t])[ \t]*(\S.*)$")
MARKED_RIGHT = re.compile(
    r"(?i)^\s*(?:\*|✓|✔|\[x\]|=>)\s*|\s*(?:\((?:correct[ao]?|x)\)|✓|✔|\*)\s*$"
)
OPTION = re.compile(r"^[ \t]*[(\[]?(?:[A-Ja-j]|[1-9])[ \t]?(?:[)\].:º]+-?|[-–][ \t])")
# what a printed page ends with, and how far from it the heads of pages stand
PAGE = re.compile(
    r"(?i)^\s*(?:-\s*\d{1,3}\s*-|(?:p[áa]g(?:ina|\.)?|page)\s*\d+(?:\s*(?:de|of|/)\s*\d+)?)\s*$"
)
NEAR_PAGE = 5
# the number of a page in a line with other words: 'MIR 2022 - Página 1 de 20'
PAGE_WITHIN = re.compile(r"(?i)\b(?:p[áa]g(?:ina|\.)?|page)[ ]{0,2}\d")
# the number of a page at the end of a line, apart from its words
PAGE_BEHIND = re.compile(r"\S[ \t]{3,40}\d{1,3}$")
# what copying from a PDF leaves in words
OF_PRINT = str.maketrans({"ﬁ": "fi", "ﬂ": "fl", "ﬀ": "ff", "ﬃ": "ffi", "ﬄ": "ffl", "\u00ad": None})
# a heading that stands alone: 'SECTION B', 'Part II', 'Bloque 3: Cardiología'
SECTION = re.compile(
    r"(?i)^\W*(?:section|part|parte|partie|secci[oó]n|se[cç][aã]o|bloque|bloco|block)[ ]"
    r"(?:[A-Z]|[IVX]{1,5}|\d{1,2})(?:\W[^?]{0,50})?$"
)
# what stands under such a heading before its first question
MOST_BELOW_HEADING = 3
# the name of a subject between blank lines, behind the last option of a question: 'NEUMOLOGÍA'
SUBJECT = re.compile(r"^\W*[^\W\d_]{4,}(?:[ ,\-]{1,3}[^\W\d_]+){0,6}\W*$")
# a box of a task list, crossed or not; what only folds a part of a page away
BOX = re.compile(r"^\s*[-*+]?\s*(?:\[([ xX✓✔])\]|([☐☑☒✅]))\s*(?=\S)")
CROSSED = {"x", "X", "✓", "✔", "☑", "☒", "✅"}
FOLDED = re.compile(r"(?i)</?(?:details|summary|br|p|div|span)\b[^>\n]{0,80}>")
ANSWER_ALONE = re.compile(
    r"(?i)^[\W_]*(?:(?:correct|right|see|show|ver|la)\s+)?(?:answer|respuesta|soluci[oó]n|solution|key|clave)"
    r"(?:\s+correcta)?[\W_]*$"
)
GAP = re.compile(r"(?<=\S)[ ]{2,80}(?=\S)")  # between the columns of a page
LONGEST_QUESTION = 200  # lines in which its options are looked for
NEXT = 20  # lines below a number among which its first option stands
COLUMNS = 0.4  # of the lines that have one
# an option of Markdown that is bold from end to end
BOLD_OPTION = re.compile(r"^\s*[-*+]?\s*\*\*([A-Ja-j][.)]\s[^*]+)\*\*\s*$")
HEADED = re.compile(r"(?m)^#{1,6}[ ](\d{1,3})[ ]*$")  # a heading that is a number
DIALOGUE = re.compile(r"^(Q|A): ")
PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
BOLD = "\ue000"  # behind an option that stands out
FIRST_OPTION = re.compile(r"^[ \t]*[(\[]?([Aa1])[ \t]?(?:[)\].:º]+-?|[-–][ \t])")
BULLET = re.compile(r"^[-•·–○●◦▪■□]\s*(?=\S)")
POINTS = re.compile(r"(?i)^\s*[(\[]\s*\d+(?:[.,]\d+)?\s*(?:puntos?|points?|pts?|marks?)\s*[)\]]\s*")
CAPTION = re.compile(r"(?i)^(?:question|pregunta|options|opciones|choices|enunciado)\s*:\s*")


def text_of(source: Path, content: bytes) -> str | None:
    """The text of a document, None for a file of another kind. Raises FileError for a Word document
    that cannot be read."""
    suffix = source.suffix.lower()
    if suffix in TEXT:
        return decode(content, source.name).replace("\x00", "").translate(OF_PRINT)
    if suffix != WORD:
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = [part for part in archive.infolist() if part.filename in WORD_PARTS]
            if any(part.file_size > MOST_UNPACKED_BYTES for part in parts):
                raise FileError(f"{source.name} is too large: save it as text, in parts.")
            read = {p.filename: ElementTree.fromstring(archive.read(p)) for p in parts}
            body = read["word/document.xml"]
            if "word/numbering.xml" in read:
                numbering, styles = read["word/numbering.xml"], read.get("word/styles.xml")
                word_numbers.label_paragraphs(body, numbering, styles)
    except (*DAMAGED, KeyError, ElementTree.ParseError) as error:
        raise FileError(f"{source.name} is no Word document: save it as text.") from error
    return "\n".join(_with_one_bold(list(_lines(body))))


def version_said(text: str) -> str | None:
    """The one version of the examination that its text names, such as '1' for 'VERSIÓN: 1'."""
    versions = {*SAYS_VERSION.findall(text)}
    return versions.pop() if len(versions) == 1 else None


def _lines(item: ElementTree.Element) -> Iterator[str]:
    """The paragraphs of a document; a row of a table whose cells are short, or of a table of keys,
    is one line."""
    for child in item:
        if child.tag == f"{W}p":
            yield _paragraph(child)
        elif child.tag == f"{W}tbl" and (rows := _key_rows(child)):
            yield from rows
        elif child.tag == f"{W}tr":
            cells = [list(_lines(cell)) for cell in child]
            texts = [cell[0].strip() for cell in cells if len(cell) == 1]
            if all(len(cell) < 2 for cell in cells) and (_are_marked(texts) or _are_signs(texts)):
                yield "\t".join(texts)
            else:
                yield from (line for cell in cells for line in cell)
        else:
            yield from _lines(child)


def _key_rows(table: ElementTree.Element) -> list[str]:
    """The rows of a table whose first one names numbers and keys; none of another table."""
    rows = [[" ".join(_lines(cell)).strip() for cell in row] for row in table.iter(f"{W}tr")]
    rows = [[cell for cell in row if cell] for row in rows]
    if len(rows) < FEWEST_QUESTIONS or len({len(row) for row in rows}) > 1:
        return []
    pairs = key_tables.pairs_of(rows[0], {})
    is_whole = {*rows[0]} == {name for pair in pairs for name in (pair.number, pair.key)}
    return ["\t".join(row) for row in rows] if pairs and is_whole else []


def _are_marked(cells: list[str]) -> bool:
    """Whether each cell is an option with its mark."""
    return len(cells) > 1 and all(OPTION.match(cell) for cell in cells)


def _are_signs(cells: list[str]) -> bool:
    """Whether cells are numbers of questions or keys, but for what heads them."""
    return len(cells) > 2 and all(re.fullmatch(r"\d{1,3}|[A-Ja-j]", cell) for cell in cells[1:])


def _paragraph(item: ElementTree.Element) -> str:
    parts = {f"{W}t": None, f"{W}tab": "\t", f"{W}br": "\n"}
    text = "".join((parts[run.tag] or run.text or "") for run in item.iter() if run.tag in parts)
    text = item.get(word_numbers.LABEL, "") + text if text.strip() else text
    runs = [run for run in item.iter(f"{W}r") if "".join(run.itertext()).strip()]
    return text + BOLD if runs and OPTION.match(text) and all(map(_stands_out, runs)) else text


def _stands_out(run: ElementTree.Element) -> bool:
    """Whether a run of a Word document is bold, underlined, highlighted or coloured."""
    marks = [run.find(f"{W}rPr/{W}{name}") for name in ("b", "u", "highlight", "shd", "color")]
    off = {"0", "false", "none", "auto", "000000", "clear"}
    return any(mark is not None and mark.get(f"{W}val", "") not in off for mark in marks)


def _with_one_bold(lines: list[str]) -> list[str]:
    """The lines with a sign at the bold option of each question; without, where options are bold
    that are not one a question."""
    heads = [(n, match[1]) for n, line in enumerate(lines) if (match := FIRST_OPTION.match(line))]
    has_letters = any(mark != "1" for _, mark in heads)
    firsts = [n for n, mark in heads if not has_letters or mark != "1"]
    parts = [lines[a:b] for a, b in pairwise([*firsts, len(lines)])]
    is_key = len(parts) >= FEWEST_QUESTIONS and all(
        sum(line.endswith(BOLD) for line in part) == 1 for part in parts
    )
    return [line.replace(BOLD, " (correct)" if is_key else "") for line in lines]


def questions_of(text: str) -> list[Row]:
    """The questions of a document as rows of number, question (with its options) and key, numbered
    by the line they begin in; none if it is no examination."""
    text = re.sub(r"[ \t]{200,}", " ", text)
    whole, below = _read(text), _read(_columns_below(text))
    return below if len(below) > len(whole) else whole


def _columns_below(text: str) -> str:
    """The text with the right column of a printed page below the left; empty if it has one."""
    lines = text.expandtabs().split("\n")
    starts = Counter(match.end() for line in lines for match in GAP.finditer(line))
    column, n_lines = max(starts.items(), key=lambda item: item[1], default=(0, 0))
    if n_lines < max(6, COLUMNS * sum(bool(line.strip()) for line in lines)):
        return ""
    last = max(n for n, line in enumerate(lines) if line[column:].strip())
    below: list[str] = []
    right: list[str] = []
    for number, line in enumerate(lines):
        is_whole = bool(line[column - 2 : column].strip()) or "\f" in line
        if is_whole or number > last:
            below += [*right, line]
            right = []
        else:
            below.append(line[:column].rstrip())
            right.append(line[column:].rstrip())
    return "\n".join([*below, *right])


def _read(text: str) -> list[Row]:
    text = KEY_BEHIND.sub(r"\n\1", text)
    text, listed = _listed_keys(without_page_heads(_with_boxes_lettered(text))[0])
    rows = list(_blocks(text))
    # a number that several questions have tells none of them from the others
    counts = Counter(row.values.get("number") for row in rows)
    for row in rows:
        number = row.values.get("number") or ""
        row.values.setdefault("key", listed.get(number) if counts[number] == 1 else None)
    if not any(row.values["key"] for row in rows):
        for row in rows:
            del row.values["key"]
    n_usable = sum(_has_options(row.values["question"]) for row in rows)
    enough = n_usable >= FEWEST_QUESTIONS and n_usable >= tables.LEAST_USABLE * len(rows)
    return rows if enough else []


def _with_boxes_lettered(text: str) -> str:
    """The text with the boxes of a task list as lettered options, of which the crossed one is
    marked, and an answer under its heading on one line."""
    lines: list[str] = []
    n_boxes, is_heading = 0, False
    text = HEADED.sub(r"Question \1", FOLDED.sub(" ", text))
    marked = [BOLD_OPTION.sub(r"\1" + BOLD, line) for line in text.split("\n")]
    if any(line.endswith(BOLD) for line in marked):
        marked = [re.sub(r"^\s*[-*+]\s+(?=[A-Ja-j][.)]\s)", "", line) for line in marked]
    is_dialogue = sum(line.startswith("A: ") for line in marked) >= FEWEST_QUESTIONS
    for line in _with_one_bold(marked):
        if is_dialogue:
            line = DIALOGUE.sub(lambda sign: {"Q": "Question: ", "A": "Answer: "}[sign[1]], line)
        box = BOX.match(line)
        if box is None:
            n_boxes = n_boxes if not line.strip() else 0
            if is_heading and line.strip():
                lines[-1], is_heading = f"{lines[-1].rstrip(' :*_')}: {line.strip()}", False
                continue
            lines.append(line)
            names = [other.strip() for other in lines[-2:]]
            is_of_table = len(names) > 1 and bool(key_tables.pairs_of(names, {}))
            is_heading = is_heading or (bool(ANSWER_ALONE.match(line)) and not is_of_table)
            while is_heading and not lines[-1].strip():
                lines.pop()
            continue
        right = " (correct)" if (box[1] or box[2]) in CROSSED else ""
        option = OPTION.sub("", line[box.end() :]).strip()
        lines.append(f"{chr(ord('A') + n_boxes % 10)}) {option}{right}")
        n_boxes += 1
    return "\n".join(lines)


def without_page_heads(text: str) -> tuple[str, list[str]]:
    """The questions of a printed examination, and the lines left out around them: numbered
    instructions before question 1, page numbers, heads and feet of pages, section headings."""
    lines = text.split("\n")
    n_cover = _cover_length(lines)
    heads = _page_heads(lines) | _repeated_heads(lines)
    kept, removed = [], [line.strip() for line in lines[:n_cover] if line.strip()]
    n_left = 0  # lines to be left out with the heading above them
    for number, line in enumerate(lines[n_cover:], n_cover + 1):
        is_head = bool(PAGE.match(line)) or line.strip() in heads or n_left > 0
        n_left -= n_left > 0
        if not is_head and SECTION.match(line):
            n_below = _begins_below(lines[number : number + NEXT], MOST_BELOW_HEADING)
            is_head, n_left = n_below is not None, n_below or 0
        if is_head or _is_subject(lines, number - 1):
            removed += filter(None, [line.strip()])
        else:
            kept.append(line.removeprefix("\f"))
    return "\n".join(kept), removed


def _page_heads(lines: list[str]) -> set[str]:
    """The lines that stand near the end of every page."""
    pages = [n for n, line in enumerate(lines) if PAGE.match(line) or line.startswith("\f")]
    # a page may end with two marks: what stands near both is not the head of two pages
    pages = [page for last, page in pairwise([-NEAR_PAGE, *pages]) if page - last >= NEAR_PAGE]
    near = Counter(
        line.strip()
        for page in pages
        for line in {*lines[max(0, page - NEAR_PAGE) : page + NEAR_PAGE + 1]}
        if line.strip() and not OPTION.match(line)
    )
    in_all = Counter(line.strip() for line in lines)
    return {line for line, n in near.items() if 1 < len(pages) == n <= in_all[line]}


def _repeated_heads(lines: list[str]) -> set[str]:
    """The lines that are there again with the number of another page, or three times in capitals;
    none that is a question or an option."""
    plain = {line.strip() for line in lines if line.strip() and not OPTION.match(line.strip())}
    of_pages = {line for line in plain if PAGE_WITHIN.search(line) or PAGE_BEHIND.search(line)}
    forms = Counter(re.sub(r"\d+", "#", line) for line in of_pages)
    times = Counter(line.strip() for line in lines)
    return {
        line
        for line in plain
        if (line in of_pages and forms[re.sub(r"\d+", "#", line)] > 1)
        or (times[line] > 2 and line == line.upper() and len(re.findall(r"[^\W\d_]", line)) > 7)
    }


def _cover_length(lines: list[str]) -> int:
    """How many lines stand before question 1, if they have numbers of their own: a question's
    number is followed by its first option, that of an instruction by the next."""
    marks: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        plain = _plain(line)
        if match := NUMBERED.match(plain):
            marks.append((number, str(int(match[1] or match[2]))))
        elif match := OPTION.match(plain):
            marks.append((number, match[0].strip(" \t([)].:º-–").upper()))
    begins = [n for (n, a), (_, b) in pairwise(marks) if a == "1" and b in ("1", "A")][:1]
    above = [mark for n, mark in marks if begins and n < begins[0]]
    counts = above == [str(n) for n in range(1, len(above) + 1)]
    return begins[0] if counts and len(above) >= FEWEST_QUESTIONS else 0


def _begins_below(following: list[str], n_most: int) -> int | None:
    """How many lines stand before the next question, `n_most` at most but for empty ones; None if
    more do, or an option."""
    n_filled = 0
    for number, line in enumerate(following):
        plain = _plain(line)
        if NUMBERED.match(plain):
            return number
        n_filled += bool(plain)
        if n_filled > n_most or OPTION.match(plain):
            return None
    return None


def _is_subject(lines: list[str], number: int) -> bool:
    """Whether a line in capitals between empty ones heads the next question: one of options with
    marks stands above it."""
    line = lines[number].strip()
    if line != line.upper() or not SUBJECT.match(line) or KEYS_BEGIN.match(line):
        return False
    if number == 0 or lines[number - 1].strip():
        return False
    above = [plain for line in lines[max(0, number - NEXT) : number] if (plain := _plain(line))]
    below = lines[number + 1 : number + 1 + NEXT]
    is_apart = bool(below) and not below[0].strip()
    return is_apart and any(map(OPTION.match, above[-3:])) and _begins_below(below, 0) is not None


def keys_of(text: str) -> dict[str, str]:
    """The keys of a text that is nothing but keys: '1. B', '2-C', one a line or side by side, or a
    table of versions, of which version 0 counts. A line that begins with a number and says
    something else is the key of that number as it is written. None where numbers repeat or begin
    below 1, or a number is left over: then something else was read as a number, and every key after
    it would be another question's."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    if in_rows := _keys_below_numbers(rows):
        return in_rows
    if table := key_tables.table_of_text(text):
        return _keys_of_table(*table)
    explained = KEY_EXPLAINED.findall(text)
    if [number for number, _ in explained] == [str(n) for n in range(1, len(explained) + 1)] != []:
        return dict(explained)
    lines = [line.strip() for line in text.split("\n") if not KEYS_HEAD.match(line)]
    entries: list[tuple[str, str]] = []
    n_words = n_listed = 0
    for line in _of_cells([line for line in lines if line]):
        listed = _entries_of(line)
        if listed is None:
            return {}
        entries += listed
        is_told = len(listed) == 1 and len(listed[0][1].split()) > 1
        n_words += 0 if is_told else len(re.findall(r"\w+", line))
        n_listed += not is_told and len(listed)
    if n_listed < FEWEST_QUESTIONS or n_words > 3 * n_listed or len(entries) > 2 * n_listed:
        return {}
    keys = dict(entries)
    return keys if len(keys) == len(entries) and "0" not in keys else {}


def _of_cells(lines: list[str]) -> list[str]:
    """The lines of a table whose cells stand in a line each, number and key by turns below their
    names, in one line a row; other lines as they are."""
    if len(lines) > FEWEST_QUESTIONS and key_tables.pairs_of(lines[:2], {}):
        lines = lines[2:]
    numbers, signs = lines[::2], lines[1::2]
    counted = [str(n) for n in range(1, len(numbers) + 1)]
    if len(signs) < 3 or [number.rstrip(".)-") for number in numbers] != counted:
        return lines
    return [f"{number}. {sign}" for number, sign in zip(counted, signs, strict=False)]


def _entries_of(line: str) -> list[tuple[str, str]] | None:
    """The numbers and keys of a line; what else stands behind the one key of a line is part of it,
    or is the key as it is written. None where a number or a letter is left that is no key."""
    entries = [(str(int(number)), "".join(written)) for number, *written in KEY_ENTRY.findall(line)]
    left = KEY_ENTRY.sub(" ", line)
    whole = KEY_LINE.match(line)
    if whole and (len(entries) < 2 or not KEY_ENTRY.match(line)):
        is_more = bool(re.search(r"\w", left)) or not entries
        return [(str(int(whole[1])), whole[2].strip())] if is_more else entries
    return None if LEFT_OVER.search(left) else entries


def numbered_lines(text: str) -> list[tuple[str, str]]:
    """The number and text of every line of a list that counts up; a line without a number goes on
    with the one before it, or heads the first. Empty for another text."""
    listed: list[tuple[str, str]] = []
    for line in filter(str.strip, text.splitlines()):
        if match := KEY_LINE.match(line.strip()):
            listed.append((str(int(match[1])), match[2].strip()))
        elif listed:
            listed[-1] = (listed[-1][0], f"{listed[-1][1]}\n{line.strip()}")
        elif re.search(r"\d", line):
            return []
    numbers = [int(number) for number, _ in listed]
    counts_up = all(a < b for a, b in pairwise(numbers))
    return listed if len(listed) >= FEWEST_QUESTIONS and counts_up and numbers[0] else []


def _keys_of_table(names: list[str], rows: list[dict[str, str]]) -> dict[str, str]:
    """The keys of version 0 of a table, or of the only one; none where a number has two."""
    pairs = key_tables.best_of(key_tables.pairs_of(names, {}))
    versions = {pair.version for pair in pairs}
    if len(versions) > 1 and "0" not in versions:
        return {}
    pairs = [pair for pair in pairs if len(versions) < 2 or pair.version == "0"]
    listed = [(row[pair.number].rstrip(".)"), row[pair.key]) for row in rows for pair in pairs]
    keys = dict(listed)
    return keys if len(keys) == len(listed) and "0" not in keys else {}


def _keys_below_numbers(rows: list[list[str]]) -> dict[str, str]:
    """The keys of a table whose rows are numbers and, below them, their keys."""
    keys: dict[str, str] = {}
    for numbers, signs in zip(rows[::2], rows[1::2], strict=False):
        # a word may head each row
        numbers, signs = ([s for s in row if len(s) < 4] for row in (numbers, signs))
        first = int(numbers[0]) if numbers and numbers[0].isdecimal() else 0
        counted = [str(first + n) for n in range(len(numbers))]
        is_key = all(re.fullmatch(r"(?i)[a-j]|[0-9]", sign) for sign in signs)
        if len(numbers) < 3 or numbers != counted or len(signs) != len(numbers) or not is_key:
            return {}
        keys |= dict(zip(numbers, signs, strict=True))
    return keys if len(rows) % 2 == 0 else {}


def _has_options(text: str) -> bool:
    try:
        return split_text(text) is not None
    except NoOptions:
        return True  # it is a question, and named as one that lacks an option


def _listed_keys(text: str) -> tuple[str, dict[str, str]]:
    """The text without the list of keys at its end, and the keys."""
    for head in reversed(list(KEYS_BEGIN.finditer(text))):
        if keys := keys_of(text[head.end() :]):
            return text[: head.start()], keys
        paragraph = PARAGRAPH.match(text, head.end())
        if paragraph and len(keys := keys_of(paragraph[0])) > FEWEST_QUESTIONS:
            return text[: head.start()] + text[paragraph.end() :], keys
    return text, {}


def _blocks(text: str) -> Iterator[Row]:
    """The questions one by one. A numbered line begins one unless it is the next of its options."""
    lines = [_plain(line) for line in text.splitlines()]
    heads = [match for line in lines if (match := NUMBERED.match(line))]
    numbered = len(heads) >= FEWEST_QUESTIONS
    # where the word 'Pregunta' heads the questions, a number alone is an option's
    is_worded = sum(bool(match[1]) for match in heads) >= FEWEST_QUESTIONS
    has_answers = sum(bool(ANSWER.match(line)) for line in lines) >= FEWEST_QUESTIONS
    block: list[str] = []
    first, number, key, last = 1, "", None, 0
    for line_number, line in enumerate([*lines, ""], 1):
        at_end = line_number > len(lines)
        begins = (
            None
            if at_end
            else _begins(line, lines[line_number : line_number + NEXT], block, last, bool(key))
        )
        if begins and is_worded and not begins[1]:
            begins = None
        is_apart = (
            not (numbered or line)
            and _has_options("\n".join(block))
            and (not has_answers or _lacks_answer(lines[line_number:]))
        )
        if at_end or begins or is_apart or (key and not numbered and line):
            row = _row(block, number, key)
            is_title = numbered and not number and row and not _has_options(row["question"])
            if row and not is_title:
                yield Row(first, row)
            block, key, first, number = [], None, line_number, ""
        if begins:
            number = str(int(begins[1] or begins[2]))
            last = int(number)
            line = POINTS.sub("", line[begins.end() :])
        elif answer := ANSWER.match(line):
            key = answer[1].strip(" *_")
            continue
        elif VOIDED.match(line):
            key = "anulada"
            continue
        if not key and (line or block[-1:] != [""]):  # what follows the answer is its explanation
            block.append(line)


def _lacks_answer(following: Sequence[str]) -> bool:
    """Whether another question comes behind a blank line before the next answer does."""
    before = takewhile(lambda line: not (ANSWER.match(line) or VOIDED.match(line)), following)
    return _has_options("\n".join(before))


def _begins(
    line: str, following: list[str], block: list[str], last: int, is_answered: bool
) -> re.Match[str] | None:
    """Whether a line begins a question: its number is the next, and it is no option."""
    match = NUMBERED.match(line)
    if match is None:
        return None
    number = int(match[1] or match[2])
    block = block[-LONGEST_QUESTION:]
    if match[1] is None and not (last < number <= last + 10):
        return None
    if match[1] or is_answered or number > 9:
        return match
    if number == last + 1 and _has_options(line[match.end() :]):  # its options in the same line
        return match
    if number == last + 1 and sum(bool(BULLET.match(other)) for other in block) > 1:
        return match
    n_options = sum(bool(_option_mark(other)) for other in block)
    if number == 1 and not last:
        return match
    # '5.' may be question 5 or a fifth option: a question has options of its own before the next
    after = next(filter(None, map(_option_mark, following)), "")
    starts_over = after.strip(" \t([)].:º-–") in ("1", "A", "a")
    if not starts_over:
        return None
    is_complete = n_options >= 2 or not block or _has_options("\n".join(block[-NEXT:]))
    return match if is_complete else None


def _option_mark(line: str) -> str:
    """The mark of an option at the head of a line; a sign that it is right may stand before it."""
    match = OPTION.match(MARKED_RIGHT.sub("", line))
    return match[0] if match else ""


def _plain(line: str) -> str:
    """A line without the marks of Markdown and of bullets before an option."""
    line = re.sub(r"\*\*|__|^#+\s*|^>\s*|^[-_=*]{3,}\s*$", "", line.replace("\xa0", " ")).strip()
    return re.sub(r"^[-•·–*]\s+(?=[(\[]?[A-Ja-j1-9][)\].:])", "", line)


def _row(block: list[str], number: str, key: str | None) -> dict[str, Any] | None:
    lines = [line for line in (CAPTION.sub("", line) for line in block) if line]
    if not lines:
        return None
    lines = _with_bullets_lettered(lines)
    right = [line for line in lines if OPTION.match(MARKED_RIGHT.sub("", line)) and _is_right(line)]
    lines = [MARKED_RIGHT.sub("", line) if line in right else line for line in lines]
    if key is None and len(right) == 1:
        key = re.sub(r"\W+", "", OPTION.match(MARKED_RIGHT.sub("", right[0]))[0])  # type: ignore[index]
    row: dict[str, Any] = {"number": number, "question": "\n".join(lines)}
    if key is not None:
        row["key"] = key
    return row


def _with_bullets_lettered(lines: list[str]) -> list[str]:
    """The lines of a question with letters in place of the bullets of its options."""
    bullets = [BULLET.match(line) for line in lines]
    if sum(map(bool, bullets)) < 2:
        return lines
    first = next(number for number, mark in enumerate(bullets) if mark)
    bare = [line[mark.end() :] if mark else line for line, mark in zip(lines, bullets, strict=True)]
    is_list = first > 0 and all(bullets[first:]) and not any(map(OPTION.match, bare[first:]))
    if is_list and len(bare) - first <= len(LETTERS):
        marks = zip(LETTERS, bare[first:], strict=False)
        bare[first:] = [f"{letter}) {option}" for letter, option in marks]
    return bare


def _is_right(line: str) -> bool:
    return bool(MARKED_RIGHT.search(line))
