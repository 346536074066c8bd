"""The files of the Human Phenotype Ontology: terms (hp.obo), disease annotations (phenotype.hpoa)
and genes (genes_to_phenotype.txt), as tables of ids, names, synonyms, edges and frequencies.

Definitions and comments are prose and are not read. Names, synonyms and frequencies are kept
exactly as in the file.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from python_llm.terminology.errors import malformed

_UNCHANGED = "use the official file unchanged"
_ID = re.compile(r"HP:\d{7}")
_DISEASE_ID = re.compile(r"(OMIM|ORPHA|DECIPHER):\d+")
_RELEASE = re.compile(r"\d{4}-\d\d-\d\d")
_SYNONYM = re.compile(
    r'"(?P<text>(?:[^"\\]|\\.)*)" (?P<scope>EXACT|BROAD|NARROW|RELATED) ?(?P<type>[^\s\[]*) ?\['
)
_FREQUENCY = re.compile(r"|HP:\d{7}|\d+/[1-9]\d*|\d+(\.\d+)?%")
_CURATED = re.compile(r"\[(\d{4}-\d\d-\d\d)\]")
_HPOA_COLUMNS = [
    "database_id",
    "disease_name",
    "qualifier",
    "hpo_id",
    "reference",
    "evidence",
    "onset",
    "frequency",
    "sex",
    "modifier",
    "aspect",
    "biocuration",
]
_GENE_COLUMNS = [
    "ncbi_gene_id",
    "gene_symbol",
    "hpo_id",
    "hpo_name",
    "frequency",
    "disease_id",
]


@dataclass
class Ontology:
    """Rows as in the seeds: terms (id, name, is_obsolete, replaced_by), synonyms (id,
    synonym, scope, type), is_a (child, parent), alt_ids (alt_id, id)."""

    release: str
    terms: list[tuple[str, ...]] = field(default_factory=list)
    synonyms: list[tuple[str, ...]] = field(default_factory=list)
    is_a: list[tuple[str, str]] = field(default_factory=list)
    alt_ids: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Annotations:
    """Rows as in the seeds: diseases (disease_id, name, n_annotations, last_curated_on, release)
    with every variant of a name, and phenotypes by source vocabulary."""

    release: str
    diseases: list[tuple[str, ...]]
    phenotypes: dict[str, list[tuple[str, ...]]]


def read_obo(path: Path) -> Ontology:
    """The ontology in hp.obo. Raises TerminologyError with the line of the first stanza that is not
    valid OBO 1.2, and for an is_a to a missing term."""
    ontology: Ontology | None = None
    stanza: dict[str, list[str]] = {}
    started = 0
    release: str | None = None
    for number, line in _lines(path):
        if line.startswith("["):
            if ontology is None:
                ontology = Ontology(_obo_release(path, release))
            _close_stanza(ontology, stanza, path, started)
            stanza, started = {"": [line]}, number
        elif ontology is None:
            if line.startswith("data-version:"):
                release = line.partition(":")[2]
        elif line:
            tag, separator, value = line.partition(": ")
            if not separator:
                raise malformed(path, number, "a line is not 'tag: value'", _UNCHANGED)
            stanza.setdefault(tag, []).append(value)
    if ontology is None:
        raise malformed(path, None, "it has no [Term] stanza", "give the file hp.obo")
    _close_stanza(ontology, stanza, path, started)
    known = {term[0] for term in ontology.terms}
    for child, parent in ontology.is_a:
        if parent not in known:
            raise malformed(path, None, f"{child} is_a {parent}, which is not a term", _UNCHANGED)
    return ontology


def read_annotations(path: Path) -> Annotations:
    """Diseases and their phenotypes in phenotype.hpoa; lines that differ only in their curator
    become one row. Raises TerminologyError for another layout, id or form of frequency."""
    release, columns = None, None
    names: Counter[tuple[str, str]] = Counter()
    curated: dict[tuple[str, str], str] = {}
    phenotypes: dict[str, set[tuple[str, ...]]] = {"OMIM": set(), "ORPHA": set(), "DECIPHER": set()}
    for number, line in _lines(path):
        if line.startswith("#"):
            if line.startswith("#version:"):
                release = line.partition(":")[2].strip()
            continue
        cells = line.split("\t")
        if columns is None:
            columns = cells
            if columns != _HPOA_COLUMNS:
                raise malformed(
                    path, number, "its columns are not those of 2023 and later", _UNCHANGED
                )
            continue
        if len(cells) != len(columns):
            raise malformed(
                path, number, f"{len(columns)} fields expected, {len(cells)} found", _UNCHANGED
            )
        row = dict(zip(columns, cells, strict=True))
        _check_annotation(row, path, number)
        key = row["database_id"], row["disease_name"]
        names[key] += 1
        days = _CURATED.findall(row["biocuration"])
        curated[key] = max([curated.get(key, ""), *days])
        phenotypes[row["database_id"].partition(":")[0]].add(
            (
                row["database_id"],
                row["hpo_id"],
                "true" if row["qualifier"] == "NOT" else "false",
                row["frequency"],
                row["onset"],
                row["sex"],
                row["modifier"],
                row["aspect"],
                row["evidence"],
                row["reference"],
            )
        )
    if not release or not names:
        raise malformed(path, None, "it lacks #version or rows", "give the file phenotype.hpoa")
    return Annotations(
        release=release,
        diseases=[
            (*key, str(count), curated[key], release) for key, count in sorted(names.items())
        ],
        phenotypes={vocabulary: sorted(rows) for vocabulary, rows in phenotypes.items()},
    )


# the branches of HPO that are no phenotypic abnormality, by the aspect of their annotations
_ASPECTS = {
    "HP:0000005": "I",  # mode of inheritance
    "HP:0012823": "M",  # clinical modifier
    "HP:0031797": "C",  # clinical course
    "HP:0032443": "H",  # past medical history
}


def add_newer(annotations: Annotations, ontology: Ontology, path: Path) -> None:
    """Add the diseases of newer_annotations.csv that the annotations lack, if it is of a newer
    release: with unknown frequency, and their release as the source of each row. Terms that the
    ontology lacks are left out."""
    with path.open(encoding="utf-8", newline="") as file:
        newer = [row for row in csv.DictReader(file) if row["release"] > annotations.release]
    known = {row[0] for row in annotations.diseases}
    terms = {term[0] for term in ontology.terms}
    parents: dict[str, list[str]] = {}
    for child, parent in ontology.is_a:
        parents.setdefault(child, []).append(parent)
    for row in newer:
        disease_id, release = row["disease_id"], row["release"]
        hpo_ids = [hpo_id for hpo_id in row["hpo_ids"].split(";") if hpo_id in terms]
        if disease_id in known or not hpo_ids:
            continue
        annotations.diseases.append((disease_id, row["name"], str(len(hpo_ids)), "", release))
        annotations.phenotypes[disease_id.partition(":")[0]].extend(
            (
                *(disease_id, hpo_id, "false", "", "", "", ""),
                *(_aspect(hpo_id, parents), "unknown", f"HPO {release}"),
            )
            for hpo_id in hpo_ids
        )
    annotations.diseases.sort()
    for rows in annotations.phenotypes.values():
        rows.sort()


def _aspect(hpo_id: str, parents: dict[str, list[str]]) -> str:
    waiting = [hpo_id]
    while waiting:
        term = waiting.pop()
        if term in _ASPECTS:
            return _ASPECTS[term]
        waiting.extend(parents.get(term, ()))
    return "P"


def read_genes(path: Path) -> list[tuple[str, ...]]:
    """(disease_id, ncbi_gene_id, gene_symbol, source) in genes_to_phenotype.txt, sorted. The source
    of a link is the record of the disease, the only reference in the file."""
    links = set()
    for number, line in _lines(path):
        cells = line.split("\t")
        if number == 1:
            if cells != _GENE_COLUMNS:
                raise malformed(path, number, "its columns have changed", _UNCHANGED)
            continue
        if len(cells) != len(_GENE_COLUMNS):
            raise malformed(
                path,
                number,
                f"{len(_GENE_COLUMNS)} fields expected, {len(cells)} found",
                _UNCHANGED,
            )
        gene_id, symbol, disease_id = cells[0], cells[1], cells[5]
        if not _DISEASE_ID.fullmatch(disease_id):
            raise malformed(path, number, f"{disease_id!r} is not a disease id", _UNCHANGED)
        links.add((disease_id, gene_id, symbol, disease_id))
    if not links:
        raise malformed(path, None, "it has no rows", "give the file genes_to_phenotype.txt")
    return sorted(links)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                yield number, line.rstrip("\r\n")
    except OSError as error:
        raise malformed(path, None, "it cannot be read", "give the path of the file") from error
    except UnicodeDecodeError as error:
        raise malformed(path, None, "it is not UTF-8 text", "download it again") from error


def _obo_release(path: Path, text: str | None) -> str:
    release = _RELEASE.search(text or "")
    if not release:
        raise malformed(path, None, "its header has no data-version", "give the file hp.obo")
    return release[0]


def _close_stanza(ontology: Ontology, stanza: dict[str, list[str]], path: Path, line: int) -> None:
    if stanza.get("") != ["[Term]"]:
        return
    ids, names = stanza.get("id", []), stanza.get("name", [])
    if len(ids) != 1 or len(names) != 1:
        raise malformed(path, line, "a term does not have exactly one id and one name", _UNCHANGED)
    term_id = ids[0]
    if not _ID.fullmatch(term_id):
        raise malformed(path, line, f"{term_id!r} is not an HPO id", _UNCHANGED)
    is_obsolete = "true" if "true" in stanza.get("is_obsolete", []) else "false"
    replaced_by = stanza.get("replaced_by", [""])[0]
    ontology.terms.append((term_id, _unescaped(names[0]), is_obsolete, replaced_by))
    for value in stanza.get("synonym", []):
        synonym = _SYNONYM.match(value)
        if not synonym:
            raise malformed(path, line, f"a synonym of {term_id} is malformed", _UNCHANGED)
        ontology.synonyms.append(
            (term_id, _unescaped(synonym["text"]), synonym["scope"].lower(), synonym["type"])
        )
    for value in stanza.get("is_a", []):
        ontology.is_a.append((term_id, value.split(" ", 1)[0]))
    for value in stanza.get("alt_id", []):
        ontology.alt_ids.append((value, term_id))


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _check_annotation(row: dict[str, str], path: Path, line: int) -> None:
    checks = (
        (_DISEASE_ID, "database_id", "an OMIM, ORPHA or DECIPHER id"),
        (_ID, "hpo_id", "an HPO id"),
        (_FREQUENCY, "frequency", "an HPO term, n/m or a percentage"),
        (re.compile("|NOT"), "qualifier", "NOT or empty"),
    )
    for pattern, column, meaning in checks:
        if not pattern.fullmatch(row[column]):
            raise malformed(path, line, f"{column} {row[column]!r} is not {meaning}", _UNCHANGED)
