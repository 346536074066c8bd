"""Names that the registries and the command line use, and those nearest to one that is unknown."""

import itertools
import json
import os
from collections.abc import Collection, Iterable, Mapping

from rapidfuzz import fuzz, process

from python_llm import seeds
from python_llm.parsing.folding import alias_key

MODELS = "seeds/calls/llm_models.csv"
PRICES = "seeds/calls/llm_prices.csv"
PROMPTS = "seeds/calls/prompt_registry.csv"
JUDGES = "seeds/experiments/judges.csv"
CONFIGURATIONS = "seeds/experiments/configurations.csv"
TEST_SETS = "seeds/test_sets/ or import it with `kernel29 cases import`"
# Of 100: from here on a name looks like another one misspelt.
ALIKE = 55
SHOWN = 5


def listed(written: str, separator: str) -> list[str]:
    """The names in `written`, such as `gpt4o, local`, without blanks."""
    return [name.strip() for name in written.split(separator) if name.strip()]


def asked_as_one(
    models: Iterable[Mapping[str, str]],
) -> tuple[Mapping[str, str], Mapping[str, str]] | None:
    """The first two models that make the same requests and are at two addresses: a request is known
    by provider, API model, parameters and text, so that one server would answer for both.

    `models`: rows of the registry, with `base_url` if an address is in place. Of an address by the
    name of a variable, what it holds counts if it is set. Retired models are not asked.
    """
    known: dict[tuple[str, ...], Mapping[str, str]] = {}
    for model in models:
        if model.get("kind", "llm") != "llm" or model.get("is_retired") == "true":
            continue
        key = (
            model["provider"],
            model["api_model"],
            _canonical(model.get("parameters") or "{}"),
            model.get("repeat_number") or "1",
        )
        other = known.setdefault(key, model)
        if _address(other) != _address(model):
            return other, model
    return None


# why two models that make the same requests are refused, and what to do
ONE_REQUEST = (
    "{first} and {second} are both {api_model} of {provider} with the same parameters, at two "
    "addresses: a request is known by provider, api_model, parameters and text, so one server "
    "would answer for both. Give them different api_model names, or run them with separate ledgers "
    "(KERNEL29_LEDGER_DIR), each in a file of its own"
)


def told_as_one(first: Mapping[str, str], second: Mapping[str, str]) -> str:
    """Why two models of `asked_as_one` cannot stand together, and what to do."""
    return ONE_REQUEST.format(
        first=first["model_alias"],
        second=second["model_alias"],
        api_model=first["api_model"],
        provider=first["provider"],
    )


def _canonical(parameters: str) -> str:
    """Parameters as text, whatever the order they are written in; what is no JSON as it is."""
    try:
        return json.dumps(json.loads(parameters), sort_keys=True)
    except ValueError:
        return parameters


def _address(model: Mapping[str, str]) -> str:
    variable = model.get("base_url_env") or ""
    return (model.get("base_url") or os.environ.get(variable) or variable).rstrip("/")


def are_same(name: str, other: str) -> bool:
    """Whether two names are one, case and punctuation aside."""
    return alias_key(name) == alias_key(other) and name.count("/") == other.count("/")


def nearest(name: str, known: Collection[str]) -> str:
    """The names one may have meant, the nearest first; without any, all there are."""
    matches = process.extract(
        name, sorted(known), scorer=fuzz.ratio, processor=str.lower, score_cutoff=ALIKE, limit=SHOWN
    )
    return (
        ", ".join(match for match, *_ in matches) if matches else ", ".join(sorted(known)) or "none"
    )


def of_grid(test_sets: Collection[str]) -> set[str]:
    """What the configurations seed asks for, written model/prompt/test_set; `*` is every model,
    every prompt for generation and every one of `test_sets`."""
    stars = {
        "model_alias": [row["model_alias"] for row in seeds.read(MODELS)],
        "prompt_alias": generating({row["prompt_alias"]: row for row in seeds.read(PROMPTS)}),
        "test_set": test_sets,
    }
    configurations: set[str] = set()
    for row in seeds.read(CONFIGURATIONS, stars):
        named = {column: listed(row[column], "|") for column in stars}
        chosen = [stars[column] if "*" in values else values for column, values in named.items()]
        configurations |= {"/".join(parts) for parts in itertools.product(*chosen)}
    return configurations


def generating(prompts: Mapping[str, Mapping[str, str]]) -> set[str]:
    """The prompts of a registry that ask for a differential."""
    return {name for name, row in prompts.items() if row["task"] == "generation"}
