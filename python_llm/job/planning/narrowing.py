"""What an experiment builds: the marts of its comparison and page, and what they are made of.

Questions, recommendations, work-ups and the project's own rankers are no part of that. They stay as
the last build left them, stale, and the next `kernel29 build` brings them up to date.
"""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import duckdb

from python_llm import paths
from python_llm.experiments import registries
from python_llm.job.changes.fingerprints import Project
from python_llm.job.changes.selection import Graph, Why, changed_parts
from python_llm.job.changes.state import Made
from python_llm.job.serving import keys
from python_llm.job.serving.publish import COMMENTS, CONTENTS, publish
from python_llm.test_sets.known import shipped_test_sets

# Of `kernel29 run`, `view`, `case` and `compare`.
MARTS = (
    *("dim_llm_model", "dim_prompt", "dim_llm_request", "fct_llm_call", "rpt_prompt_versions"),
    *("dim_test_set", "dim_case", "bridge_test_set_case", "rpt_record_issue"),
    *("dim_configuration", "dim_judge", "dim_judgement_rule", "fct_answer"),
    *("fct_judged_diagnosis", "fct_judge_vote"),
    *("fct_case_score", "fct_configuration_score", "fct_stratified_score"),
    *("fct_configuration_comparison", "fct_configuration_rank", "rpt_leaderboard"),
    *("rpt_missed_diagnosis", "rpt_rank_sensitivity", "rpt_detectable_difference"),
    # what a second machine of the team compares with its own
    *("rpt_answer_reading", "rpt_answer_issue", "fct_case_difficulty", "fct_case_error"),
    *("rpt_severity_bias", "rpt_test_set_composition"),
)
JUDGED = ("fct_judge_agreement", "rpt_judge_calibration", "rpt_judge_bias", "rpt_judge_stability")
DOMAINS = ("calls", "terminology", "test_sets", "experiments")
PUBLICATION = "int_quality__publication"
# Parts that differ from run to run, or because of the experiment: the rankers do not read them.
OF_RUN = ("variable ", "live mode", "prompt", "environment variable ")
OF_EXPERIMENT = ("imported cases", "experiments", "the ledger", "the requests of the ledger")

# Cases that a ranker has not ranked, or whose text is a user's and may be another now.
UNRANKED = """
    select count(*)
    from int_experiments__expected_cells as cells
    left join fct_answer as answers
        on cells.configuration_id = answers.configuration_id and cells.case_id = answers.case_id
    where
        cells.ranker is not null
        and (
            answers.case_id is null
            or not list_contains($shipped, split_part(cells.case_id, '/', 1))
        )
"""


def marts(judges: Iterable[str]) -> tuple[str, ...]:
    """The marts of an experiment with these language models as judges."""
    return (*MARTS, *JUDGED) if tuple(judges) else MARTS


def scope(
    project: Project,
    names: Collection[str],
    made: Mapping[str, Made],
    why: Why,
    warehouse: Path,
) -> set[str] | None:
    """The nodes behind these marts and their tests; None if the rest has to be built as well:
    something was never built or did not pass, or the rankers would rank something else."""
    graph = Graph(project.children)
    targets = {_model(name) for name in names}
    rankers = {_model(row["api_model"]) for row in registries.models() if row["kind"] == "sql"}
    nodes = set(targets)
    waiting = list(targets)
    while waiting:
        for parent in project.parents(waiting.pop()):
            if parent not in nodes and parent not in rankers and _is_near(project, parent):
                nodes.add(parent)
                waiting.append(parent)
    if not (graph.ancestors(targets) - nodes <= made.keys() and _model(PUBLICATION) in made):
        return None
    if not targets <= project.nodes.keys():
        return None
    cells = _model("int_experiments__expected_cells")
    of_rankers = graph.ancestors(rankers) | rankers
    if any(_is_other(project, node, made) for node in of_rankers & why.keys()):
        return None
    if {cells, _model("fct_answer")} - made.keys() or cells in why or _n_unranked(warehouse):
        return None
    tests = {node for node in project.nodes if node.startswith("test.")}
    own = {test for test in tests if {*project.parents(test)} <= nodes}
    if any(project.is_strict(test) for test in tests - own - made.keys()):
        return None
    return nodes | own


def serve(project: Project, warehouse: Path, profile: str) -> None:
    """Serve every mart as the warehouse has it: what was not built is not written again."""
    names = [node.split(".")[2] for node in project.parents(_model(PUBLICATION))]
    with duckdb.connect(str(warehouse)) as connection:
        served = {name: connection.table(name) for name in names}
        comments = connection.execute(COMMENTS).fetchall()
        contents = dict(connection.execute(CONTENTS).fetchall())
        folder = paths.served_database().parent
        publish(connection, served, comments, folder, contents, profile, keys.grains())


def _model(name: str) -> str:
    return f"model.kernel29.{name}"


def _is_near(project: Project, node: str) -> bool:
    return project.nodes[node]["config"].get("group") in (None, *DOMAINS)  # staging has none


def _is_other(project: Project, node: str, made: Mapping[str, Made]) -> bool:
    """Whether a node that the rankers read was changed by anything but a run or its cases."""
    if node not in made:
        return True
    return any(
        part not in OF_EXPERIMENT and not part.startswith(OF_RUN)
        for part in changed_parts(project, made, node)
    )


def _n_unranked(warehouse: Path) -> int:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        shipped = sorted(shipped_test_sets())
        ((number,),) = connection.execute(UNRANKED, {"shipped": shipped}).fetchall()
    return int(number)
