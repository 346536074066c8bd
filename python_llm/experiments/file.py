"""Read one experiment file: cases, models, prompts, judges and a budget.

    cases: my.csv                    # files, folders and test sets
    models: [gpt4o, {name: mine, api_model: my-model, address: "http://localhost:8000/v1"}]
    prompts: [dxgpt_standard, short.txt]

`kernel29 new` writes one with every key. Paths are relative to the file. What it names in place, a
model or a prompt, is known under that name to all builds as long as the file is in `experiments/`.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BeforeValidator, Field, ValidationError

from python_llm.audit import secrets
from python_llm.experiments.lines import ExperimentError, Lines
from python_llm.experiments.prompts import NAME, TEXTS, Composed, Part, Prompt, Table, compose
from python_llm.files import check_regular
from python_llm.parsing import yaml_text
from python_llm.parsing.folding import registered_name
from python_llm.providers import PROVIDERS
from python_llm.registries.names import nearest

OWN_SERVER = "openai_compatible"
MOST_REPEATS = 20
REMEDIES = {
    "name": "use letters, digits, dots, hyphens and underscores",
    "address": "begin it with http:// or https://, and leave out user and password",
    "key_env": "give the name of an environment variable, not the key",
}
KINDS = {type(None): "an empty value", list: "this list", dict: "a key with a value"}
MEANINGS = {
    "list_type": "give a name, or a list of them",
    "too_short": "name at least one",
    "string_type": "give a text",
    "dict_type": "give keys with values, as in {temperature: 0}",
    "bool_type": "write true or false",
    "float_parsing": "give a number",
    "int_type": "give a whole number",
}
_SERVED_AS = re.compile(rf"({NAME}):(\S+)")


class Model(Part):
    """A model that is not in the registry. Prices are US dollars per million tokens; a server of
    one's own is free without them. phi_approved: whether it may see cases of real patients. like:
    a registered model that it equals but for the keys that are given."""

    name: Annotated[str, Field(pattern=f"^{NAME}$")]
    like: str | None = None
    api_model: Annotated[str, Field(min_length=1)] = ""
    provider: str = OWN_SERVER
    address: Annotated[str, Field(pattern=r"^https?://[^\s@/\\]+(/\S*)?$")] | None = None
    key_env: Annotated[str, Field(pattern=secrets.VARIABLE)] | None = None
    family: str = ""
    parameters: Annotated[dict[str, Any], Field(default_factory=lambda: {"temperature": 0})]
    max_output_tokens: Annotated[int, Field(gt=0)] = 1500
    max_concurrency: Annotated[int, Field(gt=0)] = 4
    requests_per_minute: Annotated[int, Field(gt=0)] | None = None
    tokens_per_minute: Annotated[int, Field(gt=0)] | None = None
    timeout_seconds: Annotated[float, Field(gt=0, strict=False)] = 120.0
    input_usd_per_mtok: Annotated[float, Field(ge=0, strict=False)] | None = None
    output_usd_per_mtok: Annotated[float, Field(ge=0, strict=False)] | None = None
    phi_approved: bool = False


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str | dict) else value


class Sample(Part):
    """So many cases of each set; another seed draws others."""

    cases: Annotated[int, Field(gt=0)]
    seed: int | None = None


def _as_sample(value: Any) -> Any:
    return {"cases": value} if isinstance(value, int) and not isinstance(value, bool) else value


class Written(Part):
    """The keys of a file, as they are written."""

    cases: Annotated[list[str], BeforeValidator(_as_list), Field(min_length=1)]
    models: Annotated[list[str | Model], BeforeValidator(_as_list), Field(min_length=1)]
    prompts: Annotated[list[str | Prompt], BeforeValidator(_as_list), Field(min_length=1)]
    judges: Annotated[list[str], BeforeValidator(_as_list), Field(default_factory=list)]
    columns: Annotated[dict[str, str], Field(default_factory=dict)]
    language: str | None = None
    real_patients: bool = True
    sample: Annotated[Sample | None, BeforeValidator(_as_sample)] = None
    repeats: Annotated[int, Field(ge=1, le=MOST_REPEATS)] = 1
    mode: Literal["live", "replay"] = "live"
    execution: Literal["direct", "batch"] = "direct"
    max_usd: Annotated[float, Field(ge=0, strict=False)] = 1.0


class Experiment:
    """An experiment file that was read.

    test_sets: every set it puts to models; case_files: those of them that are files, by the name
    of their set; models, prompts: aliases; own_models, own_prompts: what it names in place, prompts
    with their texts; served_as: the registered models it wants under another API name, (alias,
    registered alias, API model); repeated: (alias, number, alias of the first time), because each
    time a model is asked the same again is a configuration of its own.
    """

    def __init__(self, path: Path, written: Written, lines: Lines) -> None:
        self.path = path
        self.written = written
        self.lines = lines
        self.case_files: dict[str, Path] = {}
        self.test_sets: list[str] = []
        for number, case in enumerate(written.cases):
            self._add_cases(case, lines, number)
        self.own_models = [model for model in written.models if isinstance(model, Model)]
        self.served_as: list[tuple[str, str, str]] = []
        self.models = [self._alias(model) for model in written.models]
        _check_twice("models", self.models, lines)
        self.repeated = [
            (f"{alias}-r{number}", number, alias)
            for alias in self.models
            for number in range(2, written.repeats + 1)
        ]
        self.models += [alias for alias, *_ in self.repeated]
        self.own_prompts: list[tuple[Prompt, Composed]] = []
        self.prompts: list[str] = []
        for number, prompt in enumerate(written.prompts):
            self._add_prompt(prompt, lines, number)
        _check_twice("prompts", self.prompts, lines)

    def _add_cases(self, case: str, lines: Lines, number: int) -> None:
        file = self.path.parent / case
        if file.exists() or "/" in case or Path(case).suffix:
            if not file.exists():
                raise lines.error(("cases", number), f"there is no file {file}")
            case = registered_name(file.stem)
            if case in self.test_sets:
                raise lines.error(("cases", number), f"{case} is there already: rename {file}")
            self.case_files[case] = file
        elif case in self.test_sets:
            raise lines.error(("cases", number), f"{case} is there already: leave one out")
        self.test_sets.append(case)

    def _add_prompt(self, prompt: str | Prompt, lines: Lines, number: int) -> None:
        if isinstance(prompt, str) and Path(prompt).suffix in TEXTS:
            prompt = Prompt(name=registered_name(Path(prompt).stem), file=prompt)
        if isinstance(prompt, Prompt):
            try:
                self.own_prompts.append((prompt, compose(prompt, self.path.parent)))
            except ExperimentError as error:
                raise lines.error(("prompts", number), str(error).rstrip(".")) from error
        self.prompts.append(prompt.name if isinstance(prompt, Prompt) else prompt)

    def _alias(self, model: str | Model) -> str:
        if isinstance(model, Model):
            return model.name
        if named := _SERVED_AS.fullmatch(model):
            alias = re.sub(r"[^A-Za-z0-9_.-]+", "_", named[2])
            self.served_as.append((alias, named[1], named[2]))
            return alias
        return model

    @property
    def name(self) -> str:
        return self.path.stem

    def configurations(self) -> set[str]:
        """What it asks, written model/prompt/test_set."""
        parts = itertools.product(self.models, self.prompts, self.test_sets)
        return {"/".join(names) for names in parts}

    def texts(self) -> Iterator[Path]:
        """The files of its own prompts."""
        for prompt, _ in self.own_prompts:
            yield from (self.path.parent / file for file in prompt.files())


def read(path: Path) -> Experiment:
    """The experiment in a file. Raises ExperimentError with the line for the first mistake."""
    try:
        check_regular(path)
        text = path.read_text(encoding="utf-8")
        lines = Lines(path, yaml_text.node_of(text))
        lines.check_once()
        values = yaml_text.value_of(text)
    except UnicodeDecodeError as error:
        raise ExperimentError(f"{path}: not UTF-8: save the file as UTF-8.") from error
    except OSError as error:
        raise ExperimentError(
            f"{path} cannot be read ({error.strerror}): `kernel29 new` writes an experiment."
        ) from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ExperimentError(
            f"{path}, line {line}: not YAML ({error.problem}): mend "
            "that line or the one before it; `kernel29 new` writes an experiment to compare with."
        ) from error
    if not isinstance(values, dict):
        raise lines.error((), "an experiment has the keys cases, models and prompts")
    try:
        written = Written.model_validate(values)
    except ValidationError as error:
        raise _in_words(error, values, lines) from None
    for number, model in enumerate(written.models):
        if isinstance(model, Model):
            _check_model(model, lines, number)
    return Experiment(path, written, lines)


def _check_twice(key: str, names: Sequence[str], lines: Lines) -> None:
    for number, name in enumerate(names):
        if name in names[:number]:
            raise lines.error((key, number), f"{name} is there already: leave one out")


def _check_model(model: Model, lines: Lines, number: int) -> None:
    location = ("models", number)
    if (model.input_usd_per_mtok is None) != (model.output_usd_per_mtok is None):
        reason = f"{model.name} needs both input_usd_per_mtok and output_usd_per_mtok, or neither"
        raise lines.error(location, reason)
    if model.provider not in PROVIDERS:
        reason = f"there is no provider {model.provider!r}: use {', '.join(PROVIDERS)}"
        raise lines.error((*location, "provider"), reason)
    if model.like is not None:
        return
    if not model.api_model:
        reason = f"{model.name} needs its `api_model`, the name its provider knows it by, or `like`"
        raise lines.error(location, reason)
    if model.provider == OWN_SERVER and not model.address:
        reason = f"{model.name} needs the `address` of its server, as in http://localhost:8000/v1"
        raise lines.error(location, reason)


def _in_words(error: ValidationError, values: Mapping[str, Any], lines: Lines) -> ExperimentError:
    # a misspelt key is also a missing one; of the forms a value may have, the longest says most
    mistake = max(
        error.errors(), key=lambda entry: (entry["type"] == "extra_forbidden", len(entry["loc"]))
    )
    location = [step for step in mistake["loc"] if not str(step).startswith("function-")]
    types = {"str", "Model", "Prompt", "Table"}
    keys = [step for step in location if isinstance(step, str) and step not in types]
    key = keys[-1] if keys else ""
    if mistake["type"] == "extra_forbidden":
        parts = {
            "models": Model.model_fields,
            "prompts": {**Prompt.model_fields, **Table.model_fields},
            "sample": Sample.model_fields,
        }
        fields = parts.get(str(location[0]), {}) if len(location) > 1 else Written.model_fields
        return lines.error(
            location, f"there is no key {key!r}. The nearest: {nearest(key, fields)}"
        )
    if mistake["type"] == "missing":
        return lines.error(location, f"the key {key!r} is missing")
    value = mistake["input"]
    shown = KINDS.get(type(value), repr(value))
    # somebody has put the key itself there, or a password
    if key == "key_env" or (key == "address" and "@" in str(value)):
        shown = "…"
    remedy = MEANINGS.get(mistake["type"], mistake["msg"].lower())
    if "pattern" in mistake["type"]:
        remedy = REMEDIES.get(key, "write it differently")
    return lines.error(location, f"{key}: {shown} cannot be used: {remedy}")
