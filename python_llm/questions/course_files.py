"""Examinations as the tools of teachers write them: Moodle's XML and GIFT, QTI of Canvas,
Blackboard's lines, the exam class of LaTeX, decks of Anki, lists of a web page, YAML.

Each reader gives the rows of number, question, options and key that `fields` knows, or none for a
file that is something else.
"""

import csv
import html
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import yaml

from python_llm.errors import FileError
from python_llm.imports.encodings import decode
from python_llm.imports.numbered_rows import Row
from python_llm.parsing import yaml_text
from python_llm.questions.options import LETTERS

FEWEST_QUESTIONS = 2
XML = re.compile(r"<quiz[\s>]")
QTI = re.compile(r"<questestinterop[\s>]")
OTHER_XML = re.compile(r"\s*(?:<\?xml|<(?:exam|test|questions|examen|preguntas|cuestionario)[\s>])")
NAMESPACE = re.compile(r"\sxmlns(?::\w+)?=\"[^\"]*\"")
GIFT_BRACE = re.compile(r"(?s)\\.|[{}]")  # or what is no brace, because it is escaped
GIFT_HEAD = re.compile(r"(?s)\s*(?:::.*?::)?\s*(?:\[\w+\])?\s*")
GIFT_LINE = re.compile(r"(?m)^[ \t]*(?://|\$CATEGORY).*$")
GIFT_WEIGHT = re.compile(r"^%(-?\d+(?:\.\d*)?)%")
BLACKBOARD = re.compile(r"(?m)^M[CA]\t")
LATEX_QUESTION = re.compile(r"\\question(?:\[[^]]*\])?\s*")
LATEX_CHOICE = re.compile(r"\\(CorrectChoice|correctchoice|choice)\b\s*")
LATEX_END = re.compile(r"\\(?:end|begin)\{[^}]*\}(?:\[[^]]*\])?")
ANKI = re.compile(r"(?m)^#separator:\s*(\S+)\s*$")
ANKI_SIGNS = {"tab": "\t", "semicolon": ";", "comma": ",", "pipe": "|"}
YAML = (".yaml", ".yml")
MULTIPLE = ("multichoice", "multichoiceset")
BLOCKS = {"p", "div", "br", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "section"}
HIDDEN = {"script", "style", "title", "head"}


def rows_of(source: Path, content: bytes) -> list[Row]:
    """The questions of a file of one of these tools; none if it is something else. Raises FileError
    for YAML that cannot be read."""
    text = decode(content, source.name).strip("\ufeff").replace("\x00", "")
    text = text.replace("\r\n", "\n")
    if source.suffix.lower() in YAML:
        return _of_yaml(source, text)
    if XML.search(text[:4096]):
        rows = list(_of_moodle(text))
    elif QTI.search(text[:4096]):
        rows = list(_of_qti(text))
    elif OTHER_XML.match(text):
        rows = list(_of_other_xml(text))
    elif BLACKBOARD.match(text):
        rows = list(_of_blackboard(text))
    elif LATEX_QUESTION.search(text) and LATEX_CHOICE.search(text):
        rows = list(_of_latex(text))
    elif sign := ANKI.search(text[:500]):
        rows = list(_of_anki(text, ANKI_SIGNS.get(sign[1].lower(), sign[1])))
    else:
        rows = list(_of_gift(text))
    return rows if len(rows) >= FEWEST_QUESTIONS else []


def _row(line: int, question: str, options: list[str], right: list[int]) -> Row:
    keys = [LETTERS[index] for index in right if index < len(LETTERS)]
    return Row(
        line,
        {
            "question": question,
            "options": options,
            "key": keys[0] if len(keys) == 1 else keys or None,
        },
    )


def _of_moodle(text: str) -> Iterator[Row]:
    """The multiple-choice questions of Moodle's XML; what has no options is a row without them, so
    that it is named."""
    try:
        quiz = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return
    for line, item in enumerate(quiz.iter("question"), 1):
        if item.get("type") in ("category", "description"):
            continue
        answers = item.findall("answer") if item.get("type") in MULTIPLE else []
        shares = [float(answer.get("fraction") or 0) for answer in answers]
        yield _row(
            line,
            plain(item.findtext("questiontext/text") or ""),
            [plain(answer.findtext("text") or "") for answer in answers],
            [index for index, share in enumerate(shares) if share > 0],
        )


