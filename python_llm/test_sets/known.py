"""The test sets that exist, before any of them is built."""

from pathlib import Path

from python_llm import seeds
from python_llm.test_sets.importing import REGISTRIES
from python_llm.test_sets.store import cases_folder


def known_test_sets(folder: Path | None = None) -> set[str]:
    """Names of the shipped sets and of those whose cases were imported into `folder`.

    Raises FileError for a damaged registry.
    """
    stored = ((folder or cases_folder()) / "records").glob("*--*.parquet")
    return shipped_test_sets() | {file.name.rpartition("--")[0] for file in stored}


def shipped_test_sets() -> set[str]:
    """Names of the sets that a build contains without any import. Raises FileError."""
    return {
        row["test_set"]
        for registry in REGISTRIES
        for row in seeds.read(f"seeds/test_sets/{registry}.csv", ["test_set"])
    }


def for_reading(test_set: str) -> str:
    """The message for a set without gold diagnoses: why nothing can be scored, and what to do."""
    return (
        f"No case of test set '{test_set}' has a gold diagnosis: it was imported for reading, and "
        "nothing can be scored on it. Import it again with a column of diagnoses and --replace."
    )
