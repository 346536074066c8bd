"""What an import takes of a file, label by label, and what it does not, with line and reason."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from python_llm.imports.numbered_rows import Row, sheet_of
from python_llm.labels.source import Source
from python_llm.labels.store import Label, Reject, Subject
from python_llm.parsing.folding import name_key


@dataclass
class Taken:
    """Labels of a file by their key, and what was rejected."""

    path: Path
    source: Source
    labels: dict[str, Label] = field(default_factory=dict)
    rejects: list[Reject] = field(default_factory=list)
    matched_by: dict[str, str] = field(
        default_factory=dict
    )  # how cases were found, by configuration
    n_missing: int = 0  # cells that say that there is no label
    n_again: int = 0  # labels that were there before
    n_other: int = 0  # and said something else

    def reject(self, row: Row, rater: str, field: str, reason: str) -> None:
        self.rejects.append(
            {
                "panel": self.source.judge,
                "source_file": self.path.name,
                "source_line": row.number,
                "rater": rater or None,
                "field": field,
                "reason": f"{reason}{sheet_of(row.values)}",
            }
        )

    def take(
        self, row: Row, subject: Subject, rater: str, scale: str, label: str, written: str
    ) -> None:
        """Take a label of `subject`; of two that differ the first stands."""
        judge_id = f"{self.source.judge}/{rater}" if rater else self.source.judge
        key = _label_key(judge_id, subject, scale)
        taken_label: Label = {
            **subject,
            "label_key": key,
            "judge_id": judge_id,
            "panel": self.source.judge,
            "rater": rater or None,
            "kind": self.source.kind,
            "scale": scale,
            "label": label,
            "label_written": written,
            "source_file": self.path.name,
            "source_line": row.number,
        }
        before = self.labels.setdefault(key, taken_label)
        self.n_again += before is not taken_label
        self.n_other += before["label"] != label
        if before["label"] != label:
            self.reject(
                row,
                rater,
                scale,
                f"'{label}' where line {before['source_line']} says '{before['label']}': "
                "the first stands",
            )


def _label_key(judge_id: str, subject: Subject, scale: str) -> str:
    """What makes two labels labels of the same thing by the same judge; names as compared."""
    parts = [
        *(judge_id, subject["test_set"], subject["configuration_id"], subject["case_ref"]),
        *(subject["diagnosis_rank"], name_key(subject["diagnosis"] or ""), scale),
    ]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
