"""What an import takes of a file, label by label, and what it does not, with line and reason."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from python_llm.imports.tables import Row
from python_llm.labels.source import Source
from python_llm.parsing.folding import name_key


@dataclass
class Taken:
    """Labels of a file by their key, as store.LABELS has them, and rejects, as store.REJECTS."""

    path: Path
    source: Source
    labels: dict[str, dict] = field(default_factory=dict)
    rejects: list[dict] = field(default_factory=list)
    n_missing: int = 0  # cells that say that there is no label
    n_again: int = 0  # labels that were there before
    n_other: int = 0  # and said something else

    def reject(self, row: Row, rater: str, what: str, reason: str) -> None:
        self.rejects.append(
            {
                "panel": self.source.judge,
                "source_file": self.path.name,
                "source_line": row.number,
                "rater": rater or None,
                "field": what,
                "reason": reason,
            }
        )

    def take(
        self, row: Row, subject: dict, rater: str, scale: str, label: str, written: str
    ) -> None:
        """Take a label of `subject` (test_set, configuration_id, case_ref, diagnosis_rank and
        diagnosis); of two that differ the first stands."""
        taken_label = {
            **subject,
            "judge_id": f"{self.source.judge}/{rater}" if rater else self.source.judge,
            "panel": self.source.judge,
            "rater": rater or None,
            "kind": self.source.kind,
            "scale": scale,
            "label": label,
            "label_written": written,
            "source_file": self.path.name,
            "source_line": row.number,
        }
        taken_label["label_key"] = _label_key(taken_label)
        before = self.labels.setdefault(taken_label["label_key"], taken_label)
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


def _label_key(label: dict) -> str:
    """What makes two labels labels of the same thing by the same judge; names as compared."""
    parts = [label[name] for name in ("judge_id", "test_set", "configuration_id", "case_ref")]
    parts += [label["diagnosis_rank"], name_key(label["diagnosis"] or ""), label["scale"]]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
