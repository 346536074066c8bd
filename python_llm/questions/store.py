"""The question sets that were imported, and the answers to them that were recorded elsewhere: what
there is, and how it is deleted."""

from pathlib import Path
from typing import Any

from python_llm.audit import trail
from python_llm.questions.imported import imported_folder, read_imported
from python_llm.questions.recorded import FOLDER


def list_sets() -> list[dict[str, Any]]:
    """Each imported set with its questions, those with a key, models with recorded answers, and
    source. Raises FileError for a damaged file."""
    folder = imported_folder()
    questions = read_imported(folder).to_pylist()
    rows = []
    for name in sorted({question["question_set"] for question in questions}):
        of_set = [question for question in questions if question["question_set"] == name]
        rows.append(
            {
                "question set": name,
                "questions": len(of_set),
                "scored": sum(question["unscored_reason"] is None for question in of_set),
                "recorded runs": len(_recorded(folder, name)),
                "contains_phi": of_set[0]["contains_phi"],
                "source": of_set[0]["source"],
            }
        )
    return rows


def forget(question_set: str) -> bool:
    """Delete an imported set and the recorded answers to it; False if there is none."""
    folder = imported_folder()
    stored = [
        *(file for file in folder.glob("*.parquet") if file.stem == question_set),
        *_recorded(folder, question_set),
    ]
    if not stored:
        return False
    trail.note("forget", question_set, what="questions")
    for file in stored:
        file.unlink()
    return True


def _recorded(folder: Path, question_set: str) -> list[Path]:
    files = sorted((folder / FOLDER).glob("*.parquet"))
    return [file for file in files if file.stem.split("@")[0] == question_set]
