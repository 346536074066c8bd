"""Imports of vocabularies that are never shipped: Orphadata's nomenclature, ORPHA to OMIM mappings,
SSSOM mapping sets (such as MONDO's) and HPO's translations.

An import reads one whole file, then writes its normalised tables as Parquet below
data/terminology/<table>/, one file per origin, each by an atomic rename. Importing the same file
again writes the same rows; a newer release replaces the older one. Builds read what is there.
"""

import gzip
import hashlib
import json
import os
import re
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from python_llm import paths
from python_llm.audit import trail
from python_llm.files import check_regular
from python_llm.terminology.errors import TerminologyError, malformed

Row = tuple[str | bool | None, ...]

_UNCHANGED = "use the official file unchanged"
_PROVENANCE = [("source", pa.string()), ("release", pa.string())]

# columns by table; every table ends in the provenance of its rows
SCHEMAS: dict[str, pa.Schema] = {
    "disease_mapping": pa.schema(
        [
            ("subject_id", pa.string()),
            ("object_id", pa.string()),
            # what the object is to the subject: see RELATIONS
            ("relation", pa.string()),
            ("relation_as_written", pa.string()),
            ("is_validated", pa.bool_()),
            *_PROVENANCE,
        ]
    ),
    "disease_name": pa.schema(
        [
            ("disease_id", pa.string()),
            ("name", pa.string()),
            ("kind", pa.string()),
            ("language", pa.string()),
            ("is_active", pa.bool_()),
            *_PROVENANCE,
        ]
    ),
    "term_translation": pa.schema(
        [
            ("hpo_id", pa.string()),
            ("language", pa.string()),
            ("source_name", pa.string()),
            ("translated_name", pa.string()),
            ("status", pa.string()),
            *_PROVENANCE,
        ]
    ),
}
# not stored as a table: the metadata of the other files
IMPORTED_FILE = pa.schema(
    [
        ("table_name", pa.string()),
        ("source", pa.string()),
        ("release", pa.string()),
        ("source_file", pa.string()),
        ("source_sha256", pa.string()),
        ("licence", pa.string()),
        ("n_declared_rows", pa.int64()),
        ("n_rows", pa.int64()),
    ]
)
RELATIONS = ("exact", "broader", "narrower", "related", "different", "undecided")

# Orphadata: E exact; NTBT the ORPHA entity is narrower than its target; BTNT it is broader; ND not
# yet decided; W wrong, the two concepts differ.
_ORPHANET_RELATIONS = {
    "E": "exact",
    "NTBT": "broader",
    "BTNT": "narrower",
    "ND": "undecided",
    "W": "different",
}
# A SKOS mapping relation names what the object is to the subject.
_SSSOM_RELATIONS = {
    "skos:exactmatch": "exact",
    "owl:equivalentclass": "exact",
    "owl:sameas": "exact",
    "semapv:crossspeciesexactmatch": "related",
    "skos:broadmatch": "broader",
    "rdfs:subclassof": "broader",
    "skos:narrowmatch": "narrower",
    "skos:closematch": "related",
    "skos:relatedmatch": "related",
    "oboinowl:hasdbxref": "undecided",
    "oio:hasdbxref": "undecided",
}
# flags of entities that Orphanet no longer uses; their names do not name a disease in use
_ORPHANET_RETIRED = {"obsolete entity", "deprecated entity", "inactive", "obsolete with resources"}
_ORPHANET_PREFIXES = {"orphanet", "ordo", "orpha", "orphanet.ordo"}
_HPO_ID = re.compile(r"HP:\d{7}")
_CURIE = re.compile(r"[A-Za-z][\w.]*:[\w.-]+")


@dataclass
class Import:
    """The content of one file: rows by table, without provenance."""

    source: str
    release: str
    licence: str
    tables: dict[str, list[Row]] = field(default_factory=dict)


@dataclass(frozen=True)
class ImportedTable:
    """One table that an import wrote, with its provenance and size."""

    table: str
    source: str
    release: str
    n_rows: int


def import_file(
    path: Path | str, file_format: str, folder: Path | None = None
) -> list[ImportedTable]:
    """Import one file; returns what was written.

    Args:
        path: the official file, also as .gz or as a .tar.gz of one file.
        file_format: one of FORMATS.
        folder: where the tables go; by default paths.terminology_folder().

    Raises:
        TerminologyError: the file is missing, cut off or of another layout, or the tables cannot be
            written. Earlier imports are unchanged then.
    """
    path = Path(path)
    if file_format not in FORMATS:
        raise TerminologyError(
            f"{file_format!r} is not a format to import: use one of {', '.join(FORMATS)}."
        )
    check_regular(path)
    if not path.is_file():
        raise TerminologyError(f"The file {path} does not exist; check the path.")
    imported = FORMATS[file_format](path)
    for table, rows in imported.tables.items():
        imported.tables[table] = sorted(set(rows), key=lambda row: tuple(map(str, row)))
    if not any(imported.tables.values()):
        raise malformed(path, None, "nothing in it can be used", f"check that it is {file_format}")
    return _write(imported, path, folder or paths.terminology_folder())


