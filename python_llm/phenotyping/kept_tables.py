"""What of a work-up no patient changes, kept beside the built warehouse.

The seeds and the names of findings are the same for every note; to read and normalise them takes a
third of a work-up. They are kept as the tables of one database, under a digest of all that they may
be made of: the served database and the files of the project, by size and time of change. No text of
a patient is in them.
"""

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import duckdb

from python_llm import paths
from python_llm.files import replacing

MODELS = ("int_phenotyping__names",)  # that are kept besides the seeds
N_FILES = 4  # so many served databases can be read in turn


class KeptTables:
    """The kept tables of the database that a connection has attached as `served`, attached as
    `kept`; none where nothing is served."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, files: Iterable[Path]) -> None:
        """files: those of the project that tables are made of."""
        self._connection = connection
        self.names: frozenset[str] = frozenset()
        served = connection.execute(
            "select path from duckdb_databases() where database_name = 'served'"
        ).fetchone()
        self._file = _file_for([Path(served[0]).resolve(), *files]) if served else None
        if self._file and self._file.exists():
            with suppress(duckdb.Error):  # one that is damaged is written anew
                connection.execute(f"attach {_quoted(self._file)} as kept (read_only)")
                rows = connection.execute(
                    "select table_name from duckdb_tables() where database_name = 'kept'"
                ).fetchall()
                self.names = frozenset(name for (name,) in rows)

    def keep(self, names: Iterable[str]) -> None:
        """Keep tables of the connection beside those that are kept already. A folder that cannot be
        written costs the next work-up its time, and nothing else."""
        names = frozenset(names)
        if self._file is None or names <= self.names:
            return
        with suppress(OSError, duckdb.Error), replacing(self._file) as draft:
            self._connection.execute(f"attach {_quoted(draft)} as draft")
            try:
                for name in sorted(names | self.names):
                    source = "kept" if name in self.names else "main"
                    self._connection.execute(
                        f'create table draft."{name}" as from {source}."{name}"'
                    )
            finally:
                self._connection.execute("detach draft")
        by_age = sorted(self._file.parent.glob("tables-*.duckdb"), key=_changed_at, reverse=True)
        for old in by_age[N_FILES:]:
            old.unlink(missing_ok=True)


def _quoted(file: Path) -> str:
    return "'" + str(file).replace("'", "''") + "'"


def _changed_at(file: Path) -> int:
    with suppress(OSError):
        return file.stat().st_mtime_ns
    return 0


def _file_for(made_of: Iterable[Path]) -> Path:
    states = [(str(file), file.stat()) for file in made_of]
    content = [duckdb.__version__, *((name, s.st_size, s.st_mtime_ns) for name, s in states)]
    digest = hashlib.blake2b(repr(content).encode(), digest_size=16).hexdigest()
    return paths.built_database().parent / "lexicons" / f"tables-{digest}.duckdb"
