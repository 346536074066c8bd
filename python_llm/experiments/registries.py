"""The registries of models, prices, prompts and configurations, with what experiments add.

What is shared stands in seeds. What one experiment names in place stands in its file, and is known
to every command and every build as long as the file is in the folder of experiments.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa

from python_llm import paths, seeds
from python_llm.experiments.file import Experiment, Model, read
from python_llm.experiments.lines import ExperimentError
from python_llm.experiments.prompts import Composed, Prompt
from python_llm.registries.names import MODELS, PRICES, PROMPTS, asked_as_one, nearest, told_as_one

Row = dict[str, str]
SAME_OR_OTHER = {"price": "make them one.", "sample of": "give both one seed."}
ABOUT = ("description", "source")  # columns that only say where a row is from
SPELLED = {"address": "base_url", "key_env": "api_key_env"}  # keys of a file: columns of the seed
# The columns of the tables that dbt reads: those of the seed, and what only files have. All are
# texts, as in the seeds; an empty one is null.
COLUMNS = {
    "model": (
        *("model_alias", "kind", "provider", "api_model", "family", "base_url", "base_url_env"),
        *("hosts", "api_key_env", "parameters", "max_output_tokens", "max_concurrency"),
        *("requests_per_minute", "tokens_per_minute", "requests_per_day", "tokens_per_day"),
        *("timeout_seconds", "phi_approved", "approved_by", "reviewed_by"),
        *("is_retired", "description", "source", "repeat_number"),
    ),
    "price": (
        *("provider", "api_model", "valid_from", "valid_to", "input_usd_per_mtok"),
        *("cached_input_usd_per_mtok", "output_usd_per_mtok", "batch_factor", "source"),
    ),
    "prompt": (
        *("prompt_alias", "task", "language", "output_format", "placeholders", "description"),
        *("system_text", "user_text"),
    ),
    "configuration": ("model_alias", "prompt_alias", "test_set", "sample_seed"),
}


# how the table of cases is named that the Python package writes beside an experiment
TABLE_OF_CASES = "_cases.parquet"


def folder() -> Path:
    """Where experiment files are kept."""
    return paths.resolve(os.environ.get("KERNEL29_EXPERIMENTS_DIR", "experiments"))


def all_experiments(of: Path | None = None) -> tuple[list[Experiment], list[str]]:
    """Every experiment of the folder, or of another one, in the order of their names, and a
    sentence for each file that cannot be used: it is left out, and stops nobody else's run."""
    experiments: list[Experiment] = []
    mistakes: list[str] = []
    taken: dict[tuple[str, str], tuple[Row, Path]] = {}
    for path in _files(of):
        try:
            experiment = read(path)
            _check_names(experiment, taken)
            _check_addresses(experiment)
        except ExperimentError as error:
            mistakes.append(f"{error} The experiment is left out.")
        else:
            experiments.append(experiment)
    return experiments, mistakes


def _check_names(experiment: Experiment, taken: dict[tuple[str, str], tuple[Row, Path]]) -> None:
    """Raise ExperimentError for a name in place that stands for something else elsewhere."""
    shared = {
        "model": (MODELS, {row["model_alias"] for row in seeds.read(MODELS)}),
        "prompt": (PROMPTS, {row["prompt_alias"] for row in seeds.read(PROMPTS)}),
        "price": (PRICES, {_priced(row) for row in seeds.read(PRICES)}),
        "test set": ("", set()),
        "sample of": ("", set()),
    }
    own = [
        *(("model", row["model_alias"], row) for row in _models([experiment])),
        *(("prompt", row["prompt_alias"], row) for row in _prompts([experiment])),
        *(("price", _priced(row), row) for row in _prices([experiment])),
        *(
            ("test set", name, {"file": str(file.resolve())})
            for name, file in experiment.case_files.items()
        ),
        *(("sample of", name, row) for name, row in _samples(experiment)),
    ]
    for kind, name, row in own:
        says = {column: text for column, text in row.items() if column not in ABOUT}
        registry, known = shared[kind]
        if name in known:
            raise ExperimentError(
                f"{experiment.path}: {registry} has a {kind} {name}: "
                + ("leave yours out." if kind == "price" else "give yours another name.")
            )
        other, path = taken.get((kind, name), (says, experiment.path))
        if other != says:
            raise ExperimentError(
                f"{experiment.path}: {path} has another {kind} {name}: "
                + SAME_OR_OTHER.get(kind, "give one of them another name.")
            )
        taken[kind, name] = (says, path)