def _of_qti(text: str) -> Iterator[Row]:
    """The multiple-choice items of QTI 1.2: options by their ident, of which conditions that give
    points name the right ones."""
    try:
        document = ElementTree.fromstring(NAMESPACE.sub("", text))
    except ElementTree.ParseError:
        return
    for number, item in enumerate(document.iter("item"), 1):
        labels = list(item.iter("response_label"))
        right = {
            (value.text or "").strip()
            for condition in item.iter("respcondition")
            if any(float(points.text or 0) > 0 for points in condition.iter("setvar"))
            for value in condition.iter("varequal")
        }
        yield _row(
            number,
            plain(item.findtext("presentation/material/mattext") or ""),
            [plain(label.findtext("material/mattext") or "") for label in labels],
            [index for index, label in enumerate(labels) if label.get("ident") in right],
        )


def _of_other_xml(text: str) -> Iterator[Row]:
    """The records of XML of another kind: of the elements that are there most often with children
    of their own, each with its attributes, its children and, as lists, those that repeat."""
    try:
        document = ElementTree.fromstring(NAMESPACE.sub("", text))
    except (ElementTree.ParseError, ValueError):
        return
    tags = Counter(item.tag for item in document.iter() if _repeats(item))
    for number, item in enumerate(document.iter(max(tags, key=tags.__getitem__, default="")), 1):
        yield Row(number, _record_of(item))


def _repeats(item: ElementTree.Element) -> bool:
    """Whether an element has texts of its own, some under one name, as a question its options."""
    names = [child.tag for child in item if not len(child)]
    grouped = any(len(child) > 1 and len({c.tag for c in child}) == 1 for child in item)
    return len(names) > 0 and (len({*names}) < len(names) or grouped)


def _record_of(item: ElementTree.Element) -> dict[str, Any]:
    record: dict[str, Any] = dict(item.attrib)
    children = [part for child in item for part in (child if len(child) else [child])]
    repeated = {tag for tag, n in Counter(child.tag for child in children).items() if n > 1}
    for child in children:
        text = " ".join("".join(child.itertext()).split())
        if child.tag in repeated:
            record.setdefault("options", []).append({**child.attrib, "text": text})
        else:
            record[child.tag] = text
    return record


def _of_gift(text: str) -> Iterator[Row]:
    """Questions as Moodle's GIFT writes them: text { =right ~wrong#feedback ~%-33%wrong }. One pass
    over the braces, so that a large file without any takes no longer than it is large."""
    written = GIFT_LINE.sub("", text)
    begins, opened = 0, None
    for mark in GIFT_BRACE.finditer(written):
        if mark[0] == "{":
            begins, opened = begins if opened is None else opened + 1, mark.start()
        elif mark[0] == "}":
            if opened is not None:
                begins = GIFT_HEAD.match(written, begins, opened).end()  # type: ignore[union-attr]
                line = written.count("\n", 0, begins) + 1
                answers = written[opened + 1 : mark.start()].strip()
                yield from _gift_question(line, written[begins:opened].strip(), answers)
            begins, opened = mark.end(), None


def _gift_question(line: int, question: str, answers: str) -> Iterator[Row]:
    """The question, if its braces hold options of which one is right."""
    if not question or not answers.startswith(("=", "~")):
        return
    parts = re.split(r"(?<!\\)([=~])", answers)[1:]
    texts = [re.split(r"(?<!\\)#", part)[0].strip() for part in parts[1::2]]
    weights = [GIFT_WEIGHT.match(part) for part in texts]
    right = [
        index
        for index, sign in enumerate(parts[::2])
        if (sign == "=" and not weights[index])
        or ((weight := weights[index]) is not None and float(weight[1]) > 0)
    ]
    options = [plain(_unescaped(GIFT_WEIGHT.sub("", part))) for part in texts]
    if len(options) >= 2 and right:
        yield _row(line, plain(_unescaped(question)), options, right)


def _unescaped(text: str) -> str:
    return re.sub(r"\\([~=#{}:\\])", r"\1", text.replace("\\n", "\n")).strip()


