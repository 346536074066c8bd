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
    lists of turns with a role, of which the last of the model counts; in a conversation with
    branches (ChatGPT's export) that of the current one.
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
    tree = value.get("mapping", value)
    if _is_tree(tree):
        return _turns(_branch(tree, value.get("current_node")))
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
            if _role(value) and not _is_of_model(value):
                continue
            words = _inside(value)
            if words is None and isinstance(value.get("content"), Mapping):  # Google's candidates
                words = _inside(value["content"])
            if words is not None:
                return words
    return None


def _is_tree(value: Any) -> bool:
    """Whether these are the turns of a conversation by their ids, each with those that follow."""
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(isinstance(node, Mapping) and "children" in node for node in value.values())
    )


def _branch(tree: Mapping[str, Any], current: Any) -> list[Any]:
    """The turns that lead to the `current` one or, if it is not known, to the last one written:
    what follows a turn anew stands behind what followed it before."""
    path: dict[str, Any] = {}
    if current in tree:
        while current in tree and current not in path:
            path[current] = tree[current].get("message")
            current = tree[current].get("parent")
        return [*reversed(path.values())]
    following = [key for key, node in tree.items() if node.get("parent") not in tree]
    while following and following[-1] in tree and following[-1] not in path:
        path[following[-1]] = tree[following[-1]].get("message")
        following = tree[following[-1]]["children"]
    return [*path.values()]


def _role(value: Mapping[str, Any]) -> str:
    """Who speaks in a turn; '' if it does not say."""
    author = value.get("author")
    named = (
        value.get("role"),
        value.get("sender"),
        isinstance(author, Mapping) and author.get("role"),
    )
    return next((role.casefold() for role in named if isinstance(role, str)), "")


def _is_of_model(value: Mapping[str, Any]) -> bool:
    return _role(value) in _MODEL


def _plain(value: Mapping[str, Any]) -> str:
    """The text of a turn: a string, or the texts of its parts, or why it was refused."""
    for name in _PLAIN:
        inner = value.get(name)
        if isinstance(inner, str) and inner:
            return inner
        if isinstance(inner, Mapping):
            return _plain(inner)
        if isinstance(inner, list) and inner:
            texts = [part.get("text") if isinstance(part, Mapping) else part for part in inner]
            return "\n".join(text for text in texts if isinstance(text, str))
    return ""
