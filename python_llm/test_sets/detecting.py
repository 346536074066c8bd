"""Which format a file or folder of cases has, where nobody names it."""

from __future__ import annotations

from codecs import BOM_UTF8
from itertools import islice
from pathlib import Path

from python_llm.errors import FileError
from python_llm.imports.headings import Headings, is_spanish, kind_of
from python_llm.imports.numbered_rows import JSON_LINES, PARQUET
from python_llm.imports.tables import read, read_rows
from python_llm.parsing.folding import column_key
from python_llm.test_sets.columns import NAMES, WANTED
from python_llm.test_sets.folders import TABLES
from python_llm.test_sets.formats import URG_COLUMNS
from python_llm.test_sets.packets import packets_in
from python_llm.test_sets.rarebench import DISEASE_KEYS, PHENOTYPE_KEYS

SAMPLE = 20  # records that decide: some may lack a field or be damaged
PACKET = "phenotypicfeatures"
TEXTS = {name for names in NAMES["narrative"] for name in names}
# a hospital extract tells the story in columns of these fields, and concludes in another
STORY, CONCLUSION = ("reason", "history", "examination"), ("judgement", "icd10_code")


def format_of(file: Path, content: bytes) -> str:
    """`phenopacket`, `rarebench`, `urg`, or `table` for whatever is none of them: what cannot be
    read at all is left to the reader of tables, which says why.

    content: the bytes of the file, empty for a folder.
    """
    if file.is_dir():
        paths = [path for path in sorted(file.rglob("*")) if not path.name.startswith((".", "~$"))]
        of_json = [path for path in paths if path.suffix.lower() in (".json", *JSON_LINES)]
        of_tables = [path for path in paths if path.suffix.lower() in (*TABLES, *PARQUET)]
        # a folder of patients may have a table beside them
        records = [keys for path in (of_json or of_tables)[:SAMPLE] for keys in _keys_of(path)]
        is_json = bool(of_json)
    else:
        records = _keys(file, content)
        is_json = content.removeprefix(BOM_UTF8).lstrip()[:1] in (b"{", b"[")
    names = set().union(*records)
    if is_json and PACKET in names:
        return "phenopacket"
    has_ids = "phenotype" in names and "raredisease" in names and names.isdisjoint(TEXTS)
    if is_json and (has_ids or (file.is_dir() and is_json and _is_patients(names))):
        return "rarebench"
    kinds = {kind[0] for name in names if (kind := kind_of(name)) and is_spanish(name)}
    kinds |= {"judgement"} if "gold_names" in kinds else set()
    fields = {field for field in URG_COLUMNS if not names.isdisjoint(URG_COLUMNS[field])}
    n_parts = len((fields | kinds) & {*STORY})
    return "urg" if n_parts > 1 and (fields | kinds) & {*CONCLUSION} else "table"


def _is_patients(names: set[str]) -> bool:
    """Whether the files of a folder hold phenotypes and a disease, and no text of the case."""
    return (
        not names.isdisjoint(PHENOTYPE_KEYS)
        and not names.isdisjoint(DISEASE_KEYS)
        and names.isdisjoint(TEXTS)
    )


def _keys_of(file: Path) -> list[set[str]]:
    """The same of a file of a folder, whose reader sets it aside if it is empty or too large."""
    try:
        return _keys(file, read(file))
    except FileError:
        return []


def _keys(file: Path, content: bytes) -> list[set[str]]:
    """The folded names of the fields of the first records; those of packets inside them too."""
    try:
        rows = list(islice(read_rows(file, content, Headings(WANTED), _ignore), SAMPLE))
    except FileError:
        return []
    packets = [packet for _, row in rows for packet in (row, *packets_in(dict(row))[:SAMPLE])]
    return [{column_key(name) for name in packet if name is not None} for packet in packets]


def _ignore(*_problem: object, **_about: object) -> None:
    """Leave what is wrong with a record to the reader of its format."""
