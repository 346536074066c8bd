"""An experiment from Python: its file is written, and run as `kernel29 run` runs it."""

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, Unpack

import pandas as pd

from kernel29.results import Results
from python_llm import paths
from python_llm.errors import UserError
from python_llm.experiments import registries, writing
from python_llm.experiments.file import Experiment
from python_llm.experiments.prompts import NAME, TEXTS
from python_llm.job.admission.protection import made_private
from python_llm.job.planning import experiment as job

WRITTEN = "# Written by kernel29 in Python, and written again by its next call with this name.\n"

Cases: TypeAlias = pd.DataFrame | str | Path | Sequence[str | Path]
Named: TypeAlias = str | Path | Mapping[str, Any]


class NotAgreed(UserError):
    """Something would be sent, and nobody has agreed to it; the text has the plan."""


class RunFailed(UserError):
    """The build after the answers failed; what was answered is kept."""


class Options(TypedDict, total=False):
    """The other keys of an experiment file (docs/asking-models.md#an-experiment)."""

    judges: Sequence[str]
    sample: int | None
    seed: int | None
    repeats: int
    real_patients: bool
    columns: Mapping[str, str]
    language: str | None
    max_usd: float


def plan(
    cases: Cases,
    models: Sequence[Named],
    prompts: Sequence[Named],
    *,
    name: str = "notebook",
    **options: Unpack[Options],
) -> pd.DataFrame:
    """What `run` would send: a row for each model and judge with cells, answered ones, requests,
    tokens, expected and worst-case dollars, and minutes. Sends nothing. Raises Error, as `run`."""
    experiment = _written(cases, models, prompts, name, options)
    with _in_project():
        return pd.DataFrame(_planned(experiment))


def run(
    cases: Cases,
    models: Sequence[Named],
    prompts: Sequence[Named],
    *,
    name: str = "notebook",
    yes: bool = False,
    **options: Unpack[Options],
) -> Results:
    """Ask `models` about `cases` with `prompts`, score the answers and return them.

    cases: a table with the text and the gold diagnosis of each case (their columns are found by
    their names, or named in `columns`), the path of one, or names of test sets; models, prompts:
    aliases, or what an experiment file says in place: {"name": "mine", "api_model": "m", "address":
    "http://…"}, "short.txt", {"name": "short", "text": "Name five diseases.\\n\\n{case}"}; options:
    the other keys of the file. Everything is written to experiments/NAME.yml.

    What was answered before is not asked again. Raises NotAgreed, with the plan, if something would
    be sent and `yes` is not given; RunFailed when the build fails; Error for anything else that
    cannot be done, with the remedy.
    """
    from python_llm.job.build import build
    from python_llm.job.planning.narrowing import marts
    from python_llm.job.planning.plan import format_plan, show

    experiment = _written(cases, models, prompts, name, options)
    with _in_project():
        rows = _planned(experiment)
        if sum(row["n_requests"] for row in rows) and not yes:
            text = format_plan(rows, experiment.written.max_usd)
            raise NotAgreed(f"Nothing was sent: say yes=True to send this.\n{text}")
        show(rows, experiment.written.max_usd)
        if not build(job.run_of(experiment, "live"), marts=marts(experiment.written.judges)):
            raise RunFailed(
                "The build failed; the lines above say where. What was answered is kept: the same "
                "call goes on from there."
            )
        return Results(paths.served_database(), experiment)


@contextlib.contextmanager
def _in_project() -> Iterator[None]:
    """While dbt works, which it does in the folder of the project."""
    with contextlib.chdir(paths.project_root()), made_private():
        yield


def _planned(experiment: Experiment) -> list[dict[str, Any]]:
    from python_llm.job.build import plan as plan_of
    from python_llm.job.planning.plan import left_out

    for sentence in job.shown_answers(experiment):
        print(f"Warning: {sentence}")
    job.check_callable(experiment)
    run = job.run_of(experiment, "off")
    rows = plan_of(run)
    for sentence in left_out(run, paths.built_database()):
        print(sentence)
    return rows


def _written(
    cases: Cases,
    models: Sequence[Named],
    prompts: Sequence[Named],
    name: str,
    options: Options,
) -> Experiment:
    """The experiment, written to its file and read from there, with its cases imported."""
    unknown = options.keys() - Options.__annotations__
    if unknown:
        raise UserError(
            f"There is no option '{min(unknown)}': {', '.join(Options.__annotations__)}."
        )
    if not re.fullmatch(NAME, name):
        raise UserError(f"{name!r} is no name of an experiment: use letters, digits and _.")
    folder = registries.folder()
    path = folder / f"{name}.yml"
    if path.exists() and not path.read_text(encoding="utf-8").startswith(WRITTEN):
        raise UserError(f"{path} is there and was written by hand: give another name.")
    with made_private():
        folder.mkdir(parents=True, exist_ok=True)
        choices = writing.Choices(
            _cases(cases, folder, name),
            [_in_place(model, folder, name) for model in _listed(models)],
            [_in_place(prompt, folder, name) for prompt in _listed(prompts)],
            **{key: value for key, value in options.items() if value is not None},  # type: ignore[arg-type]
        )
        writing.write(path, WRITTEN + writing.text(choices, name, os.path.relpath(path)))
        return job.prepared(path)[0]


def _listed(named: Any) -> list[Any]:
    return [named] if isinstance(named, str | Path | Mapping) else list(named)


def _cases(cases: Cases, folder: Path, name: str) -> list[str]:
    """The cases as the file names them. A table is written beside it as Parquet, which keeps every
    text as it is."""
    if not isinstance(cases, pd.DataFrame):
        return [
            os.path.relpath(Path(case).resolve(), folder.resolve())
            if isinstance(case, Path) or Path(case).exists()
            else case
            for case in _listed(cases)
        ]
    if cases.empty:
        raise UserError("The table of cases has no rows.")
    file = folder / f"{name}{registries.TABLE_OF_CASES}"
    file.unlink(missing_ok=True)  # an older version has left it open to others
    texts = cases.astype(object).where(cases.notna(), None).rename(columns=str)
    try:
        texts.to_parquet(file, index=False)
    except (ValueError, TypeError, OSError) as error:  # columns of mixed types, for one
        raise UserError(f"The table of cases cannot be kept: {error}.") from error
    return [file.name]


def _in_place(named: Named, folder: Path, name: str) -> str | dict[str, Any]:
    """A model or prompt as the file names it; a text given here is written beside the file."""
    if isinstance(named, Mapping):
        values = dict(named)
        if "text" in values:
            file = folder / f"{name}_{values.get('name', 'prompt')}.txt"
            file.write_text(str(values.pop("text")), encoding="utf-8")
            values["file"] = file.name
        return values
    if Path(named).suffix in TEXTS:
        return os.path.relpath(Path(named).resolve(), folder.resolve())
    return str(named)
