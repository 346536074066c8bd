"""A verdict is a function of an answer's own text and the gold diagnosis of its case.

Two warehouses are judged, with other runs added, taken away and in another order beside the same
observed one: twins of its texts that normalise alike and read differently, a hundred junk answers,
and a test set that takes the ids, the golds and the answers of the judge's own anchors.
"""

import random
from pathlib import Path

import duckdb
import project
import pytest

from python_llm.runs import store

# a text, and another that only punctuation or case tells from it: both normalise alike
TWINS = [
    ("Glycogen storage disease type II (Pompe disease)",
     "Glycogen storage disease type II Pompe disease"),
    ("Metabolic disorder - Phenylketonuria", "Metabolic Disorder Phenylketonuria"),
    ("Wilson disease/Menkes disease", "WILSON DISEASE, MENKES DISEASE"),
    ("Storage disorder [Gout; Asthma]", "storage disorder, gout asthma"),
    ("Myopathy (e.g. Pompe disease)", "Myopathy e.g. Pompe disease"),
    ("Fall (on) from ladder: initial", "Fall on from ladder initial"),
]  # fmt: skip
GOLDS = ["Pompe disease", "Phenylketonuria", "Wilson disease", "Gout", "Myopathy", "Asthma"]
N_JUNK = 100
VERDICT = (
    "judged.semantic_relation, judged.semantic_rule, judged.semantic_reason, "
    "judged.severity, judged.severity_rule, judged.severity_reason"
)


def junk(draw: random.Random) -> str:
    """Something no clinician writes, around a name that one might."""
    name = draw.choice([text for pair in TWINS for text in pair] + GOLDS)
    return draw.choice(
        [
            "", " ", "()", "((((((((", "[]" * 500, "']", "/;,|/;,|", "-", "\x00", "\x00" + name,
            name + "\x00", "\u202e" + name, "\u202b" + name + "\u202c", "🦠" * 40, "🦠 " + name,
            "א ב ג", "病" * 30, "\ufffd\ufeff", "\t\n\r", "1", "a", "x" * 10_000, "(" + name,
            name[::-1], name.upper() + "!", f"{name} " * 300, f"({name}) " * 300, f"{name}/" * 900,
            f"'; drop table dim_case; -- {name}", "' or '1'='1", "{{ name }} ${name} %s %(n)s",
            "(?i)(a+)+$", ".*", "\\", "[^", f"^{name}$", f"{name} or {name}", "None", "NULL", "nan",
            "".join(chr(draw.randrange(1, 0x3000)) for _ in range(draw.randrange(10_000))),
        ]
    )  # fmt: skip


def run(name: str, test_set: str, lists: dict[str, list[str]]) -> list[dict]:
    """The rows of one run as an import leaves them."""
    return [
        {
            **dict.fromkeys(store.ANSWERS.names),
            "configuration_id": f"{name}/recorded/{test_set}",
            "model_alias": name,
            "prompt_alias": "recorded",
            "prompt_version": "recorded",
            "output_format": "numbered_list",
            "test_set": test_set,
            "case_ref": case,
            "case_id": case,
            "matched_by": "case id",
            "diagnoses": [
                {**dict.fromkeys(store.DIAGNOSIS.names), "rank": rank, "diagnosis": text}
                for rank, text in enumerate(texts, 1)
            ],
            "content_hash": name,
            "source_file": f"{name}.csv",
            "source_row": row,
        }
        for row, (case, texts) in enumerate(lists.items(), 2)
    ]


def add_cases(warehouse: Path, test_set: str, golds: list[tuple[str, list[str]]]) -> None:
    """Cases with these gold diagnoses and ids, as an import of cases would bring them."""
    with duckdb.connect(str(warehouse)) as connection:
        for number, (gold, codes) in enumerate(golds, 1):
            connection.execute(
                "insert into dim_case by name select * replace ($id as case_id, $set as test_set, "
                "null as gold_concept_id, null as icd10_code, $gold as gold_name, "
                "$gold as gold_diagnosis, $codes as gold_codes, [$gold] as gold_names, "
                "$number as case_number, null as record_id) from dim_case limit 1",
                {
                    "id": f"{test_set}/{number:03}",
                    "set": test_set,
                    "gold": gold,
                    "codes": codes,
                    "number": number,
                },
            )
        connection.execute(
            "insert into bridge_test_set_case by name "
            "select test_set, case_id, case_number from dim_case where test_set = ?",
            [test_set],
        )


def judge(folder: Path, runs: list[list[dict]], *select: str) -> None:
    """Judge what stands in dim_case and these runs, and hold the judge to its anchors."""
    for file in folder.glob("runs/*/*"):
        file.unlink()
    for rows in runs:
        store.save(folder / "runs", rows[0]["configuration_id"], rows, [], False, "test")
    done = project.dbt(
        folder,
        *("--quiet", "build", "--exclude-resource-types", "unit_test"),
        *("--indirect-selection", "empty"),
        *("--select", "anchors_are_judged_as_a_clinician_would", *select),
    )
    assert done.returncode == 0, done.stdout + done.stderr