def _check_addresses(experiment: Experiment) -> None:
    """Raise ExperimentError for two models of one file that one server would answer for."""
    seed = {row["model_alias"]: row for row in seeds.read(MODELS)}
    if pair := asked_as_one(_asked(experiment, seed)):
        number = experiment.models.index(pair[1]["model_alias"])
        raise experiment.lines.error(("models", number), told_as_one(*pair))


def asked_elsewhere(experiment: Experiment) -> list[str]:
    """Sentences on other files of the folder with a model that makes the requests of one of this
    file at another address: each file alone is right, and the second to run gets the answers of the
    first from the ledger."""
    seed = {row["model_alias"]: row for row in seeds.read(MODELS)}
    own = _asked(experiment, seed)
    return [
        f"{other.path.name}: {told_as_one(mine, theirs)}."
        for other in all_experiments()[0]
        if other.path.resolve() != experiment.path.resolve()
        for theirs in _asked(other, seed)
        for mine in own
        if asked_as_one([mine, theirs])
    ]


def _asked(experiment: Experiment, seed: Mapping[str, Row]) -> list[Row]:
    """The models an experiment asks."""
    known = {**seed, **{row["model_alias"]: row for row in _models([experiment])}}
    return [known[alias] for alias in experiment.models if alias in known]


def _samples(experiment: Experiment) -> list[tuple[str, Row]]:
    sample = experiment.written.sample
    if sample is None:
        return []
    row = {"seed": _text(sample.seed)}
    return [(configuration, row) for configuration in sorted(experiment.configurations())]


def _priced(row: Row) -> str:
    return f"{row['provider']}, {row['api_model']}"


def models() -> list[Row]:
    """The rows of the registry of models, and those of experiments, with the columns of the seed
    and `base_url`, an address in place."""
    rows = [{**row, "base_url": ""} for row in seeds.read(MODELS)]
    return rows + _models(all_experiments()[0])


def prices(of_seed: Iterable[Row]) -> list[Row]:
    """The rows of the seed of prices, and those of experiments."""
    return [*of_seed, *_prices(all_experiments()[0])]


def prompts() -> list[Row]:
    """The rows of the registry of prompts, and those of experiments."""
    return [*seeds.read(PROMPTS), *_prompts(all_experiments()[0])]


def configurations() -> list[Row]:
    """What the experiments ask, as rows of the seed of configurations."""
    return _configurations(all_experiments()[0])


def check_known(experiment: Experiment, test_sets: Iterable[str], judges: Iterable[str]) -> None:
    """Raise ExperimentError for the first name of an experiment that does not exist."""
    own = {row["model_alias"] for row in _models([experiment])}
    generating = {row["prompt_alias"] for row in prompts() if row["task"] == "generation"}
    known = {
        "models": ({row["model_alias"] for row in models()} | own, experiment.models),
        "prompts": (generating, experiment.prompts),
        "cases": ({*test_sets, *experiment.case_files}, experiment.test_sets),
        "judges": ({*judges}, experiment.written.judges),
    }
    called = {"models": "model", "prompts": "prompt", "cases": "test set", "judges": "judge"}
    for key, (names, wanted) in known.items():
        for number, name in enumerate(wanted):
            if name not in names:
                reason = f"there is no {called[key]} '{name}'. The nearest: {nearest(name, names)}"
                raise experiment.lines.error((key, number), reason)


def experiment_table(name: str) -> pa.Table:
    """The rows of a table of COLUMNS for dbt."""
    rows = {
        "model": _models,
        "price": _prices,
        "prompt": _prompts,
        "configuration": _configurations,
    }[name](all_experiments()[0])
    schema = pa.schema([(column, pa.string()) for column in COLUMNS[name]])
    texts = [{column: row.get(column) or None for column in COLUMNS[name]} for row in rows]
    return pa.Table.from_pylist(texts, schema)


def read_files(of: Path | None = None) -> list[Path]:
    """Every file that the experiments of the folder, or of another one, are made of; those that
    cannot be used included."""
    texts = {text for experiment in all_experiments(of)[0] for text in experiment.texts()}
    return sorted({*_files(of), *texts})


def _files(of: Path | None) -> list[Path]:
    of = of or folder()
    return sorted([*of.glob("*.yml"), *of.glob("*.yaml")])


def _models(experiments: Iterable[Experiment]) -> list[Row]:
    registry = {row["model_alias"]: {**row, "base_url": ""} for row in seeds.read(MODELS)}
    rows: dict[str, Row] = {}
    for experiment in experiments:
        source = {"source": experiment.path.name}
        for model in experiment.own_models:
            rows[model.name] = _model_row(model, experiment, registry)
        for alias, registered, api_model in experiment.served_as:
            row = _registered(registered, experiment, registry)
            rows[alias] = {**row, "model_alias": alias, "api_model": api_model, **source}
        for alias, number, first in experiment.repeated:
            if first in rows or first in registry:  # else the first is told of
                row = rows.get(first) or registry[first]
                repeat = {"model_alias": alias, "repeat_number": str(number), **source}
                rows[alias] = {**row, **repeat}
    return list(rows.values())


