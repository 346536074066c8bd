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
from python_llm.experiments.file import Experiment, ExperimentError, Model, Prompt, read, template
from python_llm.registries.names import MODELS, PRICES, PROMPTS, nearest

Row = dict[str, str]
ABOUT = ("description", "source")  # columns that only say where a row is from
# The columns of the tables that dbt reads: those of the seed, and what only files have. All are
# texts, as in the seeds; an empty one is null.
COLUMNS = {
    "model": (
        *("model_alias", "kind", "provider", "api_model", "family", "base_url", "base_url_env"),
        *("api_key_env", "parameters", "max_output_tokens", "max_concurrency"),
        *("requests_per_minute", "tokens_per_minute", "requests_per_day", "tokens_per_day"),
        *("timeout_seconds", "phi_approved", "is_retired", "description", "source"),
    ),
    "price": (
        *("provider", "api_model", "valid_from", "valid_to", "input_usd_per_mtok"),
        *("cached_input_usd_per_mtok", "output_usd_per_mtok", "batch_factor", "source"),
    ),
    "prompt": (
        *("prompt_alias", "task", "language", "output_format", "placeholders", "description"),
        *("system_text", "user_text"),
    ),
    "configuration": ("model_alias", "prompt_alias", "test_set"),
}


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
    }
    own = [
        *(("model", row["model_alias"], row) for row in _models([experiment])),
        *(("prompt", row["prompt_alias"], row) for row in _prompts([experiment])),
        *(("price", _priced(row), row) for row in _prices([experiment])),
        *(
            ("test set", name, {"file": str(file.resolve())})
            for name, file in experiment.case_files.items()
        ),
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
                + ("make them one." if kind == "price" else "give one of them another name.")
            )
        taken[kind, name] = (says, path)


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
    known = {
        "model": ({row["model_alias"] for row in models()}, experiment.models),
        "prompt": (
            {row["prompt_alias"] for row in prompts() if row["task"] == "generation"},
            experiment.prompts,
        ),
        "test set": ({*test_sets, *experiment.case_files}, experiment.test_sets),
        "judge": ({*judges}, experiment.written.judges),
    }
    for kind, (names, wanted) in known.items():
        for name in wanted:
            if name not in names:
                raise ExperimentError(
                    f"{experiment.path}: there is no {kind} '{name}'. The nearest: "
                    f"{nearest(name, names)}."
                )


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
    registry = {row["model_alias"]: row for row in seeds.read(MODELS)}
    rows = {}
    for experiment in experiments:
        for model in experiment.own_models:
            rows[model.name] = _model_row(model, experiment)
        for alias, registered, api_model in experiment.served_as:
            if registered not in registry:
                raise ExperimentError(
                    f"{experiment.path}: {registered}:{api_model}: there is no model "
                    f"'{registered}'. The nearest: {nearest(registered, registry)}."
                )
            own = {"model_alias": alias, "api_model": api_model, "base_url": ""}
            rows[alias] = {**registry[registered], **own, "source": str(experiment.path.name)}
    return list(rows.values())


def _model_row(model: Model, experiment: Experiment) -> Row:
    return {
        "model_alias": model.name,
        "kind": "llm",
        "provider": model.provider,
        "api_model": model.api_model,
        "family": model.family or model.name,
        "base_url": model.address or "",
        "base_url_env": "",
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
        "is_retired": "false",
        "description": f"Named in {experiment.path.name}.",
        "source": experiment.path.name,
    }


def _prices(experiments: Iterable[Experiment]) -> list[Row]:
    rows = {}
    for experiment in experiments:
        for model in experiment.own_models:
            if model.input_usd_per_mtok is None or model.output_usd_per_mtok is None:
                continue
            rows[model.provider, model.api_model] = {
                "provider": model.provider,
                "api_model": model.api_model,
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
        for prompt in experiment.own_prompts:
            rows[prompt.name] = _prompt_row(prompt, experiment)
    return list(rows.values())


def _prompt_row(prompt: Prompt, experiment: Experiment) -> Row:
    texts = {
        "user_text": template(experiment.path.parent / prompt.file),
        "system_text": template(experiment.path.parent / prompt.system) if prompt.system else "",
    }
    filled = [name for name in ("case_narrative", "similar_cases") if _fills(name, texts)]
    return {
        "prompt_alias": prompt.name,
        "task": "generation",
        "language": prompt.language,
        "output_format": prompt.output,
        "placeholders": ";".join(filled),
        "description": f"{prompt.file}, named in {experiment.path.name}.",
        **texts,
    }


def _fills(name: str, texts: Mapping[str, str]) -> bool:
    return any("{" + name + "}" in text for text in texts.values())


def _configurations(experiments: Iterable[Experiment]) -> list[Row]:
    return [
        {
            "model_alias": "|".join(experiment.models),
            "prompt_alias": "|".join(experiment.prompts),
            "test_set": "|".join(experiment.test_sets),
        }
        for experiment in experiments
    ]


def _text(number: int | None) -> str:
    return "" if number is None else str(number)