def verdicts(warehouse: Path) -> dict[str, list[tuple]]:
    """Of every run by its name, and of the anchors, with all that a verdict says."""
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        judged = connection.execute(
            "select split_part(configuration_id, '/', 1) as run, ranked.case_id, ranked.diagnosis, "
            f"{VERDICT} from int_experiments__judgements as judged "
            "inner join int_experiments__ranked_diagnoses as ranked "
            "using (configuration_id, case_id, diagnosis_rank) "
            "where judge_id = 'terminology' and probe = 'none' order by all"
        ).fetchall()
        anchors = connection.execute(
            "select 'anchors', anchor_id, anchors.diagnosis, relations.* exclude (gold_key), "
            # a diagnosis that no rule knows has no acuity
            "severities.* exclude (reading_key) replace (coalesce(acuity, 'none') as acuity, "
            "coalesce(is_rare, false) as is_rare) from judge_anchors as anchors "
            "inner join int_experiments__gold_diagnoses as golds on "
            "golds.gold_names = [anchors.gold_diagnosis] and golds.gold_codes = [] "
            "inner join int_experiments__reading_keys using (diagnosis) "
            "inner join int_experiments__terminology_relations as relations "
            "using (gold_key, reading_key) inner join int_experiments__terminology_severities "
            "as severities using (reading_key) order by all"
        ).fetchall()
    found = {}
    for name, *verdict in [*judged, *anchors]:
        found.setdefault(name, []).append(tuple(verdict))
    return found


@pytest.fixture(scope="module")
def states(groundwork, tmp_path_factory):
    """The verdicts of two warehouses: the observed run among a few others, and among all of them
    with the rows of each in another order."""
    folder = tmp_path_factory.mktemp("verdicts")
    groundwork.copy_to(folder)
    warehouse = folder / "build" / "kernel29.duckdb"
    draw = random.Random(29)
    add_cases(warehouse, "own", [(gold, []) for gold in GOLDS])
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute("delete from dim_case where test_set != 'own'")
        anchors = connection.execute(
            "select gold_diagnosis, diagnosis from judge_anchors order by anchor_id"
        ).fetchall()
    cases = [f"own/{number:03}" for number in range(1, len(GOLDS) + 1)]
    # every text in some lists, its twin in the others; the twins' run has it the other way round
    sides = {case: [draw.randrange(2) for _ in TWINS] for case in cases}
    texts = {case: [TWINS[k][side] for k, side in enumerate(sides[case])] for case in cases}
    twins = {case: [TWINS[k][1 - side] for k, side in enumerate(sides[case])] for case in cases}
    rubbish = [
        run(f"junk{number}", "own", {draw.choice(cases): [junk(draw) for _ in range(5)]})
        for number in range(N_JUNK)
    ]
    first = [
        run("observed", "own", {case: names[:5] for case, names in texts.items()}),
        run("too", "own", {case: names[:0:-1] for case, names in twins.items()}),
        *rubbish[: N_JUNK // 2],
    ]
    judge(folder, first, "+int_experiments__judgements", *groundwork.exclude)
    before = verdicts(warehouse)

    # the ids of anchors, their golds with a wrong code, their answers as they are and spelt oddly
    add_cases(warehouse, "anchor", [(gold, ["OMIM:154700"]) for gold, _ in anchors])
    hostile = {
        f"anchor/{number:03}": [
            text,
            f"({text})",
            text.upper(),
            f"{text}/{text}; X",
            f"- {text}, X",
        ]
        for number, (_, text) in enumerate(anchors, 1)
    }
    more = [
        run("twins", "own", {case: names[:5] for case, names in twins.items()}),
        *rubbish[N_JUNK // 2 :],
        run("hostile", "anchor", hostile),
        *first,
    ]
    for rows in more:
        draw.shuffle(rows)
    again = ("stg_runs__answer+", "int_experiments__case_golds+")
    unchanged = ("semantic_*", "severity_*", "parsed_se*", "baseline_ranking")
    judge(
        folder,
        more,
        *(f"{model},+int_experiments__judgements" for model in again),
        *("--exclude", *(f"int_experiments__{name}" for name in unchanged)),
    )
    return before, verdicts(warehouse)


def test_no_run_changes_a_label_of_another(states):
    before, after = states
    assert len(before["observed"]) == len(before["too"]) == 5 * len(GOLDS)
    # of some junk no rank is left
    assert len(before) > N_JUNK // 3
    assert {name: after[name] for name in before} == before


def test_texts_that_normalise_alike_are_read_each_for_itself(states):
    rules = {
        text: rule
        for rows in states[1].values()
        for case, text, _, rule, *_ in rows
        if case == "own/001"
    }
    assert rules[TWINS[0][0]] == "same_name"  # Pompe disease stands in brackets
    assert rules[TWINS[0][1]] != "same_name"


def test_no_row_changes_what_the_judge_says_of_its_anchors(states):
    before, after = states
    assert len({anchor for anchor, *_ in before["anchors"]}) == len(before["anchors"]) > 100
    assert before["anchors"] == after["anchors"]


def test_every_junk_answer_has_a_verdict(states):
    for name, rows in states[1].items():
        for _, text, *verdict in rows:
            assert None not in verdict, (name, text[:80])
