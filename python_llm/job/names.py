"""Names that the registries and the command line use, and those nearest to one that is unknown."""

import itertools
import re
from collections.abc import Collection, Iterable, Mapping

from rapidfuzz import fuzz, process

from python_llm import seeds
from python_llm.errors import UserError

MODELS = "seeds/calls/llm_models.csv"
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
    plain, other_plain = (re.sub(r"[\W_]", "", one.casefold()) for one in (name, other))
    return plain == other_plain and name.count("/") == other.count("/")


def nearest(name: str, known: Collection[str]) -> str:
    """The names one may have meant, the nearest first; without any, all there are."""
    found = process.extract(
        name, sorted(known), scorer=fuzz.ratio, processor=str.lower, score_cutoff=ALIKE, limit=SHOWN
    )
    return ", ".join(one for one, *_ in found) if found else ", ".join(sorted(known)) or "none"


def of_grid(test_sets: Collection[str]) -> set[str]:
    """What the configurations seed asks for, written model/prompt/test_set; `*` is every model,
    every prompt for generation and every one of `test_sets`."""
    stars = {
        "model_alias": [row["model_alias"] for row in seeds.read(MODELS)],
        "prompt_alias": _generating({row["prompt_alias"]: row for row in seeds.read(PROMPTS)}),
        "test_set": test_sets,
    }
    found: set[str] = set()
    for row in seeds.read(CONFIGURATIONS, stars):
        named = {column: listed(row[column], "|") for column in stars}
        chosen = [stars[column] if "*" in one else one for column, one in named.items()]
        found |= {"/".join(parts) for parts in itertools.product(*chosen)}
    return found


def check_configurations(
    models: Mapping[str, Mapping[str, str]],
    prompts: Mapping[str, Mapping[str, str]],
    test_sets: Collection[str],
) -> None:
    """Raise UserError for the first name in the configurations seed that does not exist, with its
    line and the nearest names that do, and for a model beside a prompt it cannot be given.

    `models` and `prompts`: the rows of the registries by alias.
    """
    columns = {
        "model_alias": ("model", models, MODELS),
        "prompt_alias": ("prompt for generation", _generating(prompts), PROMPTS),
        "test_set": ("test set", test_sets, TEST_SETS),
    }
    for line, row in seeds.numbered(CONFIGURATIONS, columns):
        where = f"{CONFIGURATIONS}, line {line}"
        named = {column: listed(row[column], "|") for column in columns}
        for column, (kind, known, registry) in columns.items():
            if not named[column]:
                raise UserError(f"{where}: {column} is empty: name a {kind}, or write *.")
            _check(named[column], known, kind, where, registry)
        _check_match(named["model_alias"], named["prompt_alias"], models, prompts, where)


def check_judges(
    judges: Iterable[tuple[int, Mapping[str, str]]],
    models: Collection[str],
    prompts: Mapping[str, Mapping[str, str]],
) -> None:
    """Raise UserError for the first model, prompt or member of the judges seed that is unknown.

    `judges`: the rows of the seed with their lines.
    """
    judges = list(judges)
    names = {row["judge_id"] for _, row in judges}
    for line, row in judges:
        where = f"{JUDGES}, line {line}"
        _check(listed(row["model_alias"], ";"), models, "model", where, MODELS)
        for task in ("semantic", "severity"):
            of_task = {key for key, one in prompts.items() if one["task"] == f"{task}_judge"}
            asked = listed(row[f"{task}_prompt"], ";")
            _check(asked, of_task, f"prompt for {task} judges", where, PROMPTS)
        _check(listed(row["members"], ";"), names, "judge", where, JUDGES)


def _generating(prompts: Mapping[str, Mapping[str, str]]) -> set[str]:
    return {name for name, row in prompts.items() if row["task"] == "generation"}


def _check(
    names: Iterable[str], known: Collection[str], kind: str, where: str, registry: str
) -> None:
    for name in names:
        if name != "*" and name not in known:
            raise UserError(
                f"{where}: there is no {kind} '{name}'. The nearest: {nearest(name, known)}. "
                f"Correct the name, or add it to {registry}."
            )


def _check_match(
    named_models: Iterable[str],
    named_prompts: Collection[str],
    models: Mapping[str, Mapping[str, str]],
    prompts: Mapping[str, Mapping[str, str]],
    where: str,
) -> None:
    """The SQL baseline reads tables; whoever is asked is asked by a text."""
    has_star = "*" in named_prompts
    formats = {prompts[name]["output_format"] for name in named_prompts if name != "*"}
    for name in named_models:
        is_asked = name == "*" or models[name]["kind"] == "llm"
        if is_asked and not has_star and formats == {"table"}:
            raise UserError(f"{where}: model '{name}' needs a prompt with a text: name one.")
        if not is_asked and "table" not in formats:
            raise UserError(f"{where}: '{name}' is not asked anything: its prompt is no_prompt.")
