"""ICD-10-CM, from either official format, as one table of codes and one of inclusion terms.

The tabular XML contains the whole hierarchy, but gives most seventh-character codes only as a rule
(`sevenChrDef`); the official list of codes tells which of them exist. The fixed-width order file
lists every code, but neither chapters nor blocks, which come from icd10cm_ranges.csv beside this
module (ICD-10-CM April 2026; they change rarely), and no inclusion terms. See
docs/specification.md#icd-10-levels.
"""

import csv
import gzip
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BufferedReader, TextIOWrapper
from pathlib import Path

from python_llm.terminology.errors import TerminologyError, malformed

CHAPTER, BLOCK, CATEGORY, SUBCATEGORY, EXTENSION = (
    "chapter",
    "block",
    "category",
    "subcategory",
    "extension",
)
CATEGORY_LENGTH = 3
FULL_LENGTH = 7
# characters; longer "Includes" notes are sentences, not names
LONGEST_INCLUDED_NAME = 100

_RANGES = Path(__file__).with_name("icd10cm_ranges.csv")
_CODE = re.compile(r"[A-Z][0-9A-Z]{2,6}")
_RANGE = re.compile(r"[A-Z][0-9A-Z]{2}-[A-Z][0-9A-Z]{2}")
_TITLE_RANGE = re.compile(r"^(?P<title>.*\S)\s*\((?P<first>\w{3})(?:-(?P<last>\w{3}))?\)$", re.S)
_ORDER_LINE = re.compile(r"^\d{5} (?P<code>[0-9A-Z]{3,7}) *(?P<billable>[01]) ")
_ORDER_TITLE_COLUMN = 77
_MONTHS = "January February March April May June July August September October November December"
_DATE_IN_NAME = re.compile(
    rf"(?P<month>{'|'.join(_MONTHS.split())})-(?:(?P<day>\d{{1,2}})-)?(?P<year>20\d\d)", re.I
)
_YEAR_IN_NAME = re.compile(r"(?<!\d)(20\d\d)(?!\d)")
_ROMAN = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


@dataclass(frozen=True)
class Code:
    """One node of the classification. `code` is dotted (I50.9), a block is its range (I30-I5A), a
    chapter its Roman numeral; `code_range` is filled for chapters and blocks only."""

    code: str
    parent_code: str | None
    title: str
    kind: str
    code_range: str | None
    is_billable: bool


@dataclass(frozen=True)
class InclusionTerm:
    """A name coded to `code`: an official inclusion term, or a name from an Includes note."""

    code: str
    term: str
    kind: str


@dataclass
class Classification:
    """The codes and inclusion terms of one release."""

    release: str
    codes: list[Code]
    inclusion_terms: list[InclusionTerm]


@dataclass
class _Tree:
    """Nodes in the order of the file, before it is known which are leaves."""

    titles: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)
    ranges: dict[str, str] = field(default_factory=dict)
    terms: list[InclusionTerm] = field(default_factory=list)

    def add(self, code: str, parent: str | None, title: str, kind: str) -> None:
        if code in self.kinds:
            raise TerminologyError(f"the code {code} appears twice")
        self.titles[code], self.kinds[code], self.parents[code] = title, kind, parent

    def codes(self) -> list[Code]:
        inner = set(self.parents.values())
        return [
            Code(
                code=code,
                parent_code=self.parents[code],
                title=self.titles[code],
                kind=kind,
                code_range=self.ranges.get(code),
                is_billable=kind not in (CHAPTER, BLOCK) and code not in inner,
            )
            for code, kind in self.kinds.items()
        ]


def dotted(code: str) -> str:
    """I509 to I50.9; a code of three characters stays as it is."""
    return f"{code[:CATEGORY_LENGTH]}.{code[CATEGORY_LENGTH:]}" if len(code) > 3 else code


def with_extension(code: str, character: str) -> str:
    """The seventh-character code of a shorter one: T07 and A give T07.XXXA (placeholder X)."""
    return dotted(code.replace(".", "").ljust(FULL_LENGTH - 1, "X") + character)


def roman(number: int) -> str:
    """1 to I, 22 to XXII: how ICD-10 numbers its chapters."""
    numeral = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        numeral += letters * count
    return numeral


