"""Lines of one kind in a folder of segments and parts, and how the two become one another."""

from __future__ import annotations

import os
import stat
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from python_llm.engine.ledger import parts as parquet
from python_llm.engine.ledger.lines import Damage, closing_line
from python_llm.engine.ledger.segments import line_of, read_segment, sync_folder

# More small parts than this are merged into one, so that a ledger of many runs stays quick to read.
MOST_PARTS = 16
SMALL_PART_BYTES = 64 * 2**20
# Where repair puts a damaged file as it was.
SET_ASIDE = "damaged"


@dataclass(frozen=True)
class Log:
    """schema: of a line. open_segments: names of the segments that may lack their closing line: of
    the run that writes now, or that was killed."""

    folder: Path
    schema: pa.Schema
    open_segments: Callable[[], set[str]] = set

    @property
    def segments(self) -> Path:
        return self.folder / "segments"

    @property
    def parts(self) -> Path:
        return self.folder / "parts"

    def _may_be_open(self, path: Path, known: frozenset[str] = frozenset()) -> bool:
        return path.name in known or path.name in self.open_segments()

    def read(
        self, columns: Sequence[str], damage: list[Damage], being_written: str | None = None
    ) -> tuple[pa.Table, str]:
        """The rows in segments, and SQL that adds those in parts. being_written: name of the
        segment whose intents are under way."""
        known = frozenset([being_written] if being_written else [])
        segments, parts = self.current(damage)
        lines = [
            batch
            for path in segments
            for batch in read_segment(
                path,
                damage,
                columns,
                schema=self.schema,
                is_being_written=path.name == being_written,
                may_be_open=partial(self._may_be_open, path, known),
            )
        ]
        more = ""
        for (names, has_digest), paths in _by_columns(parts).items():
            wanted = ", ".join(n if n in names else f"null as {n}" for n in columns)
            files = ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths)
            more += f" union all select {wanted} from read_parquet([{files}])"
            if not has_digest:  # from before the length of a line was limited
                more += f" where {parquet.of_bearable_size(self.schema, names)}"
        schema = pa.schema([self.schema.field(name) for name in columns])
        return pa.Table.from_batches(lines, schema=schema), more

    def rows(self, damage: list[Damage]) -> Iterator[pa.RecordBatch]:
        """Every row, in no order."""
        segments, parts = self.current(damage)
        for path in [*segments, *parts]:
            yield from self._batches(path, damage)

    def _batches(
        self, path: Path, damage: list[Damage], counts: Counter[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a segment or part in full; what is wrong with it goes to `damage`."""
        if path.suffix == ".jsonl":
            is_open = partial(self._may_be_open, path)
            yield from read_segment(
                path, damage, schema=self.schema, may_be_open=is_open, counts=counts
            )
            return
        try:
            yield from parquet.read_part(path, self.schema)
        except FileNotFoundError:
            raise
        except Exception:  # noqa: BLE001 - a damaged file provokes anything
            damage.append(parquet.damage_of(path, "it is not readable Parquet"))

    def current(
        self, damage: list[Damage], *, thoroughly: bool = False
    ) -> tuple[list[Path], list[Path]]:
        """Segments and parts that together hold every row once. thoroughly: take nothing for
        granted that was found out about a part before."""
        # Segments are listed first: one that is compacted in between is then in both lists and
        # left out because its part names it; the other way round it would be in neither.
        segments, parts = sorted(self.segments.glob("*.jsonl")), {}
        for path in filter(_is_pipe, [*segments]):
            segments.remove(path)
            damage.append(Damage(path, reason="it is no file"))
        for path in sorted(self.parts.glob("*.parquet")):
            problem = parquet.problem_of(path, thoroughly=thoroughly)
            try:
                if not problem:
                    parts[path] = parquet.replaced_by(path, self.schema)
                    continue
            except FileNotFoundError:
                raise
            except Exception as error:  # noqa: BLE001 - a damaged file provokes anything
                problem = f"it is no part of the ledger: {type(error).__name__}"
            damage.append(parquet.damage_of(path, problem))
        replaced = {name for names in parts.values() for name in names}
        return (
            [path for path in segments if path.name not in replaced],
            parquet.without_copies(path for path in parts if path.name not in replaced),
        )

    def verify(self, damage: list[Damage], counts: Counter[str]) -> int:
        """How many rows can be read, from every byte of every file."""
        n_rows = 0
        segments, parts = self.current(damage, thoroughly=True)
        sound = {*self.parts.glob("*.parquet")} - {broken.path for broken in damage}
        counts["copies"] += len(sound) - len(parquet.without_copies(sorted(sound)))
        for path in [*segments, *parts]:
            counts["parts"] += path in parts
            counts["parts without"] += path in parts and not parquet.has_digest(path)
            try:
                n_rows += sum(batch.num_rows for batch in self._batches(path, damage, counts))
            except FileNotFoundError:
                continue  # somebody compacts
            except Exception as error:  # noqa: BLE001 - nothing may keep it from the next file
                damage.append(Damage(path, reason=type(error).__name__))
        return n_rows

    def stumbled(self) -> bool:
        """Look at every part that has no checksum, after one of them could not be read; whether one
        is damaged, and will be left out from now on."""
        old = [path for path in self.parts.glob("*.parquet") if not parquet.has_digest(path)]
        return any([parquet.problem_of(path, thoroughly=True) != "" for path in old])

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """A closed segment with these rows, whole or not at all; beside whoever writes now. Errors:
        OSError."""
        self.segments.mkdir(parents=True, exist_ok=True)
        segment = self.segments / f"{parquet.file_stem(uuid.uuid4().hex)}.jsonl"
        unfinished = segment.with_suffix(".tmp")
        lines = [line_of(dict(row)) for row in rows]
        unfinished.write_bytes(b"".join([*lines, closing_line(len(lines))]))
        parquet.sync_file(unfinished)
        os.replace(unfinished, segment)
        sync_folder(self.segments)

    def compact(self, damage: list[Damage]) -> None:
        """Turn closed segments into Parquet, and many small parts into one. Only for the holder
        of the ledger's lock. A damaged segment stays as it is."""
        for leftover in self.parts.glob("*.tmp"):
            leftover.unlink()
        segments, parts = self.current(damage)
        for stale in {*self.segments.glob("*.jsonl"), *self.parts.glob("*.parquet")}:
            if stale not in segments and stale not in parts and Damage(stale) not in damage:
                stale.unlink()
        for path in segments:
            self._replace([path], damage)
        small = [path for path in self.current([])[1] if path.stat().st_size < SMALL_PART_BYTES]
        if len(small) > MOST_PARTS:
            self._replace(small, damage)

    def remove(self, goes: Callable[[pa.RecordBatch], pa.Array]) -> int:
        """Remove the rows of parts for which `goes` is true; how many. Only for the holder of the
        ledger's lock."""
        n_removed = 0

        def rest(batch: pa.RecordBatch) -> pa.RecordBatch:
            nonlocal n_removed
            kept = batch.filter(pc.invert(goes(batch)))
            n_removed += batch.num_rows - kept.num_rows
            return kept

        for part in self.current([])[1]:
            self._replace([part], [], rest)
        return n_removed

    def _replace(
        self,
        sources: list[Path],
        damage: list[Damage],
        keep: Callable[[pa.RecordBatch], pa.RecordBatch] = lambda batch: batch,
    ) -> None:
        """One part with what is kept in place of the sources, unless one of them is damaged."""
        n_damaged = len(damage)

        def kept() -> Iterator[pa.RecordBatch]:
            for source in sources:
                yield from map(keep, self._batches(source, damage))
            if len(damage) > n_damaged:
                raise _DamagedError

        try:
            parquet.write_part(self.parts, self.schema, kept(), [path.name for path in sources])
        except _DamagedError:
            return
        for source in sources:
            source.unlink()

    def repair(self) -> list[str]:
        """Put what can be read of each damaged file into a part, and the file aside; a sentence for
        each. Only for the holder of the ledger's lock."""
        sentences = []
        damage: list[Damage] = []
        segments, parts = self.current(damage, thoroughly=True)
        for path in [*segments, *(part for part in parts if not parquet.has_digest(part))]:
            own: list[Damage] = []
            batches = list(self._batches(path, own))
            if own:
                sentences.append(self._set_aside(path, batches, f"{len(own):,} places"))
        for path in {broken.path for broken in damage}:
            batches, n_lost = parquet.recovered(path, self.schema)
            lost = "an unknown number of rows" if n_lost is None else f"{n_lost:,} rows"
            sentences.append(self._set_aside(path, batches, lost))
        return sentences

    def _set_aside(self, path: Path, batches: list[pa.RecordBatch], lost: str) -> str:
        n_rows = parquet.write_part(self.parts, self.schema, batches, [path.name])
        aside = self.folder / SET_ASIDE
        aside.mkdir(exist_ok=True)
        os.replace(path, aside / path.name)
        sync_folder(aside)
        return f"{path}: {n_rows:,} rows kept, {lost} lost; the file as it was is now in {aside}."


def _is_pipe(path: Path) -> bool:
    """Whether to open it would wait for a writer."""
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except FileNotFoundError:
        return False


class _DamagedError(Exception):
    """A source turned out to be damaged while its part was written."""


def _by_columns(parts: list[Path]) -> dict[tuple[frozenset[str], bool], list[Path]]:
    """Parts by the columns they have and whether they have a checksum: those of an older version
    know fewer columns."""
    paths: dict[tuple[frozenset[str], bool], list[Path]] = {}
    for path in parts:
        with pq.ParquetFile(path) as file:
            names = frozenset(file.schema_arrow.names)
        paths.setdefault((names, parquet.has_digest(path)), []).append(path)
    return paths
