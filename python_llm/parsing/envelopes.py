"""The words of an answer that is still in what a provider's interface wrapped it in."""

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

# What begins a part of an answer that is a line of its own.
_BEGINS_LINE = re.compile(r"\s*(?:[A-ZÀ-Þ]|\d{1,2}[.)]|[-*•#{\[<|])")
# those who speak for the model, in the interfaces that name them
_MODEL = {"assistant", "model", "ai", "gpt", "chatgpt", "bot"}
# what holds the answer one level further in, the outermost first
_INWARD = ("response", "body", "result", "message", "messages", "choices", "candidates", "output")
_CALLS = ("function", "function_call", "functionCall")
_KINDS = {"text", "output_text", "thinking", "redacted_thinking", "tool_use"}  # of a block
_PLAIN = ("content", "parts", "output_text", "text", "refusal")


# How models mark what they think where nothing has taken it out: Mistral's, Kimi's, and the
# channels of gpt-oss, with their marks or where a tokenizer has dropped them.
_THINKS = re.compile(r"(?:\[|◁)(/?)think(?:ing)?(?:\]|▷)", re.IGNORECASE)
_CHANNEL = re.compile(
    r"(?:<\|start\|>\w*)?<\|channel\|>(?:analysis|commentary)\b[^<|]*<\|message\|>(.*?)"
    r"(?:<\|(?:end|call|return)\|>|(?=<\|start\|>|<\|channel\|>)|\Z)",
    re.DOTALL,
)
_FINAL = re.compile(
    r"(?:<\|start\|>\w*)?<\|channel\|>final\b[^<|]*<\|message\|>|"
    r"<\|(?:end|return|im_end|eot_id|endoftext)\|>"
)
_BARE_CHANNELS = re.compile(r"\Aanalysis(?=[A-Z]).*assistantfinal", re.DOTALL)


def with_thinking_marked(text: str) -> str:
    """`text` with all that a model thought before its answer between <think> and </think>."""
    text = _THINKS.sub(r"<\1think>", text)
    if "<|" in text:
        text = _FINAL.sub("", _CHANNEL.sub(r"<think>\1</think>", text))
    return _BARE_CHANNELS.sub("", text)


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
    words = (_blocks(value) or _turns(value)) if isinstance(value, list) else _inside(value)
    return text if words is None else words


def _inside(value: Any) -> str | None:
    """The words of a response; None for a mapping that is none."""
    if not isinstance(value, Mapping):
        return None
    if _is_of_model(value):
        return _plain(value) or _why_none(value)
    tree = value.get("mapping", value)
    if _is_tree(tree):
        return _turns(_branch(tree, value.get("current_node")))
    for name in _INWARD:
        inner = value.get(name)
        words = _turns(_first_last(inner)) if isinstance(inner, list) else _inside(inner)
        if words is not None:
            return words
    return None


def _first_last(values: list[Any]) -> list[Any]:
    """Several choices of one request with that of index 0 behind the others; turns as they are."""
    indices = [value.get("index") if isinstance(value, Mapping) else None for value in values]
    if len(values) < 2 or sorted(map(str, indices)) != sorted(map(str, range(len(values)))):
        return values
    return sorted(values, key=lambda value: -int(value["index"]))


def _turns(values: list[Any]) -> str | None:
    """The words of the last of some turns or choices that is the model's."""
    for value in reversed(values):
        if isinstance(value, Mapping):
            if _role(value) and not _is_of_model(value):
                continue
            words = _inside(value)
            content = value.get("content")
            if words is None and isinstance(content, Mapping):  # Google's candidates
                words = _inside(content)
                if words is None and isinstance(content.get("parts"), list) and not _role(content):
                    words = _plain(content)
            if words is not None:
                return words or _why_none(value)
    return None


def _why_none(value: Mapping[str, Any]) -> str:
    """Why a turn or choice without words has none, where it says that they were withheld."""
    for name in ("stop_reason", "finish_reason"):
        if value.get(name) in ("refusal", "content_filter"):
            return json.dumps({name: value[name]})
    return ""


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
        value.get("from") if "value" in value else None,  # ShareGPT
        isinstance(author, Mapping) and author.get("role"),
    )
    return next((role.casefold() for role in named if isinstance(role, str)), "")


def _is_of_model(value: Mapping[str, Any]) -> bool:
    return _role(value) in _MODEL


def _blocks(values: list[Any]) -> str | None:
    """The words in the blocks of one answer (text, use of a tool); None for any other list."""
    kinds = [value.get("type") if isinstance(value, Mapping) else None for value in values]
    return _plain({"content": values}) or None if values and {*kinds} <= _KINDS else None


def _of_tools(value: Mapping[str, Any]) -> str:
    """What a turn hands to a tool, as JSON: the answer where it was asked for in that form."""
    calls = [part for part in value.get("tool_calls") or () if isinstance(part, Mapping)]
    parts = value.get("content") if isinstance(value.get("content"), list) else value.get("parts")
    calls += [part for part in parts or () if isinstance(part, Mapping)]
    calls += [call for name in _CALLS if isinstance(call := value.get(name), Mapping)]
    for call in calls:
        inner = next((c for name in _CALLS if isinstance(c := call.get(name), Mapping)), call)
        for name in ("arguments", "input", "args"):
            handed = inner.get(name)
            if handed and (name != "input" or call.get("type") == "tool_use"):
                return handed if isinstance(handed, str) else json.dumps(handed, ensure_ascii=False)
    return ""


def _plain(value: Mapping[str, Any]) -> str:
    """What a turn says: what it hands to a tool; or a string, or the texts of its parts one behind
    the other, or why it was refused."""
    if handed := _of_tools(value):
        return handed
    for name in (*_PLAIN, *(("value",) if "from" in value else ())):
        inner = value.get(name)
        if isinstance(inner, str) and inner:
            return inner
        if isinstance(inner, Mapping):
            return _plain(inner)
        if isinstance(inner, list) and inner:
            texts = [part.get("text") if isinstance(part, Mapping) else part for part in inner]
            words = [text for text in texts if isinstance(text, str)]
            # where a part ends in the middle of a line, the next goes on with it
            return ("\n" if all(map(_BEGINS_LINE.match, words[1:])) else "").join(words)
    return ""
