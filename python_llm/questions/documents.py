"""Examinations written as text: a document whose questions follow each other, no table.

A question begins with its number, or after the answer or the empty line before it; its options end
it, a line each or marked; its key is a line ('Respuesta correcta: B', 'ANSWER: B'), a mark at the
option, or a list at the end of the document. Word documents are read by their paragraphs.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from python_llm.errors import FileError
from python_llm.imports import tables
from python_llm.questions.options import NoOptions, split_text

TEXT = (".txt", ".md", ".markdown", ".text")
WORD = ".docx"
MOST_UNPACKED_BYTES = 64 * 2**20
FEWEST_QUESTIONS = 2
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
# 'Respuesta correcta: B', '**RC: 3**', 'ANSWER: C) Aspirin', 'Solución: la 2'
ANSWER = re.compile(
    r"(?i)^[\W_]*(?:(?:la\s+)?(?:respuesta|opci[oó]n|soluci[oó]n|r[eé]ponse|risposta|resposta|answer"
    r"|correct|clave|key|rc|gabarito|antwort|bonne|richtige)\b[\s\w]{0,20}?)[\s*_]*(?:[:=]|\bes\b)\s*(.+)$"
)
VOIDED = re.compile(r"(?i)^[\W_]*(?:pregunta\s+)?(?:anulada|impugnada|voided)[\W_]*$")
NUMBERED = re.compile(
    r"(?i)^[\W_]*(?:(?:pregunta|question|item|q|p)\b\s*(?:n[ºo°.]*\s*)?(\d{1,3})\b[\s.:)\-–º]*"
    r"|(\d{1,3})\s*(?:[.):º]+-?|[-–]\s)\s*(?=\S))"
)
# the head of a list of keys after the questions, and its entries: '12. B', '12-3', '12) c'
KEYS_BEGIN = re.compile(
    r"(?im)^[\W_]*(?:(?:tabla|hoja|plantilla)\s+de\s+)?(?:respuestas|soluciones|claves?|plantilla"
    r"|answers|answer\s+keys?|solutions|keys?)(?:\s+(?:correctas|oficial(?:es)?))?[\W_]*$"
)
KEY_ENTRY = re.compile(
    r"(?i)(?<![\w.,])(\d{1,3})\s*(?:[.)\-–:=º]+|\s)\s*(?:([a-j]|[1-9])(?![\w.,]\w)"
    r"|(anulada|nula|voided))"
)
MARKED_RIGHT = re.compile(
    r"(?i)^\s*(?:\*|✓|✔|\[x\]|=>)\s*|\s*(?:\((?:correct[ao]?|x)\)|✓|✔|\*)\s*$"
)
OPTION = re.compile(r"^[ \t]*[(\[]?(?:[A-Ja-j]|[1-9])[ \t]?(?:[)\].:º]+-?|[-–][ \t])")
BULLET = re.compile(r"^[-•·–]\s*(?=\S)")
GIFT = re.compile(r"(?s)\s*(?:::(.*?)::)?\s*([^{}]+?)\s*\{([^{}]*)\}")


def text_of(source: Path, content: bytes) -> str | None:
    """The text of a document, None for a file of another kind. Raises FileError for a Word document
    that cannot be read."""
    suffix = source.suffix.lower()
    if suffix in TEXT:
        return tables.decode(content).replace("\x00", "")
    if suffix != WORD:
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if archive.getinfo("word/document.xml").file_size > MOST_UNPACKED_BYTES:
                raise FileError(f"{source.name} is too large: save it as text, in parts.")
            body = ElementTree.fromstring(archive.read("word/document.xml"))
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError) as error:
        raise FileError(f"{source.name} is no Word document: save it as text.") from error
    return "\n".join(_paragraph(item) for item in body.iter(f"{W}p"))


def _paragraph(item: ElementTree.Element) -> str:
    parts = {f"{W}t": None, f"{W}tab": "\t", f"{W}br": "\n"}
    return "".join((parts[run.tag] or run.text or "") for run in item.iter() if run.tag in parts)


def questions_of(text: str) -> list[tables.Row]:
    """The questions of a document as rows of number, question (with its options) and key, numbered
    by the line they begin in; none if it is no examination."""
    gift = list(_gift(text))
    if len(gift) >= FEWEST_QUESTIONS:
        return gift
    text, listed = _listed_keys(text)
    rows = list(_blocks(text))
    for row in rows:
        row.values.setdefault("key", listed.get(row.values.get("number") or ""))
    if not any(row.values["key"] for row in rows):
        for row in rows:
            del row.values["key"]
    n_usable = sum(_has_options(row.values["question"]) for row in rows)
    enough = n_usable >= FEWEST_QUESTIONS and n_usable >= tables.LEAST_USABLE * len(rows)
    return rows if enough else []


def keys_of(text: str) -> dict[str, str]:
    """The keys of a text that is nothing but keys: '1. B', '2-C', one a line or side by side."""
    entries = KEY_ENTRY.findall(text)
    words = re.findall(r"\w+", text)
    if len(entries) < FEWEST_QUESTIONS or len(words) > 3 * len(entries):
        return {}
    return {str(int(number)): sign or word for number, sign, word in entries}


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
    return text, {}


def _blocks(text: str) -> Iterator[tables.Row]:
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
        begins = None if at_end else _begins(line, lines[line_number:], block, last, bool(key))
        if begins and is_worded and not begins[1]:
            begins = None
        is_apart = not numbered and not has_answers and not line and _has_options("\n".join(block))
        if at_end or begins or is_apart or (key and not numbered and line):
            if row := _row(block, number, key):
                yield tables.Row(first, row)
            block, key, first, number = [], None, line_number, ""
        if begins:
            number = str(int(begins[1] or begins[2]))
            last = int(number)
            line = line[begins.end() :]
        elif answer := ANSWER.match(line):
            key = answer[1].strip(" *_")
            continue
        elif VOIDED.match(line):
            key = "anulada"
            continue
        if not key:  # what follows the answer is its explanation
            block.append(line)


def _begins(
    line: str, following: list[str], block: list[str], last: int, is_answered: bool
) -> re.Match[str] | None:
    """Whether a line begins a question: its number is the next, and it is no option."""
    match = NUMBERED.match(line)
    if match is None:
        return None
    number = int(match[1] or match[2])
    if match[1] is None and not (last < number <= last + 10):
        return None
    if match[1] or is_answered or number > 9:
        return match
    n_options = sum(bool(OPTION.match(other)) for other in block)
    if number == 1 and not last:
        return match
    # '5.' may be question 5 or a fifth option: a question has options of its own before the next
    after = next((OPTION.match(other) for other in following if OPTION.match(other)), None)
    starts_over = after is not None and after[0].strip(" \t([)].:º-–") in ("1", "A", "a")
    return match if starts_over and (n_options >= 2 or not block) else None


def _plain(line: str) -> str:
    """A line without the marks of Markdown and of bullets before an option."""
    line = re.sub(r"\*\*|__|^#+\s*|^>\s*", "", line.replace("\xa0", " ")).strip()
    return re.sub(r"^[-•·–*]\s+(?=[(\[]?[A-Ja-j1-9][)\].:])", "", line)


def _row(block: list[str], number: str, key: str | None) -> dict[str, Any] | None:
    lines = [line for line in block if line]
    if not lines:
        return None
    right = [line for line in lines if OPTION.match(MARKED_RIGHT.sub("", line)) and _is_right(line)]
    lines = [MARKED_RIGHT.sub("", line) if line in right else line for line in lines]
    if key is None and len(right) == 1:
        key = re.sub(r"\W+", "", OPTION.match(MARKED_RIGHT.sub("", right[0]))[0])  # type: ignore[index]
    bullets = [re.match(r"[-•·–]\s*(?=\S)", line) for line in lines]
    if sum(map(bool, bullets)) >= 2:
        lines = [
            line[mark.end() :] if mark else line for line, mark in zip(lines, bullets, strict=True)
        ]
    row: dict[str, Any] = {"number": number, "question": "\n".join(lines)}
    if key is not None:
        row["key"] = key
    return row


def _is_right(line: str) -> bool:
    return bool(MARKED_RIGHT.search(line))


def _gift(text: str) -> Iterator[tables.Row]:
    """Questions as Moodle's GIFT writes them: text { =right ~wrong ~wrong }."""
    for number, match in enumerate(GIFT.finditer(text), 1):
        parts = re.split(r"(?<!\\)([=~])", match[3])[1:]
        options = [part.strip() for part in parts[1::2]]
        right = [index for index, sign in enumerate(parts[::2]) if sign == "="]
        if len(options) >= 2 and right:
            keys = [chr(65 + index) for index in right]
            yield tables.Row(
                text.count("\n", 0, match.start()) + 1,
                {
                    "number": str(number),
                    "question": match[2].strip(),
                    "options": options,
                    "key": keys[0] if len(keys) == 1 else keys,
                },
            )
