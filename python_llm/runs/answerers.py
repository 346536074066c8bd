"""Whose answers rows are where a field other than a column of models says it: a provider, a
deployment, an endpoint, or the model that a response names, beside the answers or in objects."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from python_llm.errors import FileError
from python_llm.imports.headings import kind_of
from python_llm.imports.numbered_rows import Row
from python_llm.parsing.folding import alias_key, column_key
from python_llm.registries.names import are_same
from python_llm.runs.by_text import LEAST, texts_in
from python_llm.runs.matching import MOST_SHOWN
from python_llm.runs.nested import CASES, NOT_OF_CASES, leaves_of
from python_llm.runs.reading import MODELS, value_of

ANSWERERS = {
    *MODELS,
    *("provider", "providers", "provider_id", "provider_name", "provider_label", "vendor"),
    *("deployment", "deployment_id", "deployment_name", "endpoint", "endpoint_name", "api_model"),
    *("base_model", "model_slug", "model_version", "response_model", "request_model", "agent"),
    *("bot", "proveedor", "anbieter", "fournisseur"),
}
_NAMES = {"id", "label", "name", "alias", "slug", "model", "model_id", "model_name"}
# objects that are about who judged an answer
_OF_JUDGES = re.compile(r"judge|grad(?:er|ing)|scor(?:e|er|ing)|assert|rubric|reference|expected")
LONGEST_NAME = 80
FEWEST_CASES = 3  # values that tell cases apart where no field is called as such
MOSTLY = 0.5


def own_names(written: Iterable[str], model: str) -> set[str]:
    """Which of the names are the `model`: those that are, else those that end with it as the last
    parts of 'openai:chat:gpt-4o' and 'meta/llama-3' do."""
    names = {*written}
    return {name for name in names if are_same(name, model)} or {
        name for name in names if any(are_same(part, model) for part in _last_parts(name))
    }


def of_answerer(
    name: str, rows: list[Row], model: str, taken: Collection[str]
) -> tuple[list[Row], list[str]]:
    """The rows of a `model` in a file called `name`, and what to say of the others, by every field
    that says whose an answer is; `taken` are columns with another role.

    Raises FileError if several models answered the same cases and it is not told which is the one.
    """
    notes: list[str] = []
    for field in _fields(rows, taken):
        named = [_names_of(row, field) for row in rows]
        answerers = [_shown(names) for names in named]
        if len({*answerers} - {""}) < 2:
            continue
        own = own_names({text for names in named for text in names.values()}, model)
        chosen = [not own.isdisjoint(names.values()) for names in named]
        kept = [row for row, is_own in zip(rows, chosen, strict=True) if is_own]
        of_kept = [who for who, is_own in zip(answerers, chosen, strict=True) if is_own]
        others = {*answerers} - {*of_kept, ""}
        if is_answered_again(kept, of_kept) if kept else is_answered_again(rows, answerers):
            may_be = f"all may be called '{model}'" if kept else f"none is '{model}'"
            raise FileError(
                f"{name}: several models answered the same cases ('{field}' has "
                f"{_listed(sorted({*of_kept} or others))}), and {may_be}: correct --model, or keep "
                "the rows of one of them."
            )
        # where other names stand at other cases, they may be versions of the model
        if others and kept and (is_answered_again(rows, answerers) or _are_others(others, own)):
            notes.append(
                f"{name}: {len(rows) - len(kept)} rows are of other models "
                f"({_listed(sorted(others))}), by '{field}'."
            )
            rows = kept
    return rows, notes


def is_answered_again(rows: Sequence[Row], answerers: Sequence[str]) -> bool:
    """Whether most cases have rows under several `answerers`, one for each row: by what is called a
    case, or by texts and names that are those of one case, as each answerer has them once."""
    of_ids: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    of_others: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row, answerer in zip(rows, answerers, strict=True):
        for path, text in leaves_of(row).items():
            if _is_of_case(path):
                of_ids[path][value_of(text)].add(answerer)
            elif any(map(str.isalpha, text)) and len(text) < LEAST:
                of_others[path].append((text.strip().casefold(), answerer))
        for text in {text for value in row.values.values() for text in texts_in(value)}:
            of_others[""].append((text, answerer))
    fewest = min(Counter(answerers).values(), default=0)
    return any(map(_is_mostly_again, of_ids.values())) or any(
        _are_of_cases(pairs, fewest) for pairs in of_others.values()
    )


def _is_mostly_again(by_value: Mapping[str, set[str]]) -> bool:
    counts = [len(answerers) for ref, answerers in by_value.items() if ref]
    return bool(counts) and sum(count > 1 for count in counts) > MOSTLY * len(counts)


def _are_of_cases(pairs: Sequence[tuple[str, str]], fewest: int) -> bool:
    """Whether values tell cases apart, as each answerer has them once, and more have several
    answerers than half of the rows of the one with the `fewest`."""
    times = Counter(pairs)
    often = {value for (value, _), count in times.items() if count > 1}
    n_answerers = Counter(value for value, _ in times if value not in often)
    n_again = sum(count > 1 for count in n_answerers.values())
    return n_again >= FEWEST_CASES and n_again > MOSTLY * fewest


def _is_of_case(path: str) -> bool:
    *outer, last = map(column_key, path.split("."))
    is_named = last in CASES or (not outer and (kind_of(path) or ("",))[0] == "record_id")
    return is_named and NOT_OF_CASES.isdisjoint(outer)


def _fields(rows: Sequence[Row], taken: Collection[str]) -> list[str]:
    """The fields and objects that name an answerer, by dotted name; those beside answers first."""
    fields = {
        field: None
        for row in rows
        for path in leaves_of(row)
        if path not in taken and (field := _field_of(path)) and field not in taken
    }
    return sorted(fields, key=lambda field: field.count("."))


def _field_of(path: str) -> str:
    """The field or object that names an answerer in `path`: of 'provider.id' provider."""
    *outer, last = path.split(".")
    if any(_OF_JUDGES.match(column_key(part)) for part in outer):
        return ""
    if outer and column_key(outer[-1]) in ANSWERERS and column_key(last) in _NAMES:
        return ".".join(outer)
    return path if column_key(last) in ANSWERERS else ""


def _names_of(row: Row, field: str) -> dict[str, str]:
    """What a field calls an answerer, or the parts of an object do, by their paths."""
    return {
        path: text
        for path, written in leaves_of(row).items()
        if _field_of(path) == field and (text := value_of(written)) and len(text) <= LONGEST_NAME
    }


def _are_others(others: Collection[str], own: Collection[str]) -> bool:
    """Whether no other name is that of a version of the model, or of what it is one of."""
    keys = {alias_key(name) for name in own}
    return not any(
        alias_key(part).startswith(key) or key.startswith(alias_key(part))
        for other in others
        for part in (other, *_last_parts(other))
        for key in keys
    )


def _shown(names: Mapping[str, str]) -> str:
    """What to call an answerer: its label, else the first of its names."""
    labels = [text for path, text in names.items() if column_key(path).endswith("label")]
    return next(iter([*labels, *names.values()]), "")


def _last_parts(name: str) -> Iterator[str]:
    """What stands behind each mark of 'openrouter:meta/llama-3'."""
    return (name[mark.end() :] for mark in re.finditer(r"[:/|]", name))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name[:40]}'" for name in list(names)[:MOST_SHOWN])
