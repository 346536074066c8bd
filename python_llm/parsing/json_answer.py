"""Ranked diagnoses out of JSON, as strict as a schema asks or as loose as models write it."""

import ast
import json
import re
import warnings
from operator import attrgetter
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from python_llm.parsing.folding import field_key
from python_llm.parsing.json_text import mended, value_at, whole_value
from python_llm.parsing.leading import FIRST_KEY, is_among
from python_llm.parsing.records import (
    HIGHEST_NUMBER,
    Collector,
    ParsedDifferential,
    clean_name,
    flat,
    ranks_of,
)

_THINKING = re.compile(r"<(think|thinking|scratchpad)>.*?(?:</\1>|\Z)", re.DOTALL | re.I)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_OPENING = re.compile(r"[{\[]")
_MOST_TRIES = 400  # places where JSON may begin; more of them is noise
_DEEPEST = 6
_NAMES = (
    *("diagnosis", "name", "disease", "disease_name", "diagnosis_name", "condition", "diagnostico"),
    *("enfermedad", "nombre", "title", "entity", "dx", "disorder"),
)
_REASONINGS = (
    *("reasoning", "reason", "explanation", "description", "rationale", "justification", "why"),
    *("razonamiento", "explicacion", "descripcion", "justificacion", "motivo"),
)
_FAVOURS = (
    *("in_favour", "in_favor", "symptoms_in_common", "symptoms_in_favour", "symptoms_in_favor"),
    *("supporting_symptoms", "supporting_findings", "common_symptoms", "matching_symptoms"),
    *("a_favor", "sintomas_a_favor", "sintomas_en_comun", "sintomas_comunes"),
)
_AGAINSTS = (
    *("against", "symptoms_not_in_common", "symptoms_against", "contradicting_symptoms"),
    *("findings_against", "uncommon_symptoms", "en_contra", "sintomas_en_contra"),
    *("sintomas_no_comunes",),
)
_RISKS = (
    *("risk", "risks", "red_flags", "risk_handling", "when_to_escalate", "urgency", "riesgo"),
    *("riesgos", "senales_de_alarma", "cuando_derivar", "urgencia"),
)


class _Numbered(NamedTuple):
    """An item under a key that is its rank."""

    number: int
    item: Any


class RiskAnswer(BaseModel):
    """What the prompt dxgpt_json_risk asks for beside each diagnosis."""

    model_config = ConfigDict(extra="forbid")
    level: str
    red_flags: list[str]
    dangerous_alternatives: list[str]
    when_to_escalate: str


class DiagnosisAnswer(BaseModel):
    """One diagnosis as the JSON prompts ask for it."""

    model_config = ConfigDict(extra="forbid")
    rank: int
    diagnosis: str
    reasoning: str
    in_favour: list[str]
    against: list[str]
    risk: RiskAnswer | None = None


class DifferentialAnswer(BaseModel):
    """The whole answer as the JSON prompts ask for it; a prompt's schema.json says the same."""

    model_config = ConfigDict(extra="forbid")
    diagnoses: list[DiagnosisAnswer]


def parse_json_schema(text: str | None) -> ParsedDifferential:
    """Read an answer that is the asked-for object and nothing else, ranks 1 to n in order."""
    try:
        answer = DifferentialAnswer.model_validate_json(text or "")
    except ValidationError:
        return ParsedDifferential(status="not_as_asked" if (text or "").strip() else "empty")
    collector = Collector()
    if [item.rank for item in answer.diagnoses] != list(range(1, len(answer.diagnoses) + 1)):
        return ParsedDifferential(status="not_as_asked")
    for item in answer.diagnoses:
        _collect(item.model_dump(exclude_none=True), item.rank, collector)
    return collector.result("json_schema")


def parse_json(text: str | None) -> ParsedDifferential:
    """Read the last JSON value in `text` that holds diagnoses.

    The last one, because a model that thinks aloud writes its drafts first. Of an answer that was
    cut off, every diagnosis that is complete is read.
    """
    answer = text or ""
    body = _THINKING.sub("", answer)
    if answer.strip() and not body.strip():
        return ParsedDifferential(status="only_thinking")
    answers: list[list[Any]] = []  # whole answers
    lines: list[Any] = []  # one object a line
    pieces: list[Any] = []  # complete objects inside one that is not
    drafts: list[Any] = []  # items of lists that another one follows
    cut_at = 0
    for value, is_part, end in _values(body):
        is_named = isinstance(_value(value, _NAMES), str)
        items = None if is_part else items_of(value)
        if is_part and is_named:
            pieces.append(value)
            cut_at = end
        elif items is not None:
            goes_on = items == [value] and bool(lines)
            lines = [*lines, value] if items == [value] else []
            drafts += pieces + (answers[-1] if answers and not goes_on else [])
            answers.append(lines or items)
            pieces, cut_at = [], 0
    chosen = pieces or (answers[-1] if answers else [])
    if pieces and answers:
        drafts += answers[-1]
    collector = Collector()
    for item in drafts:
        collector.drop(_as_text(item), "other_list")
    _collect_all(chosen, collector)
    if cut_at and any(character.isalpha() for character in body[cut_at:]):
        collector.drop(body[cut_at:].strip(" ,"), "cut_off")
    if collector.is_empty and _OPENING.search(body):
        return ParsedDifferential(status="not_as_asked")
    return collector.result("json", "no_list" if body.strip() else "empty")