def _registered(name: str, experiment: Experiment, registry: Mapping[str, Row]) -> Row:
    if name not in registry:
        number = next(
            number
            for number, model in enumerate(experiment.written.models)
            if (model.like == name if isinstance(model, Model) else model.startswith(f"{name}:"))
        )
        reason = f"there is no model '{name}'. The nearest: {nearest(name, registry)}"
        raise experiment.lines.error(("models", number), reason)
    return registry[name]


def is_reviewed(model: Mapping[str, str]) -> bool:
    """Whether two people answer for its approval, as stg_registry__llm_model says it."""
    people = {(model.get(name) or "").strip().lower() for name in ("approved_by", "reviewed_by")}
    return model["phi_approved"] == "true" and len(people - {""}) == 2


def _model_row(model: Model, experiment: Experiment, registry: Mapping[str, Row]) -> Row:
    row = {
        "model_alias": model.name,
        "kind": "llm",
        "provider": model.provider,
        "api_model": model.api_model,
        "family": model.family or model.name,
        "base_url": model.address or "",
        "base_url_env": "",
        "hosts": "",
        "api_key_env": model.key_env or "",
        "parameters": json.dumps(model.parameters),
        "max_output_tokens": str(model.max_output_tokens),
        "max_concurrency": str(model.max_concurrency),
        "requests_per_minute": _text(model.requests_per_minute),
        "tokens_per_minute": _text(model.tokens_per_minute),
        "requests_per_day": "",
        "tokens_per_day": "",
        "timeout_seconds": str(model.timeout_seconds),
        "phi_approved": str(model.phi_approved).lower(),
        "approved_by": "",  # one person wrote the file: it approves what stays on this machine
        "reviewed_by": "",
        "is_retired": "false",
        "description": f"Named in {experiment.path.name}.",
        "source": experiment.path.name,
    }
    if model.like is None:
        return row
    like = _registered(model.like, experiment, registry)
    keys = {SPELLED.get(key, key) for key in model.model_fields_set}
    own = {"model_alias", "description", "source", *keys}
    if "phi_approved" in keys:
        own |= {"approved_by", "reviewed_by"}
    return {**like, **{column: text for column, text in row.items() if column in own}}


def _prices(experiments: Iterable[Experiment]) -> list[Row]:
    rows = {}
    for experiment in experiments:
        named = {row["model_alias"]: row for row in _models([experiment])}
        for model in experiment.own_models:
            if model.input_usd_per_mtok is None or model.output_usd_per_mtok is None:
                continue
            provider, api_model = (named[model.name][key] for key in ("provider", "api_model"))
            rows[provider, api_model] = {
                "provider": provider,
                "api_model": api_model,
                "valid_from": "2000-01-01",
                "valid_to": "",
                "input_usd_per_mtok": str(model.input_usd_per_mtok),
                "cached_input_usd_per_mtok": str(model.input_usd_per_mtok),
                "output_usd_per_mtok": str(model.output_usd_per_mtok),
                "batch_factor": "",
                "source": experiment.path.name,
            }
    return list(rows.values())


def _prompts(experiments: Iterable[Experiment]) -> list[Row]:
    rows = {}
    for experiment in experiments:
        for prompt, composed in experiment.own_prompts:
            rows[prompt.name] = _prompt_row(prompt, composed, experiment)
    return list(rows.values())


def _prompt_row(prompt: Prompt, composed: Composed, experiment: Experiment) -> Row:
    return {
        "prompt_alias": prompt.name,
        "task": "generation",
        "language": prompt.language,
        "output_format": prompt.output,
        "placeholders": ";".join(composed.placeholders),
        "description": f"{Path(prompt.file).name}, named in {experiment.path.name}.",
        "user_text": composed.user,
        "system_text": composed.system,
    }


def _configurations(experiments: Iterable[Experiment]) -> list[Row]:
    return [
        {
            "model_alias": "|".join(experiment.models),
            "prompt_alias": "|".join(experiment.prompts),
            "test_set": "|".join(experiment.test_sets),
            "sample_seed": _text(sample.seed if (sample := experiment.written.sample) else None),
        }
        for experiment in experiments
    ]


def _text(number: int | None) -> str:
    return "" if number is None else str(number)