def _of_blackboard(text: str) -> Iterator[Row]:
    """Lines of MC, question, option, 'correct' or 'incorrect', option, …"""
    for line, written in enumerate(text.split("\n"), 1):
        kind, *fields = written.rstrip("\t").split("\t")
        if kind in ("MC", "MA") and len(fields) >= 5:
            marks = [mark.strip().lower() for mark in fields[2::2]]
            right = [index for index, mark in enumerate(marks) if mark.startswith("correct")]
            yield _row(line, plain(fields[0]), [plain(option) for option in fields[1::2]], right)


def _of_latex(text: str) -> Iterator[Row]:
    """Questions of the exam class: \\question … \\choice … \\CorrectChoice …"""
    starts = list(LATEX_QUESTION.finditer(text))
    for start, end in zip(starts, [*(m.start() for m in starts[1:]), len(text)], strict=True):
        block = LATEX_END.sub("", text[start.end() : end])
        marks = list(LATEX_CHOICE.finditer(block))
        ends = [*(mark.start() for mark in marks[1:]), len(block)]
        options = [" ".join(block[m.end() : to].split()) for m, to in zip(marks, ends, strict=True)]
        right = [index for index, mark in enumerate(marks) if mark[1].lower() == "correctchoice"]
        asked = block[: marks[0].start()] if marks else block
        line = text.count("\n", 0, start.start()) + 1
        yield _row(line, " ".join(asked.split()), options, right)


def _of_anki(text: str, sign: str) -> Iterator[Row]:
    """Cards of a question, with its options below it, and its answer."""
    lines = text.split("\n")
    n_heads = next((n for n, line in enumerate(lines) if not line.startswith("#")), 0)
    if any(line.startswith("#columns:") for line in lines[:n_heads]):
        return  # a table with a header
    reader = csv.reader((line + "\n" for line in lines[n_heads:]), delimiter=sign)
    for fields in reader:
        if len(fields) >= 2:
            values = {"question": plain(fields[0]), "key": plain(fields[1]).split("\n")[0]}
            yield Row(n_heads + reader.line_num, values)


def _of_yaml(source: Path, text: str) -> list[Row]:
    try:
        value: Any = yaml_text.value_of(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None)
        told = f" ({problem})" if problem else ""
        raise FileError(f"{source.name}{where}: no valid YAML{told}: correct it.") from error
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list)]
        value = lists[0] if len(lists) == 1 else [value]
    items = value if isinstance(value, list) else []
    return [Row(n, item) for n, item in enumerate(items, 1) if isinstance(item, dict)]


def plain(text: str) -> str:
    """Text of a piece of HTML: a line for each block, no marks."""
    if "<" not in text and "&" not in text:
        return text.strip()
    return "\n".join(page_lines(text)) if "<" in text else html.unescape(text).strip()


def page_lines(text: str) -> list[str]:
    """The lines of a page as one reads them, the items of a list with their letter or number."""
    reader = _Page()
    reader.feed(text)
    reader.close()
    lines = "".join(reader.parts).replace("\xa0", " ").split("\n")
    return [line for line in (" ".join(line.split()) for line in lines) if line]


class _Page(HTMLParser):
    """Collects text, with line ends at blocks and marks at the items of lists."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._lists: list[tuple[str, int]] = []
        self._n_hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in HIDDEN:
            self._n_hidden += 1
        elif tag in ("ol", "ul"):
            kind = dict(attrs).get("type") or "1"
            self._lists.append((kind if tag == "ol" else "", 0))
        elif tag == "li":
            kind, n_items = self._lists[-1] if self._lists else ("", 0)
            if self._lists:
                self._lists[-1] = (kind, n_items + 1)
            letter = LETTERS[n_items % len(LETTERS)]
            mark = {"": "- ", "a": f"{letter.lower()}) ", "A": f"{letter}) "}
            self.parts.append("\n" + mark.get(kind, f"{n_items + 1}. "))
        if tag in BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in HIDDEN:
            self._n_hidden = max(0, self._n_hidden - 1)
        elif tag in ("ol", "ul") and self._lists:
            self._lists.pop()
        if tag in BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._n_hidden:
            self.parts.append(data)
