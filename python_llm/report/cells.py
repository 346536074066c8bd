"""What is known of single answers, packed in parts that the page reads as it needs them.

A cell is a configuration and a case. Cells are numbered in the order of `configurations` and,
within a test set, of `cases`. A part of arrays is compressed: a line of JSON that names type and
length of each array, then their bytes.

`status-S` and `marks-S-J` hold one entry per cell of a test set and judge, which is what charts and
the table of cases need of every configuration at once. `lists-G` holds the lists themselves, for a
group of configurations: a reader looks at one or two.
"""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np

MAX_RANK = 10
NOTHING = 255  # no label
NO_SCORE = 65535
STEPS = 4095  # of a score's unit: 16 units fill sixteen bits
# Cells of the configurations whose lists are one part: about 0.2 MB, read in a few milliseconds.
GROUP_CELLS = 10_000

# one number per cell, over all configurations and within the test set
CELLS = """
create temp table cells as
with configurations as (
    select configuration_id, test_set, row_number() over (order by configuration_id) - 1 as place
    from dim_configuration
)
select
    configurations.configuration_id,
    members.case_id,
    configurations.test_set,
    (row_number() over (order by configurations.place, members.case_id) - 1)::integer as cell,
    (
        row_number() over (
            partition by configurations.test_set order by configurations.place, members.case_id
        ) - 1
    )::integer as set_cell,
from configurations
inner join bridge_test_set_case as members on configurations.test_set = members.test_set
"""

# each name is kept once; number 0 stands for no diagnosis
NAMES = """
create temp table names as
with counted as (select diagnosis as name, count(*) as n from fct_judged_diagnosis group by all)
select name, (row_number() over (order by n desc, name))::integer as number from counted
"""

# numbers only: thirteen million judged ranks take a few hundred megabytes
JUDGED = f"""
create temp table judged as
select
    cell,
    judge::utinyint as judge,
    (diagnosis_rank - 1)::utinyint as rank,
    names.number as diagnosis,
    (relations.number * 16 + severities.number)::utinyint as label,
    coalesce(semantic_rules.number, {NOTHING})::utinyint as semantic_rules,
    coalesce(severity_rules.number, {NOTHING})::utinyint as severity_rules,
    if(relations.name = 'Exact Synonym', diagnosis_rank, null)::utinyint as strict_rank,
    if(relations.name in ('Exact Synonym', 'Broad Synonym'), diagnosis_rank, null)::utinyint
        as broad_rank,
from fct_judged_diagnosis as judged
inner join cells using (configuration_id, case_id)
inner join judges using (judge_id)
inner join names on judged.diagnosis = names.name
inner join relations on judged.semantic_relation = relations.name
inner join severities on judged.severity = severities.name
left join semantic_rules on judged.semantic_rule = semantic_rules.name
left join severity_rules on judged.severity_rule = severity_rules.name
where diagnosis_rank <= {MAX_RANK}
"""

SCORED = f"""
create temp table scored as
select
    cells.test_set,
    set_cell,
    judge::utinyint as judge,
    -- a case that does not count has no result; marts of earlier builds have 0 there
    if(is_scored, coalesce(round(semantic_score * {STEPS}), {NO_SCORE}), {NO_SCORE})::usmallint
        as sem,
    if(is_scored, coalesce(round(severity_score * {STEPS}), {NO_SCORE}), {NO_SCORE})::usmallint
        as sev,
    is_scored::utinyint as is_scored,
from fct_case_score
inner join cells using (configuration_id, case_id)
inner join judges using (judge_id)
"""

# what of a cell is one entry of `marks`: its two scores, whether they count in those of the judge,
# and the rank of the gold diagnosis
MARKS: dict[str, tuple[Any, int]] = {
    **dict.fromkeys(("sem", "sev"), (np.uint16, NO_SCORE)),
    **dict.fromkeys(("is_scored", "strict_rank", "broad_rank"), (np.uint8, 0)),
}
LISTS = ("label", "semantic_rules", "severity_rules")


def packed_json(content: Any, default: Any = str) -> bytes:
    """JSON without spaces, compressed; `default` gives the form of other types."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=default)
    return gzip.compress(text.encode(), 6, mtime=0)


def packed_arrays(arrays: dict[str, np.ndarray], **more: Any) -> bytes:
    """A line of JSON with the layout and what else there is, then the arrays' bytes; compressed."""
    layout = [(name, str(array.dtype), array.size) for name, array in arrays.items()]
    head = json.dumps({"arrays": layout, **more}, ensure_ascii=False, separators=(",", ":"))
    body = b"".join(array.tobytes() for array in arrays.values())
    return gzip.compress(head.encode() + b"\n" + body, 6, mtime=0)


