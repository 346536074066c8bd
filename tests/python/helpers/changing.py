"""Changes of the growing project that can be made again and again, in any order."""

import os
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

import duckdb
from growing import FILES, Growing

Change = Callable[[Growing], object]
SERVED = '"fct_new": dbt.ref("fct_new"),'
# Kills its process as soon as its parents are built.
KILLER = """
import os
import signal


def model(dbt, session):
    rows = dbt.ref('int_total')
    os.kill(os.getpid(), signal.SIGKILL)
    return rows
"""


def _toggled(name: str, one: str, other: str) -> Change:
    """A change of a file that undoes itself the next time."""

    def toggle(project: Growing) -> None:
        text = (project.folder / name).read_text()
        project.edit(name, (one, other) if one in text else (other, one))

    return toggle


def killed(project: Growing) -> None:
    """Kill a build in its middle; what it was killed by is not there afterwards."""
    project.write("models/killer.py", KILLER)
    with ProcessPoolExecutor(1, get_context("fork")) as pool, suppress(BrokenProcessPool):
        pool.submit(project.build).result(timeout=120)
    (project.folder / "models" / "killer.py").unlink()


def _failed(project: Growing) -> None:
    """Let a test fail in one build, and mend in the next what it failed on."""
    seed = project.folder / "seeds" / "names.csv"
    text = seed.read_text()
    seed.write_text(text.replace("Anna", "anna"))
    project.build()
    seed.write_text(text)


def _restored(project: Growing) -> None:
    """Put a file back as it was at first, as a backup does: with its old time."""
    file = project.folder / "seeds" / "weights.csv"
    file.write_text(FILES["seeds/weights.csv"])
    os.utime(file, (1_000_000_000, 1_000_000_000))


def _renamed(project: Growing) -> None:
    one, other = (project.folder / "models" / f"{name}.sql" for name in ("int_codes", "int_code"))
    if not one.exists():
        one, other = other, one
    one.rename(other)
    project.edit("models/dim_name.sql", (f'ref("{one.stem}")', f'ref("{other.stem}")'))


def _mart(project: Growing) -> None:
    """A new mart that is served, or none again."""
    new = project.folder / "models" / "fct_new.sql"
    if new.exists():
        new.unlink()
        project.edit("models/publication.py", (SERVED, ""))
    else:
        new.write_text("select code, weight from {{ ref('fct_weight') }}")
        project.edit("models/publication.py", ("marts = {", f"marts = {{{SERVED}"))


def _test(project: Growing) -> None:
    test = project.folder / "tests" / "new.sql"
    if test.exists():
        test.unlink()
    else:
        test.write_text("select * from {{ ref('fct_weight') }} where total < 0")


def _executed(sql: str) -> Change:
    """A statement somebody runs in the warehouse, if it can be run there now."""

    def execute(project: Growing) -> None:
        with suppress(duckdb.Error):
            project.execute(sql)

    return execute


def _plain(*arguments: str) -> Change:
    """dbt and nothing else; of a part it may lack what that stands on."""

    def build(project: Growing) -> None:
        with suppress(AssertionError):
            project.plain_build(*arguments)

    return build


def _gone(name: str) -> Change:
    return lambda project: (project.folder / name).unlink(missing_ok=True)


CHANGES: dict[str, Change] = {
    "a row of a seed": _toggled("seeds/weights.csv", "b,2", "b,9"),
    "a text of a seed": _toggled("seeds/names.csv", "Cora", "Clara"),
    "a type of a seed": _toggled("seeds/_seeds.yml", "weight: integer", "weight: bigint"),
    "a macro": _toggled("macros/multiplied.sql", "factor", "unused"),
    "a macro that a macro calls": _toggled("macros/multiplied.sql", "() %}1", "() %}3"),
    "a word of a prompt": _toggled("python_llm/prompts/kind/user.txt", "Please", "Do"),
    "a helper two imports away": _toggled(
        "python_llm/growing_far.py", "SEPARATOR = ", "SEPARATOR = '-' + "
    ),
    "a description": _toggled("models/_models.yml", "Its weight.", "The weight."),
    "a model": _toggled("models/int_total.sql", "sum", "max"),
    "a model that says the same": _toggled(
        "models/int_multiplied.sql", "weights.code,", "weights.code as code,"
    ),
    "a view that is a table": _toggled("models/int_lengths.sql", '"view"', '"table"'),
    "a contract": _toggled("models/_models.yml", "name: name, data", "name: name , data"),
    "a limit of a test": _toggled("models/_models.yml", "most: 1000", "most: 999"),
    "a new test": _test,
    "a new mart": _mart,
    "a renamed model": _renamed,
    "a recorded run": _toggled("runs/two.parquet", "another", "yet another"),
    "an answer in the ledger": lambda project: project.write(
        f"ledger/{len([*(project.folder / 'ledger').iterdir()]) + 1}.txt", "one more"
    ),
    "a version of a package": _toggled("requirements.lock", "1.5.0", "1.5.1"),
    "a profile": _toggled("profiles.yml", "threads: 2", "threads: 1"),
    "a deleted table": _executed("drop table if exists int_total"),
    "a deleted view": _executed("drop view if exists int_lengths"),
    "an altered row": _executed("update int_multiplied set weight = 0"),
    "an added column": _executed("alter table dim_name add column more integer"),
    "a comment": _executed("comment on table fct_weight is 'mine'"),
    "no notes": _executed("drop schema build_state cascade"),
    "a deleted warehouse": _gone("build/kernel29.duckdb"),
    "a served file": lambda project: project.write("serve/parquet/fct_weight.parquet", "mine"),
    "a served database that is gone": _gone("serve/kernel29.duckdb"),
    "an older file restored": _restored,
    "a killed build": killed,
    "a failed test": _failed,
    "plain dbt": _plain(),
    "plain dbt on a part": _plain("run", "--select", "dim_name+1"),
    "everything again": lambda project: project.build(full=True),
}


def at_random(
    project: Growing, folder: Path, draw: random.Random, n: int, compared: int
) -> Iterator[tuple[list[str], list[str]]]:
    """Make n changes, one or several before a build. After each `compared` of them: which they
    were, and which tables, comments and files are not those of a build in an empty folder."""
    project.write("runs/two.parquet", "another")
    for start in range(0, n, compared):
        names = draw.choices([*CHANGES], k=min(compared, n - start))
        for name in names:
            CHANGES[name](project)
            if draw.random() < 0.7:
                project.build()
        project.build()
        built, afresh = project.content(), project.afresh(folder).content()
        yield names, [key for key in built | afresh if built.get(key) != afresh.get(key)]
