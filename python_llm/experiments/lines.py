"""Where something stands in a YAML file, for messages about it."""

from collections.abc import Sequence
from pathlib import Path

import yaml

from python_llm.errors import UserError


class ExperimentError(UserError):
    """An experiment file that cannot be used; the text names file, line and remedy."""


class Lines:
    """Where each key and value of a YAML file stands."""

    def __init__(self, path: Path, root: yaml.Node | None) -> None:
        self._path = path
        self._root = root

    def error(self, location: Sequence[str | int], reason: str) -> ExperimentError:
        return ExperimentError(f"{self._path}, line {self._line(location)}: {reason}.")

    def check_once(self) -> None:
        """Raise ExperimentError for a key that is there twice: YAML would take the last one."""
        nodes = [self._root]
        for node in nodes:
            if isinstance(node, yaml.SequenceNode):
                nodes += [child for child in node.value if child not in nodes]
            elif isinstance(node, yaml.MappingNode):
                lines: dict[str, int] = {}
                for key, value in node.value:
                    line = key.start_mark.line + 1
                    if key.value in lines:
                        raise ExperimentError(
                            f"{self._path}, line {line}: the key {key.value!r} is there already "
                            f"in line {lines[key.value]}: make them one."
                        )
                    lines[key.value] = line
                    nodes += [value] if value not in nodes else []

    def _line(self, location: Sequence[str | int]) -> int:
        node, line = self._root, 1
        for step in location:
            if isinstance(node, yaml.MappingNode):
                entry = next((pair for pair in node.value if pair[0].value == step), None)
                if entry is None:
                    continue  # a name of a type, not of a key
                line, node = entry[0].start_mark.line + 1, entry[1]
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
                node = node.value[step]
                line = node.start_mark.line + 1
        return line
