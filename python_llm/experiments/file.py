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
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from python_llm.errors import UserError
from python_llm.providers import PROVIDERS
from python_llm.registries.names import nearest

NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}"
OWN_SERVER = "openai_compatible"
PROMPT_TEXTS = (".txt", ".md")
# What the text of a prompt may have filled in, and what SQL calls it.
PLACEHOLDERS = {"case": "case_narrative", "similar_cases": "similar_cases"}
REMEDIES = {
    "name": "use letters, digits, dots, hyphens and underscores",
    "address": "begin it with http:// or https://",
    "key_env": "give the name of an environment variable, not the key",
}
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SERVED_AS = re.compile(rf"({NAME}):(\S+)")


class ExperimentError(UserError):
    """An experiment file that cannot be used; the text names file, line and remedy."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Model(_Part):
    """A model that is not in the registry. Prices are US dollars per million tokens; a server of
    one's own is free without them. phi_approved: whether it may see cases of real patients."""

    name: Annotated[str, Field(pattern=f"^{NAME}$")]
    api_model: Annotated[str, Field(min_length=1)]
    provider: str = OWN_SERVER
    address: Annotated[str, Field(pattern=r"^https?://\S+$")] | None = None
    key_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None
    family: str = ""
    parameters: dict[str, Any] = {"temperature": 0}
    max_output_tokens: Annotated[int, Field(gt=0)] = 1500
    max_concurrency: Annotated[int, Field(gt=0)] = 4
    requests_per_minute: Annotated[int, Field(gt=0)] | None = None
    tokens_per_minute: Annotated[int, Field(gt=0)] | None = None
    timeout_seconds: Annotated[float, Field(gt=0, strict=False)] = 120.0
    input_usd_per_mtok: Annotated[float, Field(ge=0, strict=False)] | None = None
    output_usd_per_mtok: Annotated[float, Field(ge=0, strict=False)] | None = None
    phi_approved: bool = False


class Prompt(_Part):
    """A prompt of one's own: `file` is what the user says, `system` the system text, if any."""

    name: Annotated[str, Field(pattern=f"^{NAME}$")]
    file: str
    system: str | None = None
    language: str = "en"
    output: Literal["numbered_list", "json"] = "numbered_list"


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str | dict) else value


class Written(_Part):
    """The keys of a file, as they are written."""

    cases: Annotated[list[str], BeforeValidator(_as_list), Field(min_length=1)]
    models: Annotated[list[str | Model], BeforeValidator(_as_list), Field(min_length=1)]
    prompts: Annotated[list[str | Prompt], BeforeValidator(_as_list), Field(min_length=1)]
    judges: Annotated[list[str], BeforeValidator(_as_list)] = []
    columns: dict[str, str] = {}
    language: str | None = None
    real_patients: bool = True
    sample: Annotated[int, Field(gt=0)] | None = None
    max_usd: Annotated[float, Field(ge=0, strict=False)] = 1.0


class Experiment:
    """An experiment file that was read.

    test_sets: every set it puts to models; case_files: those of them that are files, by the name
    of their set; models: aliases; own_models, own_prompts: what it names in place; served_as: the
    registered models it wants under another API name, (alias, registered alias, API model).
    """

    def __init__(self, path: Path, written: Written, lines: "Lines") -> None:
        self.path = path
        self.written = written
        self.case_files: dict[str, Path] = {}
        self.test_sets: list[str] = []
        for number, case in enumerate(written.cases):
            file = path.parent / case
            if file.exists() or "/" in case or Path(case).suffix:
                if not file.exists():
                    raise lines.error(("cases", number), f"there is no file {file}")
                case = _as_name(file.stem)
                if case in self.test_sets:
                    raise lines.error(("cases", number), f"{case} is there already: rename {file}")
                self.case_files[case] = file
            self.test_sets.append(case)
        self.own_models = [model for model in written.models if isinstance(model, Model)]
        self.served_as: list[tuple[str, str, str]] = []
        self.models = [self._alias(model) for model in written.models]
        self.own_prompts = [
            _text_file(prompt, path, lines, number)
            for number, prompt in enumerate(written.prompts)
            if isinstance(prompt, Prompt) or Path(prompt).suffix in PROMPT_TEXTS
        ]
        own = iter(self.own_prompts)
        self.prompts = [
            next(own).name
            if isinstance(prompt, Prompt) or Path(prompt).suffix in PROMPT_TEXTS
            else prompt
            for prompt in written.prompts
        ]

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
        for prompt in self.own_prompts:
            yield from (self.path.parent / file for file in (prompt.file, prompt.system) if file)