def release_of(path: Path, header_year: str | None) -> str:
    """The release of a file: the year in its header, or the date in its official file name
    (icd10c-tabular-April-1-2026.xml is 2026-04-01, …-April-2025.txt is 2025-04).

    Raises TerminologyError when neither states a release or the two disagree.
    """
    named = _DATE_IN_NAME.search(path.name)
    named_year = _YEAR_IN_NAME.search(path.name)
    year = named["year"] if named else named_year[1] if named_year else None
    if header_year and year and year != header_year:
        raise malformed(
            path,
            None,
            f"its header says release {header_year} and its name {year}",
            "give the file under its official name",
        )
    if named:
        months = list(map(str.lower, _MONTHS.split()))
        month = months.index(named["month"].lower()) + 1
        day = f"-{int(named['day']):02d}" if named["day"] else ""
        return f"{named['year']}-{month:02d}{day}"
    if stated_year := header_year or year:
        return stated_year
    raise malformed(path, None, "it states no release", "give the file under its official name")


def is_tabular(path: Path) -> bool:
    """Whether a file is the tabular XML; any other is read as the order file."""
    try:
        with _opened(path) as file:
            return file.read(64).lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<")
    except (OSError, EOFError) as error:
        raise malformed(path, None, "it cannot be read", "give the path of the file") from error


def read_tabular(path: Path, code_list: Path) -> Classification:
    """The whole classification, from the tabular XML.

    A `sevenChrDef` applies to every leaf below it; the codes it generates are kept if `code_list`
    (one code a line, with or without its title) contains them, because the exceptions are written
    nowhere else. Notes inside a `sevenChrDef` are fragments of titles, not names, and are left out.
    Raises TerminologyError when the two files do not describe the same codes.
    """
    listed = read_code_list(code_list)
    root = _parse(path)
    tree = _Tree()
    try:
        for chapter in root.iterfind("chapter"):
            _add_chapter(tree, chapter, listed)
    except TerminologyError as error:
        raise malformed(path, None, str(error), "use an official, unchanged file") from error
    codes = tree.codes()
    _check_against_list(codes, listed, path, code_list)
    return Classification(release_of(path, _text(root, "version")), codes, tree.terms)


def read_order(path: Path) -> Classification:
    """The codes of the fixed-width order file (.gz too), below the chapters and blocks of
    `standard_ranges`; no inclusion terms.

    The layout is the official one: order number in columns 1-5, code in 7-13, a flag in 15 (1 is
    billable), short title from 17, long title from 78. The parent of a code is its longest prefix
    in the file, so that placeholder X is stepped over (T07.XXXA hangs below T07). Every code of
    seven characters is an extension. Raises TerminologyError for a line of another layout, a code
    without its category, a billable flag that contradicts the codes below, and a category that is
    in no chapter.
    """
    titles, billable = _read_order_lines(path)
    tree = _Tree()
    ranges = standard_ranges()
    for node in ranges:
        tree.add(node.code, node.parent_code, node.title, node.kind)
        tree.ranges[node.code] = node.code_range or node.code
    range_of = _range_of_category([code for code in titles if len(code) == 3], ranges, path)
    for code, title in titles.items():
        if len(code) == CATEGORY_LENGTH:
            tree.add(code, range_of[code], title, CATEGORY)
            continue
        parent = next((code[:n] for n in range(len(code) - 1, 2, -1) if code[:n] in titles), None)
        if parent is None:
            raise malformed(
                path, None, f"{dotted(code)} has no category", "use a complete official file"
            )
        kind = EXTENSION if len(code) == FULL_LENGTH else SUBCATEGORY
        tree.add(dotted(code), dotted(parent), title, kind)
    codes = tree.codes()
    for node in codes:
        if node.kind not in (CHAPTER, BLOCK) and node.is_billable != billable[node.code]:
            raise malformed(
                path,
                None,
                f"the billable flag of {node.code} contradicts the codes below it",
                "use a complete official file",
            )
    return Classification(release_of(path, None), codes, [])


def standard_ranges() -> list[Code]:
    """The chapters and blocks of ICD-10-CM, each after those that contain it."""
    with _RANGES.open(encoding="utf-8", newline="") as file:
        return [
            Code(
                code=row["code"],
                parent_code=row["parent_code"] or None,
                title=row["title"],
                kind=row["kind"],
                code_range=row["code_range"],
                is_billable=False,
            )
            for row in csv.DictReader(file)
        ]


