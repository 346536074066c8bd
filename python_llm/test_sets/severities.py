"""How severe a gold diagnosis is, as the file of its case says it."""

from collections.abc import Iterator
from typing import Any

from python_llm.parsing.folding import name_key
from python_llm.registries.label_spelling import NO_LABEL, registry, resolve_label, spellings_of

LONGEST_SHOWN = 20  # characters; a longer cell is prose, which may name a patient


def read_severities(
    records: list[dict[str, Any]], *, contains_phi: bool
) -> Iterator[tuple[dict[str, Any], str]]:
    """Put the severity that is meant into each record, or none; the records whose severity is not
    understood, and why."""
    spellings = spellings_of([])["severity"]
    for record in records:
        written = record.get("severity")
        if not written:
            continue
        record["severity"] = resolve_label(written, spellings)
        if record["severity"] or name_key(written) in {*NO_LABEL, "unknown"}:
            continue
        shown = "" if contains_phi or len(written) > LONGEST_SHOWN else f"'{written}', "
        yield (
            record,
            f"{shown}not a severity; the case is kept without one and judges grade it: write "
            f"{', '.join(registry('severity')[:-1])} or {registry('severity')[-1]}",
        )
