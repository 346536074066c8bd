"""The whole project built in scratch folders, in processes of their own."""

import hashlib
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import duckdb
import project
from loopback import Loopback, Payload, user_text

from python_llm.job.changes import state

OPENAI_KEY = "sk-scratch-openai-0123456789"
ANTHROPIC_KEY = "sk-scratch-anthropic-0123456789"

JUDGED = "live,ic_ranker/*/simulated_rare_200"
LIVE = (
    *("--mode", "live", "--models", "gpt4o,claude_sonnet45,local"),
    *("--judges", "gpt4o_judge,claude_sonnet45_judge", "--max-usd", "50"),
    *("--judge-runs", JUDGED),
)

# five lists, so that severity judges meet the same list often and semantic judges never
LISTS = [
    ["Marfan syndrome", "Loeys-Dietz syndrome", "Homocystinuria", "Stickler syndrome", "Gout"],
    ["Usher syndrome", "Alport syndrome", "Cockayne syndrome"],
    ["Pneumonia, unspecified organism", "Asthma", "Heart failure", "Sepsis", "Bronchitis"],
    ["Noonan syndrome", "NOONAN SYNDROME", "Turner syndrome", "Costello syndrome"],
    ["Wilson disease", "Menkes disease", "An invented malady", "Gilbert syndrome", "Hepatitis E"],
]


def clinician(provider: str, payload: Payload) -> str:
    """What the loopback server answers: a list for a case, labels for a list."""
    text = user_text(payload)
    draw = int(hashlib.sha256((provider + text).encode()).hexdigest()[:8], 16)
    if "=== LIST BEGINS ===" not in text:
        names = LISTS[draw % len(LISTS)]
        return "\n".join(
            f"{rank}. **{name}**: fits.\n   - In favour: age\n   - Against: none"
            for rank, name in enumerate(names, 1)
        )
    ranks = re.findall(r"^(\d+)\. ", text.split("=== LIST BEGINS ===")[1], re.MULTILINE)
    if "=== GOLD DIAGNOSIS BEGINS ===" in text:
        labels = ["Exact Synonym", "Broad Disease Group", "Not Related", "A Cousin"]
    else:
        labels = ["rare", "severe", "mild"]
    judged = [
        {"rank": int(rank), "label": labels[(draw + int(rank)) % len(labels)], "reason": "so"}
        for rank in ranks
    ]
    return json.dumps({"judgements": judged})


def addresses(server: Loopback) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": server.openai_url,
        "ANTHROPIC_BASE_URL": server.anthropic_url,
        "KERNEL29_LOCAL_BASE_URL": server.openai_url,
    }


def copied(warehouse: Path, folder: Path) -> Path:
    """A copy of a warehouse where a build below `folder` finds it, as the build had closed it."""
    copy = folder / "build" / warehouse.name
    copy.parent.mkdir(parents=True)
    shutil.copyfile(warehouse, copy)
    state.note_closed(copy)
    return copy


@dataclass
class Scratch:
    """The folders of one scratch build and the address of its provider."""

    folder: Path
    environment: dict[str, str]

    @classmethod
    def make(cls, folder: Path, **addresses: str) -> "Scratch":
        environment = project.environment(
            folder, OPENAI_API_KEY=OPENAI_KEY, ANTHROPIC_API_KEY=ANTHROPIC_KEY, **addresses
        )
        return cls(folder, environment)

    @property
    def warehouse(self) -> Path:
        return self.folder / "build" / "kernel29.duckdb"

    def start_dbt(self, *arguments: str) -> project.Running:
        """A dbt command on the scratch warehouse, while it runs."""
        return project.started(self.folder, *arguments, **self.environment)

    def dbt(self, *arguments: str) -> tuple[int, str]:
        """A dbt command: exit code and everything printed."""
        done = project.dbt(self.folder, *arguments, **self.environment)
        return done.returncode, done.stdout

    def build(self, *options: str, dbt: tuple[str, ...] = ()) -> tuple[int, str]:
        """`kernel29 build` with more for dbt: exit code and everything printed."""
        arguments = ("build", *options, *(("--", *dbt) if dbt else ()))
        done = project.forked(project.kernel29, arguments, self.environment)
        return done.returncode, done.stdout

    def part(self, names: tuple[str, ...], **variables: str) -> str:
        """Bring these models up to date for a run with such variables, no more and without a test,
        as `kernel29 plan` and `demo` do; what is printed."""
        arguments = [json.dumps(variables), *names]
        done = project.forked(project.build_part, arguments, self.environment)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def change(self, table: str, statement: str, *parameters: object) -> None:
        """A statement on the table of a seed, as if it had been loaded so: what follows from it is
        stale, and the seed is not."""
        name = f"main.{table}"
        with duckdb.connect(str(self.warehouse)) as connection:
            connection.execute(statement, parameters or None)
            connection.execute(
                "insert into build_state.node (unique_id, relation, parts, inputs, content) "
                f"select unique_id, relation, parts, inputs, build_state.content('{name}') "
                "from build_state.latest where relation = ?",
                [name],
            )
        state.note_closed(self.warehouse)

    def rows(self, query: str, database: Path | None = None) -> list[tuple]:
        """A query on the warehouse, closed again at once."""
        with duckdb.connect(str(database or self.warehouse), read_only=True) as connection:
            return connection.execute(query).fetchall()

    def content(self, table: str, columns: str = "*") -> list[tuple]:
        return self.rows(f"select {columns} from {table} order by all")
