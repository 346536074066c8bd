"""Whether what a run of dbt would serve is of one state of the project, and has passed its tests.

A run of a part (`dbt build --select fct_answer+1`) may leave other marts as an earlier build made
them. Published beside the new ones they would be a mix, so what is served then stays as it is.
"""

from collections.abc import Collection, Iterator
from typing import Any

import duckdb

from python_llm.job.changes import selection, state
from python_llm.job.changes.fingerprints import Project

PUBLICATION = "model.kernel29.int_quality__publication"
MARTS = "models/marts/"
NAMED = 3
PARTS = ("SELECT", "EXCLUDE", "SELECTOR")  # dbt's options that leave something out


def is_withheld(
    session: duckdb.DuckDBPyConnection, publication: str, flags: Any, selected: Collection[str]
) -> bool:
    """Whether a publication has to leave what is served; prints one sentence that says why.

    publication: its id; flags: dbt's; selected: what this run builds and tests. Of that, what is
    behind the publication is done when it has its turn; everything else has to be current by its
    note. A publication that is withheld stays due.
    """
    if state.RUN.is_whole:
        return False
    lacking = sorted(_lacking(session, publication, flags, {*selected}))
    if not lacking:
        return False
    more = f" and {len(lacking) - NAMED} more" if len(lacking) > NAMED else ""
    are = "is" if len(lacking) == 1 else "are"
    reason = f"{', '.join(lacking[:NAMED])}{more} {are} not current or not tested"
    print(
        f"What is served stays as it was, because {reason}: `kernel29 build` brings that up to "
        "date and serves it.",
        flush=True,
    )
    state.RUN.withheld[publication] = f"it was not served, because {reason}"
    return True


def unserved(project: Project) -> list[str]:
    """One sentence that names the marts no publication reads; none if all are served."""
    if PUBLICATION not in project.nodes:
        return []
    served = {*project.parents(PUBLICATION)}
    names = sorted(
        node["name"]
        for key, node in project.nodes.items()
        if node.get("original_file_path", "").startswith(MARTS)
        and node["resource_type"] == "model"
        and key not in served
    )
    if not names:
        return []
    are, lines = ("is", "its line") if len(names) == 1 else ("are", "their lines")
    return [
        f"{', '.join(names)} {are} built and not served: add {lines} to "
        "models/intermediate/quality/int_quality__publication.py "
        "(docs/extending.md#a-table-of-your-own)."
    ]


def _lacking(
    session: duckdb.DuckDBPyConnection, publication: str, flags: Any, selected: set[str]
) -> Iterator[str]:
    """The names of what is behind a publication, was not selected and is not current."""
    project = state.RUN.known()
    if project is None or publication not in project.nodes:
        if any(getattr(flags, name, None) for name in PARTS):
            yield "what this run left out"
        return
    behind = selection.Graph(project.children).ancestors([publication])
    tests = {node for node in project.nodes if _is_of(project, node, behind)}
    rest = (behind | tests) - selected
    if rest:
        made = state.made_in(session)
        stale = selection.stale(project, made, {}).keys()
        yield from (project.nodes[node]["name"] for node in rest & stale)


def _is_of(project: Project, node: str, behind: Collection[str]) -> bool:
    """Whether a node is a test that may not fail of what is behind the publication."""
    is_test = node.startswith("test.") and project.is_strict(node)
    return is_test and {*project.parents(node)} <= {*behind}
