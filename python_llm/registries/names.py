"""Names that the registries and the command line use, and those nearest to one that is unknown."""

import itertools
from collections.abc import Collection, Mapping

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
