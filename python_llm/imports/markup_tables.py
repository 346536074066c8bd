"""Rows of a table that a system exports as HTML or as XML of Excel 2003 and calls .xls."""

import re
from html.entities import html5
from html.parser import HTMLParser

ROWS, CELLS, BREAKS = {"tr", "row"}, {"td", "th", "cell"}, {"br", "p", "div", "li"}
HIDDEN = {"script", "style", "title", "head"}
_NO_TEXT = re.compile(r"<(script|style)\b.*?</\1|<!--.*?-->|<[^>]*>", re.DOTALL | re.IGNORECASE)
_ENTITY = re.compile(r"&([A-Za-z][\w.-]{0,60};)")
# what stands raised behind a word and is a mark of a note below: 'Gout<sup>1</sup>'
_NOTE = re.compile(r"\[?(?:\d{1,2}|[a-h])(?:\s?[,-]\s?(?:\d{1,2}|[a-h]))*\]?|[*†‡§¶#]{1,3}")
_WORD_ENDS = re.compile(r"[^\W\d_]{3}[).,\]\"”]?\Z")
# the same in Markdown, which stresses words, and its own marks: '**Gout**<sup>a</sup>', 'Gout[^1]'
_RAISED = re.compile(
    r"(?<=[^\W\d_]{3})(?P<ends>[).,\]\"”]?[*_`]{0,3})\s*"
    rf"(?:<sup>\s*(?:{_NOTE.pattern})\s*</sup>|\^(?:{_NOTE.pattern})\^|\[\^[\w-]{{1,20}}\])",
    re.IGNORECASE,
)
MOST_SPANNED = 1_000  # columns or rows of one cell


def is_markup(content: bytes) -> bool:
    """Whether a file begins as HTML or XML does, in UTF-8 or UTF-16."""
    marks = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
    mark = next((mark for mark in marks if content.startswith(mark)), b"")
    start = content[len(mark) : 4096].replace(b"\x00", b"").lstrip().lower()
    return start.startswith((b"<html", b"<!doctype html", b"<table", b"<?xml", b"<meta", b"<head"))


def without_note_marks(text: str) -> str:
    """A cell of text without the raised marks of notes behind its words."""
    return _RAISED.sub(r"\g<ends>", text)


def undefined(text: str) -> tuple[str, int] | None:
    """The first entity that HTML does not know, or that the file defines itself, as &j;, with its
    line: what it stands for would be lost. None if there is none."""
    plain = _NO_TEXT.sub(lambda match: "\n" * match[0].count("\n"), text)
    for match in _ENTITY.finditer(plain):
        if match[1] not in html5:
            return match[0], plain.count("\n", 0, match.start()) + 1
    return None


def rows_of(text: str) -> list[tuple[int, list[str]]]:
    """The rows of the longest table of a page, each with its place from 1 on. A cell over several
    columns or rows has its text in the first column, and in each of the rows."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    longest = max(reader.tables, key=len, default=[])
    return list(enumerate(_spread(longest), 1))


Cell = tuple[str, int, int]  # text, columns, rows


class _Reader(HTMLParser):
    """Collects cells by row and table; a table inside a cell belongs to the cell's text."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[Cell]]] = [[]]
        self._depth = self._n_hidden = 0
        self._texts: list[str] | None = None
        self._spans = (1, 1)
        self._raised: list[str] | None = None  # the texts before what stands raised

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        tag = tag.rpartition(":")[2]
        if tag == "table":
            self._depth += 1
            if self._depth == 1:
                self.tables.append([])
        elif self._depth > 1:
            return
        elif tag in ROWS:
            self._end_cell()
            self.tables[-1].append([])
        elif tag in CELLS:
            self._end_cell()
            if not self.tables[-1]:
                self.tables[-1].append([])
            written = {name.rpartition(":")[2]: value for name, value in attrs}
            self._spans = (
                _number(written.get("colspan"), 1),
                _number(written.get("rowspan"), 1),
            )
            # a cell of Excel 2003 says its column where those before it are empty
            index = _number(written.get("index"), 0)
            row = self.tables[-1][-1]
            row += [("", 1, 1)] * max(0, index - 1 - len(row))
            self._texts = []
        elif tag in HIDDEN:
            self._n_hidden += 1
        elif tag in BREAKS and self._texts:
            self._texts.append("\n")
        elif tag == "sup" and self._texts is not None and self._raised is None:
            self._raised, self._texts = self._texts, []

    def handle_endtag(self, tag: str) -> None:
        tag = tag.rpartition(":")[2]
        if tag == "table":
            self._depth = max(0, self._depth - 1)
            if not self._depth:
                self._end_cell()
        elif self._depth > 1:
            return
        elif tag in CELLS | ROWS:
            self._end_cell()
        elif tag == "sup":
            self._end_raised()
        elif tag in HIDDEN:
            self._n_hidden = max(0, self._n_hidden - 1)

    def handle_data(self, data: str) -> None:
        if self._texts is not None and not self._n_hidden:
            self._texts.append(data)

    def _end_raised(self) -> None:
        """Put what stands raised behind the text before it: an exponent ('10^9') as such, and the
        mark of a note not at all."""
        if self._raised is None or self._texts is None:
            return
        before, raised = "".join(self._raised).rstrip(), "".join(self._texts).strip()
        if before[-1:].isdigit() and re.fullmatch(r"[-−+]?\d+", raised):
            self._texts = [*self._raised, f"^{raised}"]
        elif _WORD_ENDS.search(before) and _NOTE.fullmatch(raised):
            self._texts = self._raised
        else:
            self._texts = [*self._raised, *self._texts]
        self._raised = None

    def _end_cell(self) -> None:
        self._end_raised()
        if self._texts is not None:
            lines = "".join(self._texts).replace("\xa0", " ").split("\n")
            text = "\n".join(line for line in map(str.strip, lines) if line)
            self.tables[-1][-1].append((text, *self._spans))
            self._texts = None


def _spread(rows: list[list[Cell]]) -> list[list[str]]:
    """Cells by column, a cell over several rows in each of them."""
    above: dict[int, tuple[str, int]] = {}  # by column: text of a cell, rows it still spans
    spread = []
    for row in rows:
        texts: list[str] = []
        begun: dict[int, tuple[str, int]] = {}
        for text, n_columns, n_rows in row:
            _fill(texts, above)
            if n_rows > 1:
                begun[len(texts)] = (text, n_rows - 1)
            texts += [text, *[""] * (n_columns - 1)]
        _fill(texts, above)
        above |= begun
        spread.append(texts)
    return spread


def _fill(texts: list[str], above: dict[int, tuple[str, int]]) -> None:
    """Add the texts of cells that begin above, where they stand next."""
    while (column := len(texts)) in above:
        text, n_left = above.pop(column)
        texts.append(text)
        if n_left > 1:
            above[column] = (text, n_left - 1)


def _number(written: str | None, otherwise: int) -> int:
    is_number = written is not None and written.isdigit()
    return min(max(int((written or "0")[:9]), 1), MOST_SPANNED) if is_number else otherwise
