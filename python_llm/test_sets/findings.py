"""The findings of a row of a table: observed, excluded, or neither and set aside."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from python_llm.imports import presence
from python_llm.imports.beside_ids import told_apart
from python_llm.imports.cells import as_written, texts
from python_llm.imports.presence import Presence
from python_llm.parsing.folding import column_key

OBSERVED = ("hpo_ids", "hpo_names")
NEITHER = "neither observed nor excluded by '{}': set aside; write observed or excluded there"
OPEN = "{} neither observed nor excluded, in '{}': set aside; write it among either"
UNCLEAR = (
    "{} neither observed nor excluded by what stands beside: set aside; write NOT before what is "
    "excluded, and nothing before what is observed"
)

Row = Mapping[str, Any]
Record = dict[str, Any]


class Findings:
    """What the rows of a table say of findings. `named` has the columns of each field, `present`
    the headings, `sample` some rows, all but the headings by folded name."""

    def __init__(
        self, named: Mapping[str, list[str]], present: Iterable[str], sample: Sequence[Row]
    ) -> None:
        headings = {column_key(name): name.strip() for name in present}
        of_ids = {column: presence.id_in_heading(headings[column]) for column in headings}
        self.matrix = {
            column: hpo_id for column in named.get("hpo_ids", []) if (hpo_id := of_ids.get(column))
        }
        taken = {column for columns in named.values() for column in columns}
        free = [column for column in headings if column not in taken]
        held = [column for field in OBSERVED for column in named.get(field, [])]
        is_of_one = not any(
            presence.is_list_of_findings(row.get(c)) for row in sample for c in held
        )
        names = named.get("record_id", [])
        ids = [tuple(as_written(row.get(name)) for name in names) for row in sample]
        flag = presence.of_rows(free, sample, ids, is_of_one_finding=is_of_one) if held else None
        self.of_doubt = {
            column: headings[column]
            for column in free
            if presence.is_of_doubt(column)
            and presence.holds_findings(column, [row.get(column) for row in sample])
        }
        self.flag: str | None = headings[flag[0]] if flag else None
        self._flagged: Callable[[Row], Presence] | None = flag and flag[1]

    def read(self, record: Record, row: Row) -> Record:
        """The record of a row with its findings told apart."""
        open_: list[str] = []
        if self.matrix:
            cells = {hpo_id: presence.of_cell(row.get(c)) for c, hpo_id in self.matrix.items()}
            record["hpo_ids"] = [i for i, status in cells.items() if status is Presence.OBSERVED]
            denied = [i for i, status in cells.items() if status is Presence.EXCLUDED]
        else:
            denied = []
            for field in OBSERVED:
                told = told_apart(record.get(field) or [])
                record[field] = told.observed or None
                denied += told.excluded
                open_ += told.unknown
        excluded = [*(record.get("excluded_hpo_ids") or []), *denied]
        written = [finding for field in OBSERVED for finding in record.get(field) or []]
        status = self._flagged(row) if self._flagged and written else Presence.OBSERVED
        if status is not Presence.OBSERVED:
            record |= dict.fromkeys(OBSERVED)
        if status is Presence.EXCLUDED:
            excluded += written
        reasons = [NEITHER.format(self.flag)] if status is Presence.UNKNOWN else []
        reasons += [UNCLEAR.format(_phenotypes(len(open_)))] if open_ else []
        reasons += self._in_doubt(row)
        record["findings_set_aside"] = [(record["source_line"], reason) for reason in reasons]
        record["hpo_ids"] = record["hpo_ids"] or None
        record["excluded_hpo_ids"] = excluded or None
        return record

    def _in_doubt(self, row: Row) -> list[str]:
        """Why the findings in columns of uncertain ones are set aside, once for each object."""
        n_of: dict[str, int] = {}
        for column, heading in self.of_doubt.items():
            value = row.get(column)
            n = len(value) if isinstance(value, list) else len(texts(value, "|") or [])
            outer, _, last = heading.rpartition(".")
            subject = heading if presence.is_of_doubt(column_key(last)) else outer
            n_of[subject] = max(n, n_of.get(subject, 0))
        return [OPEN.format(_phenotypes(n), name) for name, n in n_of.items() if n]


def _phenotypes(n: int) -> str:
    return "a phenotype that is" if n == 1 else f"{n} phenotypes that are"
