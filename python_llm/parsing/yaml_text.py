"""YAML that strangers bring. Invalid YAML, and YAML that expands far beyond its text, is refused.

An alias stands for a value that is written elsewhere. Aliases of aliases multiply: ten lines may
stand for more values than any machine has memory for.
"""

from typing import Any

import yaml

MOST_EXPANDED = 1_000_000  # characters that aliases may stand for, and ten times the text


def node_of(text: str) -> yaml.Node | None:
    """The nodes of a document, None for an empty one. Raises yaml.MarkedYAMLError for what is no
    YAML, is nested too deeply, or has aliases that stand for too much."""
    reader = yaml.SafeLoader(text)
    try:
        return _node(reader, text)
    finally:
        reader.dispose()


def value_of(text: str, loader: Any = yaml.SafeLoader, *, is_once: bool = True) -> Any:
    """The value of a document. is_once: a key that a mapping has twice is refused, where YAML would
    take the last one. Raises as node_of does."""
    reader = loader(text)
    try:
        node = _node(reader, text)
        if node is None:
            return None
        if is_once:
            _check_once(node)
        return reader.construct_document(node)
    except (ValueError, RecursionError) as error:
        raise yaml.MarkedYAMLError(problem="a value in it cannot be read") from error
    finally:
        reader.dispose()


def _node(reader: Any, text: str) -> yaml.Node | None:
    try:
        node: yaml.Node | None = reader.get_single_node()
        size = 0.0 if node is None else _size(node, {})
    except RecursionError as error:
        raise yaml.MarkedYAMLError(problem="nested too deeply") from error
    if size > MOST_EXPANDED + 10 * len(text):
        raise yaml.MarkedYAMLError(
            problem="its aliases (*name) stand for far more than is written: write the values out"
        )
    return node


def _size(node: yaml.Node, sizes: dict[int, float]) -> float:
    """The characters of a node, those of what its aliases stand for included; infinite for one that
    holds itself."""
    if id(node) not in sizes:
        sizes[id(node)] = float("inf")
        if isinstance(node, yaml.ScalarNode):
            size = float(len(node.value))
        elif isinstance(node, yaml.MappingNode):
            size = sum(_size(part, sizes) for pair in node.value for part in pair)
        else:
            size = sum(_size(part, sizes) for part in node.value)
        sizes[id(node)] = size + 1
    return sizes[id(node)]


def _check_once(root: yaml.Node) -> None:
    left, seen = [root], {id(root)}
    while left:
        node = left.pop()
        parts = list(node.value) if isinstance(node, yaml.SequenceNode) else []
        if isinstance(node, yaml.MappingNode):
            keys: set[str] = set()
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value in keys:
                    problem = f"the key {key.value[:40]!r} is there twice"
                    raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
                keys.add(str(key.value))
                parts.append(value)
        new = {id(part): part for part in parts if id(part) not in seen}
        seen.update(new)
        left.extend(new.values())