def imported_table(table: str, folder: Path | None = None) -> pa.Table:
    """All imported rows of `table` (a key of SCHEMAS, or imported_file), sorted by file; no rows if
    nothing was imported. Raises TerminologyError for a damaged file."""
    folder = folder or paths.terminology_folder()
    if table == "imported_file":
        rows = [_declared(file) for name in SCHEMAS for file in _files(folder / name)]
        return pa.Table.from_pylist(rows, schema=IMPORTED_FILE)
    parts = [_read_parquet(file).cast(SCHEMAS[table]) for file in _files(folder / table)]
    return pa.concat_tables([SCHEMAS[table].empty_table(), *parts])


def forget(source: str, folder: Path | None = None) -> bool:
    """Delete every table that was imported from `source`; False if there is none."""
    folder = folder or paths.terminology_folder()
    stored = [file for name in SCHEMAS for file in _files(folder / name) if file.stem == source]
    if stored:
        trail.note("forget", source, what="terminology")
    for file in stored:
        file.unlink()
    return bool(stored)


# -- readers, one per format ---------------------------------------------------------------------


def read_orphadata(path: Path) -> Import:
    """Orphadata's product 1 (rare diseases and their alignments) in JSON, in any of its languages:
    names and synonyms of every entity, and its mappings to OMIM, ICD-10, ICD-11 and others."""
    document = _json(path)
    try:
        database = document["JDBOR"][0]
        disorders = list(database["DisorderList"][0]["Disorder"])
        release = database["date"][:10]
    except (KeyError, IndexError, TypeError) as error:
        raise malformed(
            path, None, "it is not Orphadata product 1 (JDBOR, DisorderList)", _UNCHANGED
        ) from error
    names: list[Row] = []
    mappings: list[Row] = []
    languages: set[str] = set()
    for number, disorder in enumerate(disorders, start=1):
        try:
            _read_disorder(disorder, names, mappings, languages)
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise malformed(
                path, None, f"disorder {number} of its list has another layout", _UNCHANGED
            ) from error
    language = "_".join(sorted(languages))
    return Import(
        source=f"orphadata_{language}",
        release=release,
        licence="CC BY 4.0, Orphadata (INSERM)",
        tables={"disease_name": names, "disease_mapping": mappings},
    )


def read_orpha2omim(path: Path) -> Import:
    """A JSON object of ORPHA ids, each with a list of [OMIM id, kind], kind being Orphanet's E,
    NTBT, BTNT, ND, W or null."""
    document = _json(path)
    if not isinstance(document, dict):
        raise malformed(path, None, "it is not a JSON object of ORPHA ids", _UNCHANGED)
    mappings: list[Row] = []
    for subject, targets in document.items():
        subject_id = _disease_id(subject)
        try:
            pairs = [(str(target), kind) for target, kind in targets]
        except (TypeError, ValueError) as error:
            raise malformed(
                path, None, f"{subject} has no list of [id, kind] pairs", _UNCHANGED
            ) from error
        for target, kind in pairs:
            if kind is not None and str(kind) not in _ORPHANET_RELATIONS:
                raise malformed(
                    path,
                    None,
                    f"{subject} has the unknown kind of match {kind!r}",
                    f"use one of {', '.join(_ORPHANET_RELATIONS)} or null",
                )
            relation = _ORPHANET_RELATIONS.get(kind or "", "undecided")
            mappings.append((subject_id, _disease_id(target), relation, kind, None))
    return Import(
        source="orpha2omim",
        release="not stated",
        licence="as its publisher states",
        tables={"disease_mapping": mappings},
    )