def read_code_list(path: Path) -> set[str]:
    """The codes of an official code list, undotted; titles, chapters and blocks are skipped. Raises
    TerminologyError for a line that does not begin with a code."""
    codes = set()
    for number, line in enumerate(_lines(path), start=1):
        word = line.split(maxsplit=1)[0] if line.strip() else ""
        code = word.replace(".", "")
        if not word or _RANGE.fullmatch(word) or word.isdigit():
            continue
        if not _CODE.fullmatch(code):
            raise malformed(
                path, number, f"{word!r} is not an ICD-10-CM code", "use an official list"
            )
        codes.add(code)
    if not codes:
        raise malformed(path, None, "it lists no code", "use an official list")
    return codes


def _parse(path: Path) -> ElementTree.Element:
    try:
        root = ElementTree.parse(path).getroot()
    except OSError as error:
        raise malformed(path, None, "it cannot be read", "give the path of the file") from error
    except ElementTree.ParseError as error:
        line = error.position[0]
        raise malformed(path, line, "it is not well-formed XML", "download it again") from error
    if root.tag != "ICD10CM.tabular":
        raise malformed(
            path, None, f"its root is <{root.tag}>", "give the ICD-10-CM tabular XML or order file"
        )
    return root


def _lines(path: Path) -> Iterator[str]:
    try:
        with _opened(path) as file, TextIOWrapper(file, encoding="utf-8-sig") as text:
            yield from (line.rstrip("\n") for line in text)
    except (OSError, EOFError) as error:
        raise malformed(path, None, "it cannot be read", "give the path of the file") from error
    except UnicodeDecodeError as error:
        raise malformed(path, None, "it is not UTF-8 text", "download it again") from error


def _text(element: ElementTree.Element, tag: str) -> str | None:
    text = element.findtext(tag)
    return " ".join(text.split()) if text and text.strip() else None


def _required(element: ElementTree.Element, tag: str, owner: str) -> str:
    text = _text(element, tag)
    if text is None:
        raise TerminologyError(f"{owner} has no <{tag}>")
    return text


def _add_chapter(tree: _Tree, chapter: ElementTree.Element, listed: set[str]) -> None:
    number = _required(chapter, "name", "a chapter")
    code = roman(int(number))
    described = _TITLE_RANGE.match(_required(chapter, "desc", f"chapter {number}"))
    if not described:
        raise TerminologyError(f"the title of chapter {number} does not end in a range")
    tree.add(code, None, described["title"], CHAPTER)
    tree.ranges[code] = f"{described['first']}-{described['last'] or described['first']}"
    sections = list(chapter.iterfind("section"))
    ranges = [_section_range(section) for section in sections]
    empty = [r for r, s in zip(ranges, sections, strict=True) if s.find("diag") is None]
    for section, block in zip(sections, ranges, strict=True):
        described = _TITLE_RANGE.match(_required(section, "desc", f"block {block}"))
        title = described["title"] if described else _required(section, "desc", block)
        tree.add(block, _enclosing(block, empty) or code, title, BLOCK)
        tree.ranges[block] = block
        for diagnosis in section.iterfind("diag"):
            _add_diagnosis(tree, diagnosis, block, {}, listed)


def _section_range(section: ElementTree.Element) -> str:
    """The range of a block; that of one category (B10) becomes B10-B10, unlike the category's
    code."""
    name = section.attrib["id"].strip()
    return name if "-" in name else f"{name}-{name}"


def _enclosing(block: str, grouping: list[str]) -> str | None:
    """The narrowest block around this one that has no category of its own (C00-C75 in C00-C96). The
    XML lists all blocks side by side; their ranges nest."""
    first, last = block.split("-")
    around = [
        other
        for other in grouping
        if other != block and other.split("-")[0] <= first and last <= other.split("-")[1]
    ]
    widest_start = sorted(around, key=lambda other: (other.split("-")[1], _reversed(other)))
    return widest_start[0] if widest_start else None


def _reversed(block: str) -> tuple[int, ...]:
    return tuple(-ord(character) for character in block.split("-")[0])


