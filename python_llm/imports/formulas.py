"""Cells of a workbook whose formula was written by a program that did not work it out."""

import html
import io
import re
import zipfile
from collections.abc import Collection, Iterator
from contextlib import suppress

from python_llm.imports.file_kinds import DAMAGED

MOST_LISTED = 8  # cells named of a sheet
_CELL = re.compile(rb"<c\s[^>]*?\br=\"([A-Z]+\d+)\"[^>]*(?<!/)>(.*?)</c>", re.DOTALL)
_FORMULA = re.compile(rb"<f[\s>/]")
_RESULT = re.compile(rb"<v(?:\s[^>]*)?>[^<]+")
_SHEET = re.compile(rb"<sheet\s[^>]*>")
_TARGET = re.compile(rb"<Relationship\s[^>]*>")


def unsaved(content: bytes, sheets: Collection[str]) -> Iterator[str]:
    """For each of the sheets that has such cells, what to call them: "E2, E3 of sheet 'S'"."""
    with suppress(*DAMAGED, KeyError), zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = set(archive.namelist())
        if "xl/workbook.xml" not in names:
            return
        for sheet, part in _parts(archive).items():
            if sheet in sheets and part in names and b"<f" in (xml := archive.read(part)):
                cells = [
                    cell[1].decode()
                    for cell in _CELL.finditer(xml)
                    if _FORMULA.search(cell[2])
                    and not _RESULT.search(cell[2])
                    and b't="str"' not in cell[0][: cell[0].index(b">")]
                ]
                if cells:
                    listed = ", ".join(cells[:MOST_LISTED]) + ", …" * (len(cells) > MOST_LISTED)
                    yield f"{listed} of sheet '{sheet}'"


def _parts(archive: zipfile.ZipFile) -> dict[str, str]:
    """The part of the archive that holds each sheet, by the name of the sheet."""
    book, relations = (
        archive.read(name) for name in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels")
    )
    targets = {_value(tag, "Id"): _value(tag, "Target") for tag in _TARGET.findall(relations)}
    parts = {}
    for tag in _SHEET.findall(book):
        target = targets.get(_value(tag, "r:id"), "")
        part = target.lstrip("/")
        parts[_value(tag, "name")] = part if part.startswith("xl/") else f"xl/{part}"
    return parts


def _value(tag: bytes, name: str) -> str:
    attribute = re.search(rf'\s{name}="([^"]*)"'.encode(), tag)
    return html.unescape(attribute[1].decode()) if attribute else ""
