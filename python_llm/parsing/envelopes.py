"""The words of an answer that is still in what a provider's interface wrapped it in."""

import ast
import json
from collections.abc import Mapping
from typing import Any

# those who speak for the model, in the interfaces that name them
_MODEL = {"assistant", "model", "ai"}
# what holds the answer one level further in, the outermost first
_INWARD = ("response", "body", "result", "message", "messages", "choices", "candidates", "output")
_PLAIN = ("content", "parts", "output_text", "text", "refusal")


def unwrapped(text: str) -> str:
    """The words of the model in a chat log, a line of a batch or a response as it came; any other
    text as it is, a list of diagnoses in JSON included.

    Known are the forms of OpenAI (chat completions, responses, batches), Anthropic and Google, and
    lists of turns with a role, of which the last of the model counts.
    """
    bare = text.strip()
    if not bare.startswith(("{", "[")):
        return text
    try:
        value = json.loads(bare)
    except (ValueError, RecursionError):
        try:
            value = ast.literal_eval(bare)  # as pandas writes it
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return text
    words = _turns(value) if isinstance(value, list) else _inside(value)
    return text if words is None else words


def _inside(value: Any) -> str | None:
    """The words of a response; None for a mapping that is none."""
    if not isinstance(value, Mapping):
        return None
    if _is_of_model(value):
        return _plain(value)
    for name in _INWARD:
        inner = value.get(name)
        words = _turns(inner) if isinstance(inner, list) else _inside(inner)
        if words is not None:
            return words
    return None


def _turns(values: list[Any]) -> str | None:
    """The words of the last of some turns or choices that is the model's."""
    for value in reversed(values):
        if isinstance(value, Mapping):
            if "role" in value and not _is_of_model(value):
                continue
            words = _inside(value)
            if words is None and isinstance(value.get("content"), Mapping):  # Google's candidates
                words = _inside(value["content"])
            if words is not None:
                return words
    return None


def _is_of_model(value: Mapping[str, Any]) -> bool:
    return str(value.get("role", "")).casefold() in _MODEL


def _plain(value: Mapping[str, Any]) -> str:
    """The text of a turn: a string, or the texts of its parts, or why it was refused."""
    for name in _PLAIN:
        inner = value.get(name)
        if isinstance(inner, str) and inner:
            return inner
        if isinstance(inner, list):
            texts = [part.get("text") for part in inner if isinstance(part, Mapping)]
            return "\n".join(text for text in texts if isinstance(text, str))
    return ""
