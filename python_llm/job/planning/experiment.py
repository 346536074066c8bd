"""One experiment from its file to its answers: import its cases, say what it costs, ask."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb

from python_llm import seeds
from python_llm.errors import FileError, UserError
from python_llm.experiments import registries
from python_llm.experiments.file import Experiment, read
from python_llm.experiments.lines import ExperimentError
from python_llm.job.admission import preflight
from python_llm.providers import PROVIDERS
from python_llm.providers.hosts import listed, may_see_patients, site_of
from python_llm.registries.names import JUDGES, MODELS, PRICES
from python_llm.test_sets import store
from python_llm.test_sets.importing import Choices, Imported, import_cases
from python_llm.test_sets.known import known_test_sets, shipped_test_sets
from python_llm.test_sets.table_records import NoColumn

SHOWN = 5  # cases named in a sentence


def prepared(path: Path) -> tuple[Experiment, dict[str, Imported]]:
    """The experiment in a file, with its cases imported; what came of each file, by its set.

    Raises ExperimentError for a file that builds would not read, a name that does not exist and a
    set that holds other cases; FileError for cases that cannot be read.
    """
    folder = registries.folder()
    if path.resolve().parent != folder.resolve():
        raise ExperimentError(f"{path} is not in {folder}, where builds read it: move it there.")
    experiment = read(path)
    # before its names: those of a file that is left out are unknown
    own = str(folder / path.name)
    for mistake in registries.all_experiments()[1]:
        if mistake.startswith(own):
            raise ExperimentError(mistake)
    judges = [row["judge_id"] for row in seeds.read(JUDGES, ("kind",)) if row["kind"] == "llm"]
    registries.check_known(experiment, known_test_sets(), judges)
    return experiment, {
        test_set: _imported(experiment, test_set, file)
        for test_set, file in experiment.case_files.items()
    }


def _imported(experiment: Experiment, test_set: str, file: Path) -> Imported:
    """Import a file of cases; what an earlier state of the file had in the set is replaced."""
    written = experiment.written
    stored = store.records_of(test_set).column("source_file").unique().to_pylist()
    if test_set in shipped_test_sets() or any(name != file.name for name in stored):
        raise ExperimentError(
            f"{experiment.path}: the test set {test_set} has other cases than {file.name}: rename "
            "the file, its name is that of the set."
        )
    shown = {
        column: where
        for _, composed in experiment.own_prompts
        for column, where in composed.columns.items()
    }
    choices = Choices(
        columns=written.columns,
        language=written.language,
        contains_phi=written.real_patients,
        keep=tuple(shown),
    )
    try:
        imported = import_cases(file, None, test_set, store.cases_folder(), choices, replace=True)
    except NoColumn as error:
        raise ExperimentError(f"{shown[error.column]}: {error}") from error
    except FileError as error:
        role = re.search(r"--column '?(\w+)=", str(error))
        key = f" In an experiment: `columns: {{{role[1]}: NAME}}`." if role else ""
        if role and role[1] in written.columns:
            reason = str(error).rstrip(".")
            raise experiment.lines.error(("columns", role[1]), reason) from error
        raise ExperimentError(f"{experiment.path}: {error}{key}") from error
    if store.is_for_reading(test_set):
        raise ExperimentError(
            f"{experiment.path}: no case of {file.name} has a gold diagnosis to be compared with: "
            "name its column under `columns`, as in {gold: Diagnosis}."
        )
    return imported


def run_of(experiment: Experiment, mode: str) -> dict[str, Any]:
    """The variables of a run that asks what the experiment asks, and nothing else."""
    written = experiment.written
    return {
        "mode": written.mode if mode == "live" else mode,
        "models": ",".join(experiment.models),
        "prompts": ",".join(experiment.prompts),
        "test_sets": ",".join(experiment.test_sets),
        "limit": "" if written.sample is None else str(written.sample.cases),
        "judges": ",".join(written.judges),
        "judge_runs": ",".join(sorted(experiment.configurations())) if written.judges else "live",
        "questions": "",
        "max_usd": f"{written.max_usd:g}",
        "execution": written.execution,
    }


def shown_answers(experiment: Experiment) -> list[str]:
    """A sentence for each case whose text stands in a table of solved cases of a prompt."""
    sentences = []
    for test_set in experiment.case_files:
        records = store.records_of(test_set)
        numbers, texts = (
            records.column(name).to_pylist() for name in ("record_number", "narrative")
        )
        for prompt, composed in experiment.own_prompts:
            shown = [
                store.case_id(test_set, number)
                for number, text in zip(numbers, texts, strict=True)
                if text and any(text.strip() in table for table in composed.tables)
            ]
            if shown:
                sentences.append(
                    f"{prompt.name} shows models the text of {len(shown)} of the cases in a table, "
                    "perhaps with the diagnosis: take them out of the table or of the cases "
                    f"({', '.join(shown[:SHOWN])}{', …' if len(shown) > SHOWN else ''})."
                )
    return sentences


def first_requests(experiment: Experiment, warehouse: Path) -> Iterator[str]:
    """The first request of each prompt, as it would be sent; after a plan, which builds them."""
    with duckdb.connect(str(warehouse), read_only=True) as database:
        rows = database.execute(
            "select configuration_id, case_id, system_text, user_text from "
            "int_experiments__generation_asks where is_selected qualify row_number() over "
            "(partition by split_part(configuration_id, '/', 2) "
            "order by configuration_id, case_id) = 1 order by configuration_id"
        ).fetchall()
    for configuration_id, case_id, system, user in rows:
        prompt = configuration_id.split("/")[1]
        if configuration_id not in experiment.configurations():
            continue
        yield f"\nThe first request of {prompt}, {case_id}, as it would be sent:"
        yield from ([f"## system\n{system}"] if system else [])
        yield f"## user\n{user}"
        yield f"Another: kernel29 prompts show {prompt} --case CASE_ID\n"


def check_callable(experiment: Experiment) -> None:
    """Raise UserError, with the remedy, if one of its models or judges could not be called, or may
    not see its cases."""
    preflight.check_run(**run_of(experiment, "live"))
    preflight.check_ledger()
    rows = {row["model_alias"]: row for row in registries.models()}
    in_files = bool(experiment.case_files) and experiment.written.real_patients
    in_sets = [
        name
        for name in experiment.test_sets
        if name not in experiment.case_files and _holds_patients(name)
    ]
    unapproved = [name for name in experiment.models if not _may_see_patients(rows[name])]
    if unapproved and (shown := _shows_patients(experiment)):
        raise UserError(
            f"{', '.join(unapproved)} may not see cases of real patients, and a table in {shown} "
            "has the text of one: take the row out of the table, or ask approved models."
        )
    if not unapproved or not (in_files or in_sets):
        return
    approve = (
        "`phi_approved: true` at a model of your own on this machine. A model elsewhere needs a "
        f"row in {MODELS} with its host and the two people who approve it."
    )
    models = ", ".join(unapproved)
    if in_files:
        raise UserError(
            f"{models} may not see cases of real patients, and {experiment.path} does not say that "
            f"its cases are others: write `real_patients: false` if they are, or {approve}"
        )
    raise UserError(
        f"{models} may not see cases of real patients, as those of {', '.join(in_sets)} count: if "
        "they are none, import them again with --no-phi --replace; if they are, write " + approve
    )


def _shows_patients(experiment: Experiment) -> str | None:
    """The first of the experiment's own prompts whose tables have the text of a real patient of any
    imported set."""
    tables = {prompt.name: composed.tables for prompt, composed in experiment.own_prompts}
    if not any(tables.values()):
        return None
    records = store.read_records(store.cases_folder())
    columns = [records.column(name).to_pylist() for name in ("contains_phi", "narrative")]
    texts = [text.strip() for is_phi, text in zip(*columns, strict=True) if is_phi and text]
    return next(
        (
            name
            for name, written in tables.items()
            if any(text and text in table for table in written for text in texts)
        ),
        None,
    )


def _holds_patients(test_set: str) -> bool:
    """Whether an imported set has cases of real patients; one that ships has none."""
    if not store.imported_files(store.cases_folder(), test_set):
        return False
    return any(store.records_of(test_set).column("contains_phi").to_pylist())


def counted_as_free(experiment: Experiment) -> Iterator[str]:
    """A sentence for each model elsewhere that has no price and so costs nothing in the plan, nor
    before the cap: what is free is a server of one's own."""
    priced = {
        (row["provider"], row["api_model"])
        for row in registries.prices(seeds.read(PRICES, ("provider", "api_model")))
    }
    own = {model.name for model in experiment.own_models}
    for row in registries.models():
        site = site_of(row["base_url"]) if row.get("base_url") else None
        if row["model_alias"] not in own or site is None or site.is_loopback:
            continue
        if (row["provider"], row["api_model"]) not in priced:
            yield (
                f"{row['model_alias']} has no price in {experiment.path.name} and counts as free, "
                f"also before the cap: if {site.host} bills, write input_usd_per_mtok and "
                "output_usd_per_mtok."
            )


def _may_see_patients(model: Mapping[str, str]) -> bool:
    """Whether it is approved where its address in the file leads, if it has one there."""
    site = site_of(model["base_url"]) if model.get("base_url") else None
    hosts: tuple[str, ...] = ()
    if registries.is_reviewed(model):
        hosts = (*PROVIDERS[model["provider"]].hosts, *listed(model["hosts"]))
    return model["phi_approved"] == "true" and (site is None or may_see_patients(site, hosts))
