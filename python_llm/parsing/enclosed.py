"""The list that stands as one text inside JSON: what a program wrote around a model's answer."""

import ast
import re
import warnings
from collections.abc import Iterator
from typing import Any

from python_llm.parsing.folding import field_key
from python_llm.parsing.json_answer import items_of, name_of
from python_llm.parsing.json_text import whole_value
from python_llm.parsing.numbered_list import parse_names_alone, parse_numbered_list

# names of answers, of which an earlier one takes precedence
ANSWERS = (
    *("filtered_resps", "answer", "answer_text", "model_answer", "response", "output", "outputs"),
    *("completion", "completions", "text", "content", "output_text", "generated_text"),
    *("generation", "generations", "generated", "prediction", "predictions", "resps", "responses"),
    *("raw_response", "raw_output", "model_output", "result", "results", "message", "respuesta"),
)
# names of what was asked, expected or thought, which is no answer
OTHERS = {
    *("prompt", "prompts", "question", "questions", "query", "input", "inputs", "instance", "doc"),
    *("request", "arguments", "vars", "instruction", "instructions", "system", "context", "case"),
    *("target", "gold", "reference", "references", "expected", "reasoning", "thinking", "tokens"),
    *("explanation", "metadata", "usage", "grading_result", "error"),
}
DEEPEST = 12
_A_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)(?:"\s*(:)?|\\?\Z)', re.DOTALL)  # of JSON, or its rest


def enclosed(text: str) -> tuple[str, list[str]]:
    """The answer in a text that is JSON around it, and other lists that stand there as well; a text
    that is none, or whose values are the diagnoses, as it is.

    An answer that is JSON again is left to whoever reads JSON.
    """
    bare = text.strip()
    if bare.startswith('"') and isinstance(quoted := whole_value(bare), str):
        return enclosed(quoted)
    if not bare.startswith(("{", "[")):
        return text, []
    value = _value(bare)
    if value is None:
        leaves = [leaf for leaf in _cut_off(bare) if reads_as_list(leaf[1])]
    elif _holds_diagnoses(value):
        return text, []
    else:
        leaves = list(_leaves(value, "", 0))
    lists = [leaf for leaf in leaves if reads_as_list(leaf[1])]
    answers = lists or [leaf for leaf in leaves if leaf[0] in ANSWERS or isinstance(value, list)]
    texts = list(dict.fromkeys(inner for _, inner in sorted(answers, key=_precedence)))
    if not texts or (not lists and len(texts) > 1):
        return text, []
    return texts[0], texts[1:]


def reads_as_list(text: str) -> bool:
    """Whether a text is a list of several diagnoses."""
    if text.lstrip()[:1] in ("{", "[") and (value := whole_value(text)) is not None:
        return bool(items_of(value))
    return parse_numbered_list(text).n_items > 1 or (
        "\n" in text and len(parse_names_alone(text).diagnoses) > 1
    )


def _precedence(leaf: tuple[str, str]) -> int:
    return ANSWERS.index(leaf[0]) if leaf[0] in ANSWERS else len(ANSWERS)


def _value(bare: str) -> Any | None:
    """The JSON value, or the literal of Python, that a text is; None if it is neither."""
    if (value := whole_value(bare)) is not None:
        return value
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.literal_eval(bare)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def _holds_diagnoses(value: Any) -> bool:
    """Whether the items of a value are diagnoses, rather than texts with a list of them each."""
    names = [name_of(item) for item in items_of(value) or ()]
    return bool(names) and not all(name and reads_as_list(name) for name in names)


def _leaves(value: Any, name: str, depth: int) -> Iterator[tuple[str, str]]:
    """The texts in a value, each with the name it stands under."""
    if depth > DEEPEST:
        return
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item, name, depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            if field_key(str(key)) not in OTHERS:
                yield from _leaves(item, field_key(str(key)), depth + 1)


def _cut_off(bare: str) -> Iterator[tuple[str, str]]:
    """The texts of JSON that is not whole, of which the last may be cut off."""
    name = ""
    for match in _A_TEXT.finditer(bare):
        if match[2]:
            name = field_key(match[1])
        elif "\\n" in match[1] and name not in OTHERS:
            yield name, match[1].replace("\\n", "\n").replace('\\"', '"')
