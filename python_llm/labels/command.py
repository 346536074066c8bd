"""`kernel29 labels import` of a file or a folder: one line of result per file."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from python_llm import paths
from python_llm.errors import FileError
from python_llm.imports.naming import FIELDS, among, check_pattern, name_of, only, readings
from python_llm.imports.numbered_rows import EXCEL, JSON_LINES, PARQUET
from python_llm.imports.rejects import SetAside, by_kind, unread
from python_llm.labels import store
from python_llm.labels.importing import Places, Report, import_labels
from python_llm.labels.source import Source
from python_llm.runs.cases import KnownSets
from python_llm.test_sets.store import cases_folder

TABLES = (
    ".csv",
    ".tsv",
    ".txt",
    ".json",
    *JSON_LINES,
    *PARQUET,
    *EXCEL,
)


def import_path(
    path: Path,
    *,
    judge: str,
    configuration: str,
    pattern: str,
    raters: Sequence[str],
    say: Callable[[str], None],
    test_set: str,
    makes_test_set: bool,
    kind: str,
    language: str,
    ranks_from: int | None = None,
    **options: Any,
) -> bool:
    """Import a file, or every table of a folder, and `say` what became of each; whether all went
    well. By `pattern` a file's name fills {model}, {prompt} and {test_set} of the configuration in,
    or names the rater; a file with another name is left out. The other arguments are those of
    Source and of import_labels."""
    if pattern:
        check_pattern(pattern)
    of_file: dict[Path, dict[str, str]] = {}
    known = _known(options["served"]) if pattern else {}
    for file in _files(path):
        names = among(readings(name_of(file), pattern), known) if pattern else [{}]
        if names:
            of_file[file] = only(name_of(file), pattern, names)
        else:
            say(f"{file.name}: left out, not named as in --name '{pattern}'.")
    if not of_file:
        raise FileError(f"{path.name}: no file is named as in --name '{pattern}'.")
    went_well = True
    for file, named in of_file.items():
        try:
            source = Source(
                judge=judge,
                test_set=named.get("test_set", test_set),
                configuration=_filled(configuration, named),
                makes_test_set=makes_test_set,
                kind=kind,
                language=language,
                ranks_from=ranks_from,
            )
            report = import_labels(
                file,
                source,
                store.labels_folder(),
                raters=[named["rater"]] if "rater" in named else raters,
                runs_dir=paths.runs_folder(),
                cases_dir=cases_folder(),
                **options,
            )
        except FileError as error:
            if not path.is_dir():
                raise
            went_well = False
            say(f"{file.name}: not imported. {error}")
        else:
            _say(report, file.name if path.is_dir() else "", say)
    return went_well


def _known(served: Path | None) -> dict[str, set[str]]:
    """What models and test sets are called here, for names that can be read in several ways."""
    places = Places.project(served)
    configurations = [name.split("/") for name in places.configurations()]
    test_sets = KnownSets(places.served, places.cases).names
    return {
        "model": {model for model, *_ in configurations},
        "prompt": {prompt for _, prompt, _ in configurations},
        "test_set": {*test_sets, *(name.upper() for name in test_sets)},
    }


def _files(path: Path) -> list[Path]:
    """The file, or the tables in a folder by name. Raises FileError for a folder without any."""
    if not path.is_dir():
        return [path]
    tables_here = sorted(
        file
        for file in path.iterdir()
        if file.suffix.lower() in TABLES and not file.name.startswith((".", "~"))
    )
    if not tables_here:
        raise FileError(f"{path.name} has no tables in it ({', '.join(TABLES)}): check the path.")
    return tables_here


def _filled(configuration: str, named: dict[str, str]) -> str:
    for field in FIELDS:
        if field in named:
            configuration = configuration.replace(f"{{{field}}}", named[field])
    return configuration


def _say(report: Report, name: str, say: Callable[[str], None]) -> None:
    missing = f", {report.n_again} repeated" if report.n_again else ""
    missing += f", {report.n_missing} missing" if report.n_missing else ""
    say(
        f"{f'{name}: ' if name else ''}{', '.join(report.judges)}: {report.n_new} new labels, "
        f"{report.n_unchanged} stored before{missing}, {len(report.rejects)} rejected."
    )
    if report.new_test_set:
        say(f"Test set {report.new_test_set}: {report.n_new_cases} new cases.")
    for description in dict.fromkeys(report.matched_by.values()) if not name else ():
        say(f"Cases by {description}.")
    if report.inverted:
        say(f"Read as misses, so that 1 or yes is no hit: {', '.join(report.inverted)}.")
    for word in report.words:
        say(f"'{word}' in the headings is taken for the rater: if it is none, add --rater NAME.")
    if report.unread and not name:
        say(unread(report.unread))
    for line in by_kind(
        SetAside(row["source_file"], row["source_line"], row["field"], row["reason"])
        for row in report.rejects
    ):
        say(line)
    if report.rejects:
        panels = dict.fromkeys(row["panel"] for row in report.rejects)
        say(f"Row by row: kernel29 labels list --rejects {next(iter(panels))}")