class Lines:
    """Where each key and value of a YAML file stands."""

    def __init__(self, path: Path, root: yaml.Node | None) -> None:
        self._path = path
        self._root = root

    def error(self, location: Sequence[str | int], reason: str) -> ExperimentError:
        return ExperimentError(f"{self._path}, line {self._line(location)}: {reason}.")

    def _line(self, location: Sequence[str | int]) -> int:
        node, line = self._root, 1
        for step in location:
            if isinstance(node, yaml.MappingNode):
                entry = next((pair for pair in node.value if pair[0].value == step), None)
                if entry is None:
                    continue  # a name of a type, not of a key
                line, node = entry[0].start_mark.line + 1, entry[1]
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
                node = node.value[step]
                line = node.start_mark.line + 1
        return line


def read(path: Path) -> Experiment:
    """The experiment in a file. Raises ExperimentError with the line for the first mistake."""
    try:
        text = path.read_text(encoding="utf-8")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        values = yaml.safe_load(text)
    except UnicodeDecodeError as error:
        raise ExperimentError(f"{path}: not UTF-8: save the file as UTF-8.") from error
    except OSError as error:
        raise ExperimentError(
            f"{path} cannot be read ({error.strerror}): `kernel29 new` writes an experiment."
        ) from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ExperimentError(f"{path}, line {line}: not YAML: {error.problem}.") from error
    lines = Lines(path, root)
    if not isinstance(values, dict):
        raise lines.error((), "an experiment has the keys cases, models and prompts")
    try:
        written = Written.model_validate(values)
    except ValidationError as error:
        raise _in_words(error, values, lines) from None
    for number, model in enumerate(written.models):
        if isinstance(model, Model) and model.provider not in PROVIDERS:
            reason = f"there is no provider {model.provider!r}: use {', '.join(PROVIDERS)}"
            raise lines.error(("models", number, "provider"), reason)
        if isinstance(model, Model) and model.provider == OWN_SERVER and not model.address:
            reason = (
                f"{model.name} needs the `address` of its server, as in http://localhost:8000/v1"
            )
            raise lines.error(("models", number), reason)
    return Experiment(path, written, lines)


def _in_words(error: ValidationError, values: Mapping[str, Any], lines: Lines) -> ExperimentError:
    # a misspelt key is also a missing one; of the forms a value may have, the longest says most
    mistake = max(
        error.errors(), key=lambda entry: (entry["type"] == "extra_forbidden", len(entry["loc"]))
    )
    location = [step for step in mistake["loc"] if not str(step).startswith("function-")]
    key = next((step for step in reversed(location) if isinstance(step, str)), "")
    if mistake["type"] == "extra_forbidden":
        parts = {"models": Model.model_fields, "prompts": Prompt.model_fields}
        fields = parts.get(str(location[0]), {}) if len(location) > 1 else Written.model_fields
        return lines.error(
            location, f"there is no key {key!r}. The nearest: {nearest(key, fields)}"
        )
    if mistake["type"] == "missing":
        return lines.error(location, f"the key {key!r} is missing")
    value = mistake["input"]
    shown = value if isinstance(value, str | int | float) else type(value).__name__
    if key == "key_env":  # somebody has put the key itself there
        shown = "…"
    remedy = REMEDIES.get(key) if "pattern" in mistake["type"] else mistake["msg"].lower()
    return lines.error(location, f"{key}: {shown!r} cannot be used: {remedy}")


def _text_file(prompt: str | Prompt, path: Path, lines: Lines, number: int) -> Prompt:
    """A prompt whose files were looked at: they exist, are UTF-8 and ask for what can be filled."""
    if isinstance(prompt, str):
        prompt = Prompt(name=_as_name(Path(prompt).stem), file=prompt)
    texts = []
    for file in filter(None, (prompt.file, prompt.system)):
        try:
            texts.append((file, (path.parent / file).read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError) as error:
            reason = f"the prompt {file} cannot be read ({error}): give a UTF-8 text beside {path}"
            raise lines.error(("prompts", number), reason) from error
    for file, text in texts:
        for match in _PLACEHOLDER.finditer(text):
            if match[1] not in PLACEHOLDERS:
                line = text.count("\n", 0, match.start()) + 1
                raise ExperimentError(
                    f"{path.parent / file}, line {line}: nothing fills {match[0]}: use "
                    f"{' or '.join('{' + name + '}' for name in PLACEHOLDERS)}."
                )
    if not any("{case}" in text for _, text in texts):
        reason = f"the prompt {prompt.file} shows no case: write {{case}} where its text goes"
        raise lines.error(("prompts", number), reason)
    return prompt


def template(path: Path) -> str:
    """The text of a prompt with its placeholders as SQL calls them."""
    text = path.read_text(encoding="utf-8").strip("\n")
    return _PLACEHOLDER.sub(lambda match: "{" + PLACEHOLDERS[match[1]] + "}", text)


def _as_name(stem: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "_", stem).strip("_") or "unnamed"
