"""Rows of a table in LaTeX, as a paper or its supplement has them."""

import re
import unicodedata

from python_llm.imports.markup_tables import MOST_SPANNED

_BEGINS = re.compile(
    r"\\begin\{(?P<kind>tabular[*xy]?|longtable|longtabu|tblr)\}(?:\[[^]]*\])?(?:\{[^{}]*\})?"
    r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_LINE = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|centering"
    r"|addlinespace(?:\[[^]]*\])?|c(?:mid)?line(?:\([^)]*\))?\{[^}]*\})"
)
_ENDS_OF_ROWS = re.compile(r"\\\\(?:\[[^]]*\])?|\\tabularnewline")
_SEVERAL = re.compile(r"\\multi(column|row)\{(\d+)\}(?:\[[^]]*\])?\{[^{}]*\}\{")
_CAPTION = re.compile(r"\\(?:caption|label)\*?(?:\[[^]]*\])?\{(?:[^{}]|\{[^{}]*\})*\}")
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?\{([^{}]*)\}")
_SIGNS = {
    **{rf"\{sign}": sign for sign in "&%$#_{}"},
    **{"~": " ", r"\,": " ", "--": "–", r"\textbar": "|", r"\newline": "\n", r"\par": "\n"},
}
_GREEK = re.compile(r"\\(alpha|beta|gamma|delta|epsilon|kappa|lambda|mu|sigma|omega)\b ?")
_ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303"}
_ACCENT = re.compile(r"\\(['`^\"~])\{?(\\?[a-zA-Z])\}?")


def is_latex(text: str) -> bool:
    """Whether a text has a table of LaTeX."""
    return _BEGINS.search(text) is not None


def rows_of(text: str) -> list[tuple[int, list[str]]]:
    """The rows of the longest table of a text, each with the line in which it begins. A cell over
    several columns has its text in the first of them."""
    tables = []
    for begins in _BEGINS.finditer(text):
        end = text.find(rf"\end{{{begins['kind']}}}", begins.end())
        tables.append(_rows(text, begins.end(), end if end > 0 else len(text)))
    return max(tables, key=len, default=[])


def _rows(text: str, start: int, end: int) -> list[tuple[int, list[str]]]:
    rows = []
    ends = [*((m.start(), m.end()) for m in _ENDS_OF_ROWS.finditer(text, start, end)), (end, end)]
    for stop, following in ends:
        written = _CAPTION.sub("", _LINE.sub("", _COMMENT.sub("", text[start:stop])))
        cells = [cell for part in re.split(r"(?<!\\)&", written) for cell in _cells(part)]
        if any(cells):
            first = start + len(text[start:stop]) - len(text[start:stop].lstrip())
            rows.append((text.count("\n", 0, first) + 1, cells))
        start = following
    return rows


def _cells(part: str) -> list[str]:
    """The text of a cell, and an empty one for each column more that it is over."""
    several = _SEVERAL.search(part)
    n_columns = min(int(several[2][:9]), MOST_SPANNED) if several and several[1] == "column" else 1
    if several:
        part = part[: several.start()] + part[several.end() :].rstrip().removesuffix("}")
    return [_plain(part), *[""] * (n_columns - 1)]


def _plain(written: str) -> str:
    """What a reader of the page sees of a cell."""
    plain = _ACCENT.sub(lambda match: match[2].removeprefix("\\") + _ACCENTS[match[1]], written)
    while (less := _COMMAND.sub(r"\1", plain)) != plain:
        plain = less
    plain = re.sub(r"(?<!\\)[{}$]", "", _GREEK.sub(lambda match: _letter(match[1]), plain))
    for sign, letter in _SIGNS.items():
        plain = plain.replace(sign, letter)
    return unicodedata.normalize("NFC", " ".join(plain.split()))


def _letter(name: str) -> str:
    return unicodedata.lookup(f"GREEK SMALL LETTER {name}")
