"""The open batches of a ledger, and the folder that keeps them for one machine.

    <ledger>/batches/<intent>.jsonl          one open batch
    <ledger>/batches/closed/<intent>.jsonl   one whose every item is in the ledger

The first line of a file is the intent: what is about to be submitted, item by item with its worst
case. A receipt with the provider's id follows once it is submitted. A file without a receipt is
what a kill in between leaves; the provider's list of batches tells whether there is one. As long as
the file is open, nobody else asks for its items.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from python_llm.engine.errors import EngineError
from python_llm.engine.ledger.lines import BadLine, Damage, opened, sealed


@dataclass(frozen=True)
class OpenBatch:
    """intent: what was to be submitted; batch_id: the provider's name, None without a receipt."""

    intent: Mapping[str, Any]
    batch_id: str | None

    @property
    def intent_id(self) -> str:
        return self.intent["intent_id"]

    @property
    def keys(self) -> list[str]:
        return [item["request_key"] for item in self.intent["items"]]

    @property
    def worst_case(self) -> Decimal:
        return sum((Decimal(item["worst_usd"]) for item in self.intent["items"]), Decimal(0))

    @property
    def submitted_at(self) -> datetime:
        return datetime.fromisoformat(self.intent["submitted_at"])


class BatchStore(ABC):
    """The open batches of one ledger. Writers hold its lock, or have the turn. Errors: EngineError
    when the ledger cannot be written."""

    @abstractmethod
    def open_batches(self) -> list[OpenBatch]:
        """In the order of their submission."""

    @abstractmethod
    def intend(self, intent: Mapping[str, Any]) -> OpenBatch:
        """Say what is about to be submitted. Its requests are the batch's from then on."""

    @abstractmethod
    def receipt(self, batch: OpenBatch, batch_id: str) -> OpenBatch:
        """Write down the name the provider gave it."""

    @abstractmethod
    def close(self, batch: OpenBatch) -> None:
        """Every item of it is in the ledger."""

    @abstractmethod
    def drop(self, batch: OpenBatch) -> None:
        """Of a submission that never was."""

    @abstractmethod
    def known_ids(self) -> set[str]:
        """The provider's ids of all batches with a receipt."""


class BatchFolder(BatchStore):
    """Files in a folder of the ledger."""

    def __init__(self, ledger_folder: Path) -> None:
        self.folder = ledger_folder / "batches"

    def open_batches(self) -> list[OpenBatch]:
        batches = []
        for path in sorted(self.folder.glob("*.jsonl")):
            batch = _batch_of(path)
            if batch is None:
                path.unlink()  # of a submission that was killed before it began
            else:
                batches.append(batch)
        return sorted(batches, key=lambda batch: batch.intent["submitted_at"])

    def all_batches(self) -> Iterator[tuple[OpenBatch, bool]]:
        """Every batch that ever was, and whether it is closed."""
        closed = ((path, True) for path in self.folder.glob("closed/*.jsonl"))
        for path, is_closed in [*((path, False) for path in self.folder.glob("*.jsonl")), *closed]:
            if batch := _batch_of(path):
                yield batch, is_closed

    def intend(self, intent: Mapping[str, Any]) -> OpenBatch:
        batch = OpenBatch(intent, None)
        self._append(self._path(batch), intent)
        return batch

    def receipt(self, batch: OpenBatch, batch_id: str) -> OpenBatch:
        self._append(self._path(batch), {"batch_id": batch_id})
        return OpenBatch(batch.intent, batch_id)

    def close(self, batch: OpenBatch) -> None:
        closed = self.folder / "closed"
        closed.mkdir(exist_ok=True)
        os.replace(self._path(batch), closed / self._path(batch).name)

    def drop(self, batch: OpenBatch) -> None:
        self._path(batch).unlink()

    def known_ids(self) -> set[str]:
        return {batch.batch_id for batch, _ in self.all_batches() if batch.batch_id}

    def verify(self) -> list[str]:
        """A sentence for each file that cannot be read."""
        return [str(damage) for path in self._files() if (damage := _damage_of(path))]

    def repair(self) -> list[str]:
        """Set the files aside that cannot be read; a sentence for each."""
        sentences = []
        for path in self._files():
            if _damage_of(path) is None:
                continue
            aside = self.folder / "damaged"
            aside.mkdir(exist_ok=True)
            os.replace(path, aside / path.name)
            sentences.append(
                f"{path}: now in {aside}. If its batch was open, the provider may still bill it, "
                "and its requests will be asked again."
            )
        return sentences

    def _files(self) -> list[Path]:
        return sorted([*self.folder.glob("*.jsonl"), *self.folder.glob("closed/*.jsonl")])

    def _path(self, batch: OpenBatch) -> Path:
        return self.folder / f"{batch.intent_id}.jsonl"

    def _append(self, path: Path, line: Mapping[str, Any]) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(sealed(json.dumps(line).encode()))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise EngineError(
                f"The ledger could not be written ({error.strerror}: {path}): make room, or give "
                "another ledger folder."
            ) from error


def _batch_of(path: Path) -> OpenBatch | None:
    """The batch of a file; None where not even its first line is whole. Errors: EngineError for a
    damaged file: what is in it may have been paid for, and is not for anybody to ask again."""
    lines: list[Any] = []
    try:
        for line in path.read_bytes().splitlines(keepends=True):
            if line.endswith(b"\n"):
                lines.append(opened(line)[0])
        if not lines:
            return None
        receipts = [line["batch_id"] for line in lines[1:]]
        batch = OpenBatch(lines[0], receipts[-1] if receipts else None)
        _ = batch.intent_id, batch.keys, batch.worst_case, batch.submitted_at
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError) as error:
        reason = "" if not isinstance(error, BadLine) else str(error)
        lost = "the requests of a batch, and whether it was taken"
        raise EngineError(str(Damage(path, len(lines) + 1, reason, lost))) from None
    return batch


def _damage_of(path: Path) -> str | None:
    try:
        _batch_of(path)
    except EngineError as error:
        return str(error)
    return None