def _values(body: str) -> list[tuple[Any, bool, int]]:
    """Every outermost JSON value, whether it stands in one that could not be read, and its end."""
    values: list[tuple[Any, bool, int]] = []
    position, tries, broken = 0, 0, False
    while tries < _MOST_TRIES and (opening := _OPENING.search(body, position)):
        tries += 1
        value, end = _decoded(body, opening.start(), tries)
        if end:
            if isinstance(value, dict) or not broken:
                values.append((value, broken, end))
            position = end
        else:
            # only an object that holds more can be a broken outer one; a brace in prose is none
            broken = broken or bool(re.match(r"[{\[]\s*[\"'{\[(]", body[opening.start() :][:40]))
            position = opening.start() + 1
    return values


def _decoded(body: str, start: int, tries: int) -> tuple[Any, int]:
    """The value that begins at `start` and where it ends; an end of 0 if there is none."""
    if decoded := value_at(body, start):
        return decoded
    if tries > 20:
        return None, 0
    end = body.rfind("}" if body[start] == "{" else "]") + 1
    if end <= start:
        return None, 0
    block = _TRAILING_COMMA.sub(r"\1", body[start:end])
    if (value := whole_value(block)) is not None:
        return value, end
    try:  # a Python literal: single quotes, None, True
        with warnings.catch_warnings(action="ignore"):  # an odd escape is the model's, not ours
            return mended(ast.literal_eval(block)), end
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None, 0


def items_of(value: Any, depth: int = 0) -> list[Any] | None:
    """The list of diagnoses in a JSON value: a list, one under a key, or an object of ranks."""
    if depth > _DEEPEST:
        return None
    if labelled := _labelled(value):
        return labelled
    if isinstance(value, list):
        is_named = any(isinstance(item, str) or _value(item, _NAMES) is not None for item in value)
        return value if is_named else None
    if not isinstance(value, dict):
        return None
    ranked = [
        _Numbered(int(key[1]), item)
        for name, item in value.items()
        if (key := _RANK_KEY.fullmatch(str(name)))
    ]
    if len(ranked) >= 2 or (ranked and len(ranked) == len(value)):
        return sorted(ranked, key=attrgetter("number"))
    lists = [
        items
        for key, inner in value.items()
        if (isinstance(inner, dict) or (isinstance(inner, list) and _holds(key, inner)))
        and (items := items_of(inner, depth + 1))
    ]
    if lists:
        return [*_leading(value, lists[-1]), *lists[-1]]
    return [value] if depth == 0 and _value(value, _NAMES) is not None else None


def _labelled(value: Any) -> list[Any] | None:
    """What a classifier says, as objects with a name and a score; None for anything else.

    [{"label": "Gout", "score": 0.6}], {"labels": […], "scores": […]}, [["Gout", 0.6], …]
    """
    pairs: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        names, scores = _value(value, ("labels", "classes")), _value(value, ("scores", "probs"))
        if isinstance(names, list) and isinstance(scores, list) and len(names) == len(scores):
            pairs = list(zip(names, scores, strict=True))
    elif isinstance(value, list) and all(isinstance(item, dict) for item in value):
        if not any(_value(item, _NAMES) for item in value):
            pairs = [(_value(item, ("label", "class")), _value(item, _SCORES)) for item in value]
    elif isinstance(value, list) and all(isinstance(i, list) and len(i) == 2 for i in value):
        pairs = [(item[0], item[1]) for item in value]
    is_scored = all(
        isinstance(name, str) and isinstance(score, (int, float)) and not isinstance(score, bool)
        for name, score in pairs
    )
    return [{"name": name, "score": score} for name, score in pairs] if is_scored else None


# what names the first diagnosis of an object, though not of every table
_FIRST = {"diagnosis", "diagnostico", "most_likely", "primary", "principal", "leading", "final"}


def _leading(value: dict[str, Any], items: list[Any]) -> list[Any]:
    """The most likely diagnosis where an object names it beside its list, and the list does not:
    {"primary_diagnosis": "Gout", "differential_diagnoses": ["Septic arthritis", …]}."""
    names = [name for item in items if (name := name_of(item))]
    for key, item in value.items():
        name = name_of(item) if isinstance(item, (str, dict)) else None
        if name and (FIRST_KEY.fullmatch(field_key(key)) or field_key(key) in _FIRST):
            return [] if is_among(name, names) else [item]
    return []


_RANK_KEY = re.compile(r"(?:rank|diagnosis|diagnostico|diagnóstico|dx)?[ _-]?(\d{1,2})", re.I)
_LIST_KEY = re.compile(
    r"diagn|differential|diferencial|disease|enfermedad|candidat|condition", re.I
)


def _holds(key: str, items: list[Any]) -> bool:
    """A list of strings holds diagnoses only under a key that says so; a list of objects may."""
    return any(isinstance(item, dict) for item in items) or bool(_LIST_KEY.search(str(key)))


