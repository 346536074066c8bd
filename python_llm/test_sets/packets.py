"""Where the phenopackets of a JSON object are: itself, a GA4GH Family or Cohort, or lists of them
below any key."""

from collections.abc import Iterator
from typing import Any

from python_llm.parsing.folding import column_key

_OF_PACKETS = {"phenotypicfeatures", "phenotypic_features", "interpretations", "diseases"}
MOST_DEEP = 6  # objects around a packet


def packets_in(item: Any) -> list[Any]:
    """The phenopackets of an object, without the relatives of a family; the object itself if none
    is in it, for whoever says what it lacks."""
    return list(_below(item, MOST_DEEP)) or [item]


def _below(item: Any, depth: int) -> Iterator[dict[str, Any]]:
    if isinstance(item, list):
        for entry in item:
            yield from _below(entry, depth)
    elif isinstance(item, dict):
        keys = {column_key(str(name)) for name in item}
        if not _OF_PACKETS.isdisjoint(keys):
            yield item
        elif isinstance(item.get("proband"), dict):
            yield item["proband"]
        elif depth:
            for value in item.values():
                yield from _below(value, depth - 1)
