"""What `kernel29 runs import` does with what was typed: one run or many, and a line for each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from python_llm import paths, seeds
from python_llm.errors import FileError, UserError
from python_llm.imports.rejects import SetAside, by_kind, unread
from python_llm.imports.served import Served
from python_llm.parsing.differential import PARSERS
from python_llm.registries.names import MODELS, PROMPTS
from python_llm.runs.cases import KnownSets
from python_llm.runs.folders import Job, Names, labels_of_no_run, plan, read_run
from python_llm.runs.importing import Report, Run, import_run, read_source
from python_llm.runs.matching import MOST_SHOWN
from python_llm.runs.reading import REMEDIES, Reject


@dataclass(frozen=True)
class Options:
    """What holds for all runs of an import."""

    columns: dict[str, str] = field(default_factory=dict)
    judge: str = Run.judge
    family: str = ""
    output_format: str = Run.output_format
    prompt_version: str = Run.prompt_version
    asked: str | None = None
    replace: bool = False


def import_all(
    path: Path, labels: Path | None, names: Names, options: Options
) -> Iterator[tuple[str, bool]]:
    """Import what is at `path`; lines to print, and whether each says that something failed.

    One run is told in full; of several each has its line, and one that fails leaves the others
    alone. Raises UserError for what is wrong with the whole.
    """
    if options.output_format not in PARSERS:
        raise FileError(f"--format: use one of {', '.join(PARSERS)}.")
    sets = KnownSets(Served(paths.served_database()))
    jobs, left_out = plan(path, labels, names, sets)
    if len(jobs) == 1 and not left_out and not labels_of_no_run(path, labels, names, jobs):
        report = _import(jobs[0], options, sets)
        yield report.line, False
        yield from ((note, False) for note in report.notes)
        if report.unread:
            yield unread(report.unread), False
        yield from ((line, False) for line in by_kind(map(_set_aside, report.rejects)))
        if report.rejects:
            yield f"Row by row: kernel29 runs list --rejects {report.configuration_id}", False
        yield from ((line, False) for line in _namesakes(jobs))
        return
    failed = []
    for job in jobs:
        try:
            report = _import(job, options, sets)
        except UserError as error:
            failed.append(f"{job.model}/{job.prompt}/{job.test_set} is not imported: {error}")
            continue
        first = f" First set aside: {report.rejects[0].description}." if report.rejects else ""
        without = " No labels." if labels is not None and job.labels is None else ""
        yield f"{report.line}{first}{without}", False
        yield from ((f"  {note}", False) for note in report.unknown_labels)
    if left_out:
        listed = ", ".join(left_out[:MOST_SHOWN]) + (", …" if len(left_out) > MOST_SHOWN else "")
        yield f"Left out, because the name does not fit the pattern: {listed}.", False
    if unused := labels_of_no_run(path, labels, names, jobs):
        listed = ", ".join(unused[:MOST_SHOWN]) + (", …" if len(unused) > MOST_SHOWN else "")
        yield f"Labels of no run, by their names: {listed}. Check --labels-name.", False
    yield f"{len(jobs) - len(failed)} of {len(jobs)} runs imported.", False
    yield from ((line, False) for line in _namesakes(jobs))
    yield from ((line, True) for line in failed)


def _namesakes(jobs: Sequence[Job]) -> Iterator[str]:
    """Which names of the runs the registries have, too: nothing of the registry is said of the
    recorded answers, but a reader may take them for the same."""
    for kind, registry, column, names in (
        ("model", MODELS, "model_alias", {job.model for job in jobs}),
        ("prompt", PROMPTS, "prompt_alias", {job.prompt for job in jobs}),
    ):
        for name in sorted(names & {row[column] for row in seeds.read(registry)}):
            yield (
                f"The registry has a {kind} {name}, too: its settings are not said of these "
                f"answers. If they came from another {kind}, import them under another name."
            )


def _set_aside(reject: Reject) -> SetAside:
    reason = f"{reject.reason}; {REMEDIES[reject.rule]}"
    return SetAside(reject.source_file, reject.source_row or None, "", reason)


def _import(job: Job, options: Options, sets: KnownSets) -> Report:
    return import_run(
        read_run(job.path, options.columns),
        Run(
            job.model,
            job.prompt,
            job.test_set,
            output_format=options.output_format,
            prompt_version=options.prompt_version,
            family=options.family,
            judge=options.judge,
        ),
        paths.runs_folder(),
        sets,
        labels=read_source(job.labels, options.columns) if job.labels else None,
        columns=options.columns,
        replace=options.replace,
        asked=options.asked,
    )