def _add_diagnosis(
    tree: _Tree,
    diagnosis: ElementTree.Element,
    parent: str,
    extensions: dict[str, str],
    listed: set[str],
) -> None:
    code = _required(diagnosis, "name", f"a code below {parent}")
    title = _required(diagnosis, "desc", code)
    tree.add(code, parent, title, CATEGORY if len(code) == CATEGORY_LENGTH else SUBCATEGORY)
    tree.terms += _inclusion_terms(diagnosis, code)
    own = diagnosis.find("sevenChrDef")
    if own is not None:
        extensions = {e.attrib["char"]: e.text or "" for e in own.iterfind("extension")}
    children = list(diagnosis.iterfind("diag"))
    for child in children:
        _add_diagnosis(tree, child, code, extensions, listed)
    if children:
        return
    for character, meaning in extensions.items():
        extended = with_extension(code, character)
        if extended.replace(".", "") in listed:
            tree.add(extended, code, f"{title}, {' '.join(meaning.split())}", EXTENSION)


def _inclusion_terms(diagnosis: ElementTree.Element, code: str) -> list[InclusionTerm]:
    kinds = {"inclusionTerm": "inclusion_term", "includes": "includes"}
    terms: dict[str, InclusionTerm] = {}
    for tag, kind in kinds.items():
        for note in diagnosis.iterfind(f"{tag}/note"):
            term = " ".join((note.text or "").split())
            if term and not (kind == "includes" and len(term) > LONGEST_INCLUDED_NAME):
                terms.setdefault(term, InclusionTerm(code, term, kind))
    return list(terms.values())


def _check_against_list(codes: list[Code], listed: set[str], path: Path, code_list: Path) -> None:
    made = {c.code.replace(".", "") for c in codes if c.kind not in (CHAPTER, BLOCK)}
    leaves = {c.code.replace(".", "") for c in codes if c.is_billable}
    for missing, where in ((listed - made, path.name), (leaves - listed, code_list.name)):
        if missing:
            raise TerminologyError(
                f"{path.name} and {code_list.name} do not describe the same codes: {where} lacks "
                f"{len(missing):,}, the first of them {min(missing)}; give both files of one "
                "release."
            )


def _read_order_lines(path: Path) -> tuple[dict[str, str], dict[str, bool]]:
    titles: dict[str, str] = {}
    billable: dict[str, bool] = {}
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        fields = _ORDER_LINE.match(line)
        title = " ".join(line[_ORDER_TITLE_COLUMN:].split())
        if not fields or not title or not _CODE.fullmatch(fields["code"]):
            raise malformed(
                path,
                number,
                "it is not a line of the fixed-width order file",
                "use the official file unchanged",
            )
        if fields["code"] in titles:
            raise malformed(path, number, f"{fields['code']} appears twice", "use it unchanged")
        titles[fields["code"]] = title
        billable[dotted(fields["code"])] = fields["billable"] == "1"
    if not titles:
        raise malformed(path, None, "it has no lines", "use the official file unchanged")
    return titles, billable


def _range_of_category(categories: list[str], ranges: list[Code], path: Path) -> dict[str, str]:
    """The narrowest block around every category, or its chapter if there is no block. A range
    reaches from its first to its last category in the order of the file: M1A lies between M10 and
    M11 of M05-M14. Raises TerminologyError for a category outside all chapters."""
    position = {code: number for number, code in enumerate(categories)}
    range_of: dict[str, tuple[int, bool, tuple[int, ...], str]] = {}
    for node in ranges:
        first, last = (node.code_range or node.code).split("-")
        inside = [position[code] for code in categories if first <= code <= last]
        if not inside:
            continue
        start, end = min(inside), max(inside)
        # of equal width: a block is narrower than its chapter, then a later start is narrower
        width = (end - start, node.kind == CHAPTER, _reversed(first), node.code)
        for code in categories[start : end + 1]:
            range_of[code] = min(range_of.get(code, width), width)
    homeless = [code for code in categories if code not in range_of]
    if homeless:
        raise malformed(
            path,
            None,
            f"the category {homeless[0]} is in no chapter of ICD-10-CM",
            "use the official file, or the tabular XML of the same release",
        )
    return {code: node for code, (*_, node) in range_of.items()}


def _opened(path: Path) -> gzip.GzipFile | BufferedReader:
    with path.open("rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if compressed else path.open("rb")
