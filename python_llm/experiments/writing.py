"""Write an experiment file with every key explained."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from python_llm.experiments.lines import ExperimentError

TEMPLATE = """\
# {name}: run it with
#     kernel29 run {path}
# It prints what it would send and the most it can cost, and asks before it sends anything.

# Files of cases, and test sets by name (kernel29 test-sets list). Paths are relative to this file.
# A table has one row per case with its text and its gold diagnosis; an id is kept.
cases: {cases}
{columns}
{language}
real_patients: {real_patients}    # true: only models that are approved for patients' data see them
{sample}
{repeats}

# Models by alias (kernel29 models list), or named here. A server of your own is free unless
# you give prices; keys stay in the environment.
models:
{models}
#   - name: my_model
#     api_model: my-model            # what its provider calls it
#     provider: openai_compatible    # whose API it speaks; another one needs no address
#     address: http://localhost:8000/v1
#     key_env: MY_SERVER_KEY         # the variable that has the key, if it wants one
#     family: my_model               # its maker: no model judges answers of its own family
#     parameters: {{temperature: 0}}
#     max_output_tokens: 1500        # where an answer is cut off
#     max_concurrency: 4             # requests under way at once
#     requests_per_minute: 60        # unlimited if left out, as tokens_per_minute
#     tokens_per_minute: 100000      # of input and output
#     timeout_seconds: 120           # after which a request has failed
#     input_usd_per_mtok: 0.5        # US dollars per million tokens
#     output_usd_per_mtok: 1.5
#     phi_approved: false            # true: it may see real patients on this machine
#   - {{name: warm, like: gpt4o, parameters: {{temperature: 1}}}}   # gpt4o, but warm

# Prompts by alias (kernel29 prompts list), or text files with {{case}} where the case goes, and
# {{age}}, {{sex}} or any column of your table by its name.
prompts:
{prompts}
#   - name: shots
#     file: shots.txt            # {{role}} and {{solved}} stand for the sections below
#     system: system.txt         # the system text, if it has one
#     language: en
#     output: numbered_list      # or json
#     sections:
#       role: role.txt
#       solved: {{table: solved.csv, row: "Case: {{text}}. Diagnosis: {{diagnosis}}"}}

# The terminology judge scores every answer at no cost. Language models that judge
# beside it (kernel29 judges list):
judges: {judges}

# mode: replay            # scores the answers of the ledger and sends nothing
# execution: batch        # the batch APIs of OpenAI and Anthropic, at half the price and later
max_usd: {max_usd}    # what one run may spend at most, judges included
"""

NO_COLUMNS = "# columns: {text: Note, gold: Diagnosis, id: Case}   # if they have unusual names"
NO_SAMPLE = "# sample: 20           # cases of each set; {cases: 20, seed: 7} draws others"
NO_REPEATS = "# repeats: 3           # times each case is asked; every time is a configuration"


@dataclass(frozen=True)
class Choices:
    """What a file says: names and paths as `experiments.file` reads them."""

    cases: list[str]
    models: Sequence[str | Mapping[str, Any]]
    prompts: Sequence[str | Mapping[str, Any]]
    judges: Sequence[str] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    language: str | None = None
    real_patients: bool = True
    sample: int | None = None
    seed: int | None = None
    repeats: int = 1
    max_usd: float = 1.0


def text(choices: Choices, name: str, shown_path: str) -> str:
    """The file of an experiment called `name`. shown_path: as it is typed after `kernel29 run`."""
    return TEMPLATE.format(
        name=name,
        path=shown_path,
        cases=_flow(choices.cases),
        models=_block(choices.models),
        prompts=_block(choices.prompts),
        judges=_flow(list(choices.judges)),
        real_patients=str(choices.real_patients).lower(),
        sample=_sample(choices),
        columns=f"columns: {_flow(dict(choices.columns))}" if choices.columns else NO_COLUMNS,
        language=f"language: {choices.language}" if choices.language else "# language: en",
        repeats=f"repeats: {choices.repeats}" if choices.repeats > 1 else NO_REPEATS,
        max_usd=f"{choices.max_usd:g}",
    )


def _sample(choices: Choices) -> str:
    if choices.sample is None and choices.seed is not None:
        raise ExperimentError("A seed draws a sample: say how many cases it has (sample).")
    if choices.sample is None:
        return NO_SAMPLE
    if choices.seed is None:
        return f"sample: {choices.sample}"
    return f"sample: {{cases: {choices.sample}, seed: {choices.seed}}}"


def write(path: Path, content: str) -> None:
    """Write a file into a folder that may not be there yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def _flow(names: Any) -> str:
    return yaml.safe_dump(names, default_flow_style=True, width=10_000).strip()


def _block(names: Sequence[str | Mapping[str, Any]]) -> str:
    lines = yaml.safe_dump(list(names), default_flow_style=False, width=10_000).splitlines()
    return "\n".join(f"  {line}" for line in lines)
