"""Which models are asked about which question sets besides the seed, kept in data/questions."""

import csv
import io
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from python_llm import files, seeds
from python_llm.errors import UserError
from python_llm.questions.imported import BANK, imported_folder

FILE = "asked.csv"
SEED = "seeds/questions/question_configurations.csv"
STRATEGIES = ("analysis_first", "direct", "direct_shuffled", "options_only")
DEFAULT_STRATEGIES = ("analysis_first", "direct")
ASKED_SCHEMA = pa.schema(
    [
        pa.field("model_alias", pa.string(), nullable=False),
        pa.field("strategy", pa.string(), nullable=False),
        pa.field("question_set", pa.string(), nullable=False),
        pa.field("n_repeats", pa.int32(), nullable=False),
        pa.field("description", pa.string()),
    ]
)
TYPING = "typing"  # the strategy of a model that types questions and answers none
DESCRIPTION = "Asked with kernel29 questions ask."


class Asked(NamedTuple):
    """A model and a strategy on a question set (* is every set), so many times."""

    model_alias: str
    strategy: str
    question_set: str
    n_repeats: int = 1

    @property
    def name(self) -> tuple[str, str, str]:
        return self.model_alias, self.strategy, self.question_set


def read_asked(folder: Path) -> list[Asked]:
    """What was asked besides the seed; nothing where nothing was."""
    file = folder / FILE
    if not file.is_file():
        return []
    rows = csv.DictReader(io.StringIO(file.read_text(encoding="utf-8")))
    return [
        Asked(r["model_alias"], r["strategy"], r["question_set"], int(r["n_repeats"])) for r in rows
    ]


def remember(asked: Iterable[Asked], folder: Path) -> None:
    """Add what is asked to the file, so that later builds keep its answers. What the seed or the
    file has is not added again; more repeats take the place of fewer."""
    shared = {
        (row["model_alias"], row["strategy"], row["question_set"]): int(row["n_repeats"] or 1)
        for row in seeds.read(SEED)
    }
    known = {entry.name: entry for entry in read_asked(folder)}
    before = dict(known)
    for entry in asked:
        in_seed = max(shared.get((*entry.name[:2], name), 0) for name in ("*", entry.question_set))
        in_file = known[entry.name].n_repeats if entry.name in known else 0
        if entry.n_repeats > max(in_seed, in_file):
            known[entry.name] = entry
    if known == before:
        return
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(Asked._fields)
    writer.writerows(known[name] for name in sorted(known))
    with files.replacing(folder / FILE) as draft:
        draft.write_text(written.getvalue(), encoding="utf-8")


def stored(folder: Path) -> str | None:
    """The file as it is, for `put_back`."""
    file = folder / FILE
    return file.read_text(encoding="utf-8") if file.is_file() else None


def put_back(text: str | None, folder: Path) -> None:
    """The file as it was: what nobody has sent is no part of later builds."""
    if text is None:
        (folder / FILE).unlink(missing_ok=True)
    elif text != stored(folder):
        with files.replacing(folder / FILE) as draft:
            draft.write_text(text, encoding="utf-8")


def remember_models(models: str) -> None:
    """Add the comma-separated models to the file, for every set in the usual strategies, where the
    seed has none for them."""
    shared = {row["model_alias"] for row in seeds.read(SEED)}
    remember(
        [
            Asked(model, strategy, "*")
            for model in filter(None, map(str.strip, models.split(",")))
            if model not in shared
            for strategy in DEFAULT_STRATEGIES
        ],
        imported_folder(),
    )


def check_narrowing(
    question_sets: str = "",
    question_types: str = "",
    question_strategies: str = "",
    question_limit: str = "",
) -> None:
    """Raise UserError for a set, a type, a strategy or a number of questions that there is not;
    each is comma-separated, empty for all."""
    known: dict[str, tuple[str, Callable[[], set[str]], str]] = {
        "question set": (question_sets, _sets, "import it with kernel29 questions import"),
        "question type": (question_types, _types, "see seeds/questions/question_types.csv"),
        "strategy": (question_strategies, lambda: set(STRATEGIES), "correct the name"),
    }
    for kind, (written, names, remedy) in known.items():
        # read only when one is named: a build without questions needs none of it
        for name in filter(None, map(str.strip, written.split(","))):
            if name not in names():
                raise UserError(
                    f"'{name}' is no {kind} (there are: {', '.join(sorted(names()))}): {remedy}."
                )
    if question_limit and not re.fullmatch(r"[1-9][0-9]{0,8}", question_limit):
        raise UserError(f"'{question_limit}' is not a number of questions: give one such as 50.")


def _sets() -> set[str]:
    return {BANK, *(path.stem for path in imported_folder().glob("*.parquet"))}


def _types() -> set[str]:
    return {row["question_type"] for row in seeds.read("seeds/questions/question_types.csv")}


def asked_table(name: str) -> pa.Table:
    """The table that dbt reads as the source `name`."""
    rows = [
        {**entry._asdict(), "description": DESCRIPTION} for entry in read_asked(imported_folder())
    ]
    return pa.Table.from_pylist(rows, schema=ASKED_SCHEMA)
