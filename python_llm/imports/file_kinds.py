"""Files that are no tables, told by their first bytes."""

import io
import re
import zipfile
import zlib
from pathlib import Path

from python_llm.errors import FileError

# first bytes of what people bring for a table, and what it is
OTHER_KINDS = {
    b"%PDF": "a PDF",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"II*\x00": "an image",
    b"MM\x00*": "an image",
    b"{\\rtf": "a rich text file",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!\x1a": "a RAR archive",
    b"$FL2": "a file of SPSS",
    b"$FL3": "a file of SPSS",
    b"\x00" * 12 + b"\xc2\xea\x81\x60": "a file of SAS",
    b"<stata_dta>": "a file of Stata",
    b"RDX2": "a file of R",
    b"RDX3": "a file of R",
    b"SQLite format 3": "a database of SQLite",
    b"\x89HDF": "an HDF5 file",
}
# a release from 104 to 115, the order of bytes, the type and a zero
_OLD_STATA = re.compile(rb"[\x68-\x73][\x01\x02]\x01\x00")
# one object of R: whole, and in text or bytes
_OBJECT_OF_R = re.compile(rb"X\n\x00\x00\x00[\x02\x03]|A\n[23]\n")
_OF_R = (".rds", ".rda", ".rdata")
WORD_STREAM = "WordDocument".encode("utf-16-le")
# what a zip raises that is cut off, damaged, encrypted, or packed in an unknown way
DAMAGED = (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError)


def refuse_other_kinds(file: Path, content: bytes) -> None:
    """Raise FileError for a file that is of a known kind and of no kind that is read."""
    kind = next((kind for mark, kind in OTHER_KINDS.items() if content.startswith(mark)), None)
    if _OLD_STATA.match(content):
        kind = "a file of Stata"
    if _OBJECT_OF_R.match(content) or (kind and file.suffix.lower() in _OF_R):
        kind = "a file of R"  # packed or not
    if content.startswith(b"\xd0\xcf\x11\xe0") and WORD_STREAM in content:
        kind = "a Word file"
    if content.startswith(b"PK\x03\x04"):
        kind = _other_zip(content)
    if kind:
        remedy = "unpack it and give" if "archive" in kind else "save the table as"
        raise FileError(
            f"{file.name} is {kind}; CSV, Excel, JSON, JSON lines and Parquet are read: {remedy} "
            f"{'the file or folder in it' if 'archive' in kind else 'one of them'}."
        )


def is_open_document(content: bytes) -> bool:
    """Whether a file says that it is one of OpenDocument, whole or not."""
    return b"mimetypeapplication/vnd.oasis.opendocument" in content[:200]


def _other_zip(content: bytes) -> str | None:
    """What a zip is that is not a spreadsheet; None too for one that is cut off."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            of_odf = archive.read("mimetype") if "mimetype" in names else b""
    except DAMAGED:  # the reader of spreadsheets refuses it
        return None
    if b"spreadsheet" in of_odf or any(name.startswith("xl/") for name in names):
        return None
    if b"opendocument.text" in of_odf or any(name.startswith("word/") for name in names):
        return "a Word file"
    return "a zip archive"