def read_sssom(path: Path) -> Import:
    """A mapping set as SSSOM TSV: metadata in lines that begin with #, a header, mappings."""
    metadata, rows = _tsv(path, ("subject_id", "predicate_id", "object_id"))
    mappings: list[Row] = []
    for line, row in rows:
        predicate = row["predicate_id"]
        relation = _SSSOM_RELATIONS.get(predicate.lower())
        if relation is None:
            raise malformed(
                path,
                line,
                f"the predicate {predicate!r} is not known",
                "map it to a skos relation or take the line out",
            )
        if row.get("predicate_modifier", "").lower() == "not":
            relation = "different" if relation == "exact" else "undecided"
        subject_id, object_id = _disease_id(row["subject_id"]), _disease_id(row["object_id"])
        for identifier in (subject_id, object_id):
            if not _CURIE.fullmatch(identifier):
                raise malformed(path, line, f"{identifier!r} is not an id", _UNCHANGED)
        mappings.append((subject_id, object_id, relation, predicate, None))
    return Import(
        source=f"sssom_{_stem(path)}",
        release=metadata.get("mapping_set_version", "not stated"),
        licence=metadata.get("license", "as its publisher states"),
        tables={"disease_mapping": mappings},
    )


def read_babelon(path: Path) -> Import:
    """One of HPO's translation tables (hp-es.babelon.tsv): the labels, with their status.
    Definitions are prose and are left out, as are terms without a translation."""
    required = ("subject_id", "predicate_id", "translation_language", "translation_value")
    _, rows = _tsv(path, required)
    translations: list[Row] = []
    for line, row in rows:
        if row["predicate_id"] != "rdfs:label" or not row["translation_value"].strip():
            continue
        if not _HPO_ID.fullmatch(row["subject_id"]):
            raise malformed(path, line, f"{row['subject_id']!r} is not an HPO id", _UNCHANGED)
        translations.append(
            (
                row["subject_id"],
                row["translation_language"].lower(),
                row.get("source_value") or None,
                " ".join(row["translation_value"].split()),
                (row.get("translation_status") or "not stated").lower(),
            )
        )
    languages = sorted({str(row[1]) for row in translations})
    return Import(
        source=f"babelon_{'_'.join(languages)}",
        release="not stated",
        licence="HPO licence, https://hpo.jax.org/app/license",
        tables={"term_translation": translations},
    )


FORMATS: dict[str, Callable[[Path], Import]] = {
    "orphadata": read_orphadata,
    "orpha2omim": read_orpha2omim,
    "sssom": read_sssom,
    "babelon": read_babelon,
}


def _read_disorder(
    disorder: Mapping[str, Any], names: list[Row], mappings: list[Row], languages: set[str]
) -> None:
    disease_id = f"ORPHA:{disorder['OrphaCode']}"
    flags = {flag["Label"].lower() for flag in _listed(disorder, "DisorderFlag")}
    is_active = not flags & _ORPHANET_RETIRED
    for kind, name in chain(
        (("name", name) for name in disorder["Name"]),
        (("synonym", name) for name in _listed(disorder, "Synonym")),
    ):
        label = " ".join(name["label"].split())
        if label:
            names.append((disease_id, label, kind, name["lang"], is_active))
            languages.add(name["lang"])
    for reference in _listed(disorder, "ExternalReference"):
        written = _label(reference["DisorderMappingRelation"])
        relation = _ORPHANET_RELATIONS.get(written.split(" ")[0], "undecided")
        status = _label(reference["DisorderMappingValidationStatus"])
        mappings.append(
            (
                disease_id,
                f"{reference['Source']}:{reference['Reference']}",
                relation,
                written.split(" ")[0] or None,
                status.lower() == "validated" if status else None,
            )
        )


def _listed(disorder: Mapping[str, Any], item: str) -> list[Mapping[str, Any]]:
    """The items of one of Orphadata's counted lists, which omits them if it is empty."""
    lists = disorder.get(f"{item}List") or []
    return [entry for counted in lists for entry in counted.get(item) or []]


def _label(named: Any) -> str:
    return named[0]["Name"][0]["label"] if named else ""


def _disease_id(identifier: str) -> str:
    """An id as the project writes it: Orphanet:558, Orphanet_558 and ordo ids as ORPHA:558, omim in
    any case as OMIM:154700, others unchanged."""
    prefix, _, number = identifier.strip().rpartition(":")
    number = number.removeprefix("Orphanet_")
    if identifier.startswith("Orphanet_") or prefix.lower() in _ORPHANET_PREFIXES:
        return f"ORPHA:{number}"
    return f"{prefix.upper()}:{number}" if prefix.lower() in {"omim", "decipher"} else identifier


# -- files ---------------------------------------------------------------------------------------


def _bytes(path: Path) -> bytes:
    """The content of a file, of the only file in a .tar.gz, or of a .gz."""
    try:
        if tarfile.is_tarfile(path):
            with tarfile.open(path) as archive:
                members = [member for member in archive if member.isfile()]
                file = archive.extractfile(members[0]) if len(members) == 1 else None
                if file is None:
                    raise malformed(
                        path, None, f"the archive holds {len(members)} files", "give one of them"
                    )
                return file.read()
        content = path.read_bytes()
        return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise malformed(
            path, None, "it cannot be read or is cut off", "download it again"
        ) from error