def name_of(item: Any) -> str | None:
    """The text that names the diagnosis of an item, if one does."""
    item = item.item if isinstance(item, _Numbered) else item
    name = item if isinstance(item, str) else _value(item, _NAMES)
    return name if isinstance(name, str) else None


def parsed_items(items: list[Any], read_as: str) -> ParsedDifferential:
    """What is read of the items of one list."""
    collector = Collector()
    _collect_all(items, collector)
    return collector.result(read_as)


def _collect_all(items: list[Any], collector: Collector) -> None:
    """By rank if every item has one of its own, by score if none has a rank and every one a score,
    otherwise as written."""
    numbers = [_rank(item) for item in items]
    if not any(numbers) and (by_score := _by_score(items)) not in (None, items):
        collector.note("by_score", _as_text(items))
        items = by_score or items
    numbered = list(zip(numbers, items, strict=True))
    if None not in numbers and len(set(numbers)) == len(numbers):
        numbered.sort(key=lambda pair: pair[0] or 0)
    numbers = [number for number, _ in numbered]
    ranks, are_written = ranks_of(numbers)
    if not are_written and any(numbers):
        collector.note("renumbered", ", ".join(str(number or "-") for number in numbers))
    for rank, (_, item) in zip(ranks, numbered, strict=True):
        _collect(item, rank, collector)


_SCORES = (
    *("probability", "prob", "p", "score", "confidence", "likelihood", "weight", "probabilidad"),
    *("puntuacion", "confianza", "peso"),
)
_SCORE = re.compile(r"\s*(\d+(?:[.,]\d+)?|[.,]\d+)(?:e(-?\d{1,3}))?\s*(%?)\s*", re.I)


def _by_score(items: list[Any]) -> list[Any] | None:
    """Objects with a share, a percentage or another number each under one name, the greatest first
    and equal ones as they stand; None for any other items."""
    for name in _SCORES:
        written = [_value(item, (name,)) for item in items]
        numbers = [
            None if isinstance(value, bool) else _SCORE.fullmatch(str(value)) for value in written
        ]
        readable = [number for number in numbers if number]
        if not readable:
            continue
        if len(readable) < max(2, len(items)) or len({number[3] for number in readable}) > 1:
            return None
        scores = [float(n[1].replace(",", ".")) * 10 ** int(n[2] or 0) for n in readable]
        pairs = sorted(zip(scores, items, strict=True), key=lambda pair: -pair[0])
        return [item for _, item in pairs]
    return None


_WRITTEN_RANK = re.compile(r"\s*\+?(\d{1,2})[.)]\s*(?=[^\W\d]|\d+-)")


def _rank(item: Any) -> int | None:
    """The number an item has of its own, or that its name begins with; None if none counts."""
    if isinstance(item, _Numbered):
        return item.number
    if isinstance(item, str):
        written_rank = _WRITTEN_RANK.match(item)
        return int(written_rank[1]) if written_rank else None
    value = _value(item, ("rank", "position", "order", "rango", "posicion", "orden"))
    try:
        number = int(str(value).strip(" .#+)"))
    except ValueError:
        return None
    return number if abs(number) <= HIGHEST_NUMBER else None


def _collect(item: Any, rank: int, collector: Collector) -> None:
    if isinstance(item, _Numbered):
        item = item.item
    if isinstance(item, str):
        name, _, reasoning = _WRITTEN_RANK.sub("", item, count=1).partition(": ")
        collector.add(clean_name(name), item, rank, reasoning=flat(reasoning))
        return
    name = _value(item, _NAMES)
    if not isinstance(name, str):
        collector.drop(_as_text(item), "no_name", rank)
        return
    collector.add(
        clean_name(_WRITTEN_RANK.sub("", name, count=1)),
        name,
        rank,
        reasoning=_flat_text(_value(item, _REASONINGS)),
        in_favour=_flat_text(_value(item, _FAVOURS)),
        against=_flat_text(_value(item, _AGAINSTS)),
        risk=_flat_text(_value(item, _RISKS)),
    )


def _as_text(item: Any) -> str:
    item = item.item if isinstance(item, _Numbered) else item
    return item if isinstance(item, str) else json.dumps(item, ensure_ascii=False, default=str)


def _value(item: Any, keys: tuple[str, ...]) -> Any:
    """The value of the first of `keys` that the object has, case and accents aside."""
    if not isinstance(item, dict):
        return None
    known = {field_key(key): value for key, value in item.items()}
    return next((known[key] for key in keys if known.get(key) is not None), None)


def _flat_text(value: Any, depth: int = 0) -> str | None:
    """Any JSON value as one line of text: lists with semicolons, objects with their keys."""
    if value is None or depth > _DEEPEST:
        return None
    if isinstance(value, (list, tuple)):
        return "; ".join(text for item in value if (text := _flat_text(item, depth + 1))) or None
    if isinstance(value, dict):
        items = (
            (str(key).replace("_", " "), _flat_text(item, depth + 1)) for key, item in value.items()
        )
        return "; ".join(f"{key}: {text}" for key, text in items if text) or None
    return flat(str(value))