def read_cells(
    connection: duckdb.DuckDBPyConnection, core: dict[str, Any]
) -> Iterator[tuple[str, bytes]]:
    """The parts of single answers, each with its name.

    Expects the tables `cells`, `judges` and those of the numbered words. Adds to `core` the number
    of cells, and to each configuration its first cell, its place in its test set and its group.
    """
    for statement in (NAMES, JUDGED, SCORED):
        connection.execute(statement)
    groups = _number_cells(core)
    core["groups"] = [first for first, _ in groups]
    n_judges = len(core["judges"])
    for number, test_set in enumerate(core["sets"]):
        n_cells = test_set["n_cases"] * test_set["n_configurations"]
        yield f"status-{number}", _statuses(connection, test_set["id"], n_cells)
        for judge in range(n_judges):
            yield f"marks-{number}-{judge}", _marks(connection, test_set["id"], judge, n_cells)
    for number, (first, after) in enumerate(groups):
        yield f"lists-{number}", _lists(connection, first, after, n_judges)


def _number_cells(core: dict[str, Any]) -> list[tuple[int, int]]:
    """First cell of each group of configurations, and the one after its last."""
    sets = {test_set["id"]: test_set for test_set in core["sets"]}
    for test_set in core["sets"]:
        test_set["n_configurations"] = 0
    groups, cell = [(0, 0)], 0
    for configuration in core["configurations"]:
        test_set = sets[configuration["test_set"]]
        if groups[-1][1] - groups[-1][0] >= GROUP_CELLS:
            groups.append((cell, cell))
        configuration["cell"] = cell
        configuration["place"] = test_set["n_configurations"]
        configuration["group"] = len(groups) - 1
        configuration["group_cell"] = cell - groups[-1][0]
        test_set["n_configurations"] += 1
        cell += test_set["n_cases"]
        groups[-1] = (groups[-1][0], cell)
    core["n_cells"] = cell
    return groups


def _statuses(connection: duckdb.DuckDBPyConnection, test_set: str, n_cells: int) -> bytes:
    """The status of each cell of a test set, as its number in `statuses`."""
    answers = connection.execute(
        "select set_cell, number from fct_answer "
        "inner join cells using (configuration_id, case_id) "
        "inner join statuses on statuses.name = fct_answer.status where cells.test_set = ?",
        [test_set],
    ).fetchnumpy()
    status = np.full(n_cells, NOTHING, np.uint8)
    status[answers["set_cell"]] = answers["number"]
    return packed_arrays({"status": status})


def _marks(connection: duckdb.DuckDBPyConnection, test_set: str, judge: int, n_cells: int) -> bytes:
    """MARKS of each cell of a test set by one judge; scores in STEPS, 0 for a rank in no list."""
    arrays = {name: np.full(n_cells, empty, dtype) for name, (dtype, empty) in MARKS.items()}
    scores = connection.execute(
        "select set_cell, sem, sev, is_scored from scored where test_set = ? and judge = ?",
        [test_set, judge],
    ).fetchnumpy()
    ranks = connection.execute(
        "select set_cell, coalesce(min(strict_rank), 0) as strict_rank, "
        "min(broad_rank) as broad_rank from judged inner join cells using (cell) "
        "where test_set = ? and judge = ? and broad_rank is not null group by all",
        [test_set, judge],
    ).fetchnumpy()
    for name, array in arrays.items():
        values = scores if name in scores else ranks
        array[values["set_cell"]] = values[name]
    return packed_arrays(arrays)


def _lists(connection: duckdb.DuckDBPyConnection, first: int, after: int, n_judges: int) -> bytes:
    """The diagnosis at each rank of the cells from `first` to before `after`.

    `diagnosis…` is the number of its name among the part's `names`, 0 for none. For each judge, one
    after the other, its label (relation times 16 plus severity) and the rules behind the two.
    """
    judged = connection.execute(
        f"""
        select (cell - ?) * {MAX_RANK} + rank as place, judge, diagnosis, {", ".join(LISTS)}
        from judged where cell >= ? and cell < ?
        """,
        [first, first, after],
    ).fetchnumpy()
    n_ranks = (after - first) * MAX_RANK
    used, numbers = np.unique(judged["diagnosis"], return_inverse=True)
    connection.register("used", {"number": used})
    names = connection.execute(
        "select name from names inner join used using (number) order by number"
    ).fetchall()
    connection.unregister("used")
    diagnosis = np.zeros(n_ranks, np.uint32)
    diagnosis[judged["place"]] = numbers + 1
    places = judged["judge"].astype(np.int64) * n_ranks + judged["place"]
    arrays = {name: np.full(n_ranks * n_judges, NOTHING, np.uint8) for name in LISTS}
    for name, array in arrays.items():
        array[places] = judged[name]
    # three planes of bytes compress better than one of words
    planes = {f"diagnosis{n}": (diagnosis >> 8 * n).astype(np.uint8) for n in range(3)}
    return packed_arrays({**planes, **arrays}, names=[name for (name,) in names])