def _text(path: Path) -> str:
    try:
        return _bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise malformed(path, None, "it is not UTF-8 text", "download it again") from error


def _json(path: Path) -> Any:
    text = _text(path)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip().startswith("<"):
            raise malformed(
                path, None, "it is XML or HTML, and JSON is read", "download the JSON of it"
            ) from error
        line = getattr(error, "lineno", None)
        raise malformed(
            path, line, "it is not a whole JSON document", "download it again"
        ) from error


def _tsv(
    path: Path, required: Sequence[str]
) -> tuple[dict[str, str], Iterator[tuple[int, dict[str, str]]]]:
    """Metadata of the leading # lines, and (line number, row) of every line that is not empty."""
    lines = [line.rstrip("\r") for line in _text(path).split("\n")]
    start = next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
    metadata = {}
    for line in lines[:start]:
        key, separator, value = line.lstrip("# ").partition(":")
        if separator:
            metadata[key.strip()] = value.strip().strip("\"'")
    columns = [_unquoted(cell) for cell in "".join(lines[start : start + 1]).split("\t")]
    missing = [name for name in required if name not in columns]
    if missing:
        raise malformed(
            path, start + 1, f"the column {missing[0]} is missing", "give the TSV with its header"
        )

    def rows() -> Iterator[tuple[int, dict[str, str]]]:
        for number, line in enumerate(lines[start + 1 :], start=start + 2):
            if not line:
                continue
            cells = line.split("\t")
            if len(cells) != len(columns):
                raise malformed(
                    path,
                    number,
                    f"{len(columns)} fields expected, {len(cells)} found",
                    "download it again, it may be cut off",
                )
            yield number, dict(zip(columns, (_unquoted(cell) for cell in cells), strict=True))

    return metadata, rows()


def _unquoted(cell: str) -> str:
    """A cell without its quotes; official files quote only whole cells and never a tab."""
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def _stem(path: Path) -> str:
    name = re.sub(r"\.(gz|tar|tgz|json|tsv|txt|sssom|babelon)(?=\.|$)", "", path.name, flags=re.I)
    return re.sub(r"\W+", "_", name).strip("_").lower() or "file"


def _write(imported: Import, path: Path, folder: Path) -> list[ImportedTable]:
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    provenance = (imported.source, imported.release)
    about_file = {"file": path.name, "file_hash": sha256[:16], "release": imported.release}
    trail.note("import", imported.source, what="terminology", **about_file)
    staged: list[tuple[Path, Path]] = []
    written = []
    try:
        for name, rows in imported.tables.items():
            schema = SCHEMAS[name]
            columns = zip(*((*row, *provenance) for row in rows), strict=True)
            values = list(columns) or [()] * len(schema)
            arrays = [pa.array(c, field.type) for c, field in zip(values, schema, strict=True)]
            about = {
                "source": imported.source,
                "release": imported.release,
                "source_file": path.name,
                "source_sha256": sha256,
                "licence": imported.licence,
                "n_declared_rows": str(len(rows)),
            }
            table = pa.table(arrays, schema=schema.with_metadata(about))
            target = folder / name / f"{imported.source}.parquet"
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=".import-", dir=target.parent)
            os.close(handle)
            aside = Path(temporary)
            staged.append((aside, target))
            pq.write_table(table, aside)
            written.append(ImportedTable(name, *provenance, len(rows)))
        for aside, target in staged:
            os.replace(aside, target)
    except OSError as error:
        raise TerminologyError(
            f"What {path.name} holds could not be written to {folder} ({error.strerror}); run the "
            "import again once the cause is fixed."
        ) from error
    finally:
        for aside, _ in staged:
            aside.unlink(missing_ok=True)
    return written


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet"))


def _read_parquet(file: Path) -> pa.Table:
    try:
        return pq.read_table(file)
    except (OSError, pa.ArrowException) as error:
        raise _not_whole(file) from error


def _declared(file: Path) -> dict[str, Any]:
    try:
        opened = pq.ParquetFile(file)
        about = {
            key.decode(): value.decode()
            for key, value in (opened.schema_arrow.metadata or {}).items()
        }
        about["n_declared_rows"] = int(about["n_declared_rows"])
        return {**about, "table_name": file.parent.name, "n_rows": opened.metadata.num_rows}
    except (OSError, pa.ArrowException, KeyError) as error:
        raise _not_whole(file) from error


def _not_whole(file: Path) -> TerminologyError:
    return TerminologyError(
        f"The imported file {file} cannot be read; delete it, or import its source again with "
        "`kernel29 terminology import`."
    )
