"""What is compared with each other, as matrices: the rows of a judge on a test set, and draws."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

PART = 1 << 17  # numbers sorted at a time: they fit in the processor's cache
DICTIONARY = pa.dictionary(pa.int32(), pa.string())
Reader = Callable[[], pa.RecordBatchReader]  # opens a table for reading once, in order


class Block(NamedTuple):
    """The rows within which configurations are compared, such as one judge's on one test set.

    n_units: how many units (cases, questions) were measured. position: the index of each row in the
    flattened (configurations, units); None if every configuration has every unit and the rows are
    in that order.
    """

    key: tuple[str, ...]
    configurations: list[str]
    rows: pa.Table
    n_units: int
    position: np.ndarray | None = None

    def matrix(self, column: str) -> np.ndarray:
        """A column as (configurations, units); missing values and missing units are NaN."""
        numbers = self.rows.column(column).to_numpy().astype(np.float64)
        shape = len(self.configurations), self.n_units
        if self.position is None:
            return numbers.reshape(shape)
        values = np.full(shape, np.nan)
        values.flat[self.position] = numbers
        return values


def blocks(open_rows: Reader, keys: Sequence[str], unit: str = "case_id") -> Iterator[Block]:
    """The blocks of consecutive rows with the same `keys`, ordered by configuration_id and `unit`.

    One block at a time is in memory. A configuration that was asked only on a sample has fewer
    units than the others.
    """
    for key, rows in runs(open_rows(), keys):
        names, units = (
            rows.column(name).combine_chunks().dictionary_encode()
            for name in ("configuration_id", unit)
        )
        configuration, unit_code = names.indices.to_numpy(), units.indices.to_numpy()
        first = np.flatnonzero(np.r_[True, configuration[1:] != configuration[:-1]])
        configurations = names.dictionary.take(pa.array(configuration[first])).to_pylist()
        n_units = len(units.dictionary)
        if n_units * len(first) == rows.num_rows and np.array_equal(
            unit_code, np.tile(unit_code[:n_units], len(first))
        ):
            yield Block(key, configurations, rows, n_units)
        else:
            row = np.repeat(np.arange(len(first)), np.diff(first, append=rows.num_rows))
            # by id, not by first occurrence: the order of configurations must not change the draws
            by_id = np.empty(n_units, np.int64)
            by_id[pc.sort_indices(units.dictionary).to_numpy()] = np.arange(n_units)
            yield Block(key, configurations, rows, n_units, row * n_units + by_id[unit_code])


def parts_with_same_units(block: Block) -> Iterator[Block]:
    """The parts of a block whose configurations have exactly the same units."""
    if block.position is None:
        yield block
        return
    has = np.zeros((len(block.configurations), block.n_units), bool)
    has.flat[block.position] = True
    patterns, which = np.unique(has, axis=0, return_inverse=True)
    row = block.position // block.n_units
    for number, pattern in enumerate(patterns):
        members = np.flatnonzero(which == number)
        mask = np.isin(row, members)
        # within a part every configuration has its units in the same order
        order = np.argsort(block.position[mask], kind="stable")
        yield Block(
            block.key,
            [block.configurations[member] for member in members],
            block.rows.filter(pa.array(mask)).take(pa.array(order)),
            int(pattern.sum()),
        )


def runs(
    batches: Iterable[pa.RecordBatch], keys: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], pa.Table]]:
    """Consecutive rows with the same `keys`, as (key, table)."""
    key: tuple[str, ...] = ()
    parts: list[pa.Table] = []
    for batch in batches:
        if not batch.num_rows:
            continue
        codes = [batch.column(name).dictionary_encode().indices.to_numpy() for name in keys]
        changes = np.any([code[1:] != code[:-1] for code in codes], axis=0)
        for start, stop in pairwise([0, *(np.flatnonzero(changes) + 1).tolist(), batch.num_rows]):
            next_key = tuple(batch.column(name)[start].as_py() for name in keys)
            if parts and next_key != key:
                yield key, pa.Table.from_batches(parts)
                parts = []
            key = next_key
            parts.append(batch.slice(start, stop - start))
    if parts:
        yield key, pa.Table.from_batches(parts)


@lru_cache(maxsize=8)
def resample_counts(n_cases: int, replicates: int, seed: int) -> np.ndarray:
    """How often each case is drawn in each bootstrap replicate: (replicates, n_cases).

    The same number of cases and the same seed give the same draws, so configurations on the same
    cases are resampled together.
    """
    generator = np.random.default_rng([seed, n_cases])
    chances = np.full(n_cases, 1 / n_cases)
    counts = generator.multinomial(n_cases, chances, size=replicates).astype(np.float64)
    counts.flags.writeable = False
    return counts


def nullable(values: np.ndarray, kind: pa.DataType) -> pa.Array:
    """Numbers with NaN as null."""
    values = np.asarray(values, np.float64)
    missing = np.isnan(values)
    if pa.types.is_integer(kind):
        return pa.array(np.where(missing, 0, values).astype(np.int32), kind, mask=missing)
    return pa.array(values, kind, mask=missing)
