"""Judges on trial, whole: people's labels, pairs from elsewhere, and judges of known character."""

import csv
import hashlib
import json
import re
import shutil

import duckdb
import pytest
from loopback import Loopback, Payload, user_text
from scratch import Scratch, addresses

from python_llm.labels.importing import Source, import_labels

RELATIONS = [
    *("Exact Synonym", "Broad Synonym", "Exact Disease Group"),
    *("Broad Disease Group", "Not Related"),
]
N_LISTS = 20
N_LABELLED = 18  # of these, by people
MARTS = (
    *("rpt_judge_bias", "rpt_judge_stability", "rpt_judge_calibration", "rpt_label_issue"),
    *("fct_judge_agreement", "fct_judge_confusion", "fct_judged_diagnosis", "fct_case_score"),
    *("rpt_judge_vote", "rpt_leaderboard"),
)
PAIRS = [
    ("Marfan syndrome", "Marfan syndrome", "Exact Synonym"),
    ("Marfan syndrome", "Loeys-Dietz syndrome", "Exact Disease Group"),
    ("Marfan syndrome", "Gout", "unrelated"),
    ("Wilson disease", "Hepatolenticular degeneration", "sinónimo exacto"),
    ("Wilson disease", "Ingrown nail", "Not Related"),
    ("Wilson disease", "Menkes disease", "A Cousin"),
]


def truth(name: str) -> str:
    """A relation that depends on the name of the diagnosis and on nothing else."""
    return RELATIONS[int(hashlib.sha256(name.strip().encode()).hexdigest()[:8], 16) % 5]


def judge(provider: str, payload: Payload) -> str:
    """Three characters: anthropic looks at the place only, openai at the name only, and the model
    of the local server talks about the weather."""
    listed = user_text(payload).split("=== LIST BEGINS ===")[1].split("=== LIST ENDS ===")[0]
    entries = re.findall(r"^(\d+)\. (.*)$", listed, re.MULTILINE)
    if provider == "openai" and not str(payload["model"]).startswith("gpt"):
        return "What a fine day. Everything here is an Exact Synonym of sunshine."
    if "=== GOLD DIAGNOSIS BEGINS ===" not in user_text(payload):
        labels = {rank: "rare" for rank, _ in entries}
    elif provider == "anthropic":
        labels = {rank: RELATIONS[0] if rank == "1" else RELATIONS[4] for rank, _ in entries}
    else:
        labels = {rank: truth(name) for rank, name in entries}
    return json.dumps(
        {"judgements": [{"rank": int(rank), "label": labels[rank]} for rank, _ in entries]}
    )


def write(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle).writerows([header, *rows])
    return path


def bring(scratch: Scratch, file, source: Source, **options):
    folder = scratch.folder
    return import_labels(
        file,
        source,
        folder / "labels",
        runs_dir=folder / "runs",
        cases_dir=folder / "cases",
        **options,
    )


@pytest.fixture(scope="module")
def tried(built, tmp_path_factory):
    """The terminology of the live build, pairs from elsewhere, and twenty lists of the baseline
    that three models judged, probes included, and two people labelled most of."""
    folder = tmp_path_factory.mktemp("trust")
    with Loopback(answer=judge) as server:
        scratch = Scratch.make(folder, **addresses(server))
        scratch.warehouse.parent.mkdir(parents=True)
        shutil.copyfile(built[0].warehouse, scratch.warehouse)
        pairs = write(folder / "pairs.csv", ("gold", "predicted", "relation"), PAIRS)
        bring(scratch, pairs, Source("elsewhere"))
        with duckdb.connect(str(scratch.warehouse)) as connection:
            listed = connection.execute(
                "select case_id, diagnosis_rank, diagnosis from int_experiments__ranked_diagnoses "
                "where configuration_id like 'ic_ranker/%' and diagnosis_rank <= 5 "
                "and case_id <= 'simulated_rare_200/00' || ? order by all",
                [str(N_LABELLED)],
            ).fetchall()
        rows = []
        for number, (case_id, _, name) in enumerate(listed):
            # each rater is one step off now and then, never on the same diagnosis
            said = RELATIONS.index(truth(name))
            near = RELATIONS[said + 1 if said < 4 else 3]
            rows.append([case_id, name, near if number % 5 == 0 else RELATIONS[said]])
            rows[-1].append(near if number % 5 == 2 else RELATIONS[said])
        people = write(folder / "p.csv", ("case_id", "diagnosis", "anna", "ben"), rows)
        bring(scratch, people, Source("clinicians"), raters=("anna", "ben"))
        code, output = scratch.dbt(
            *("run", "--quiet", "--vars", "{mode: 'off'}"),
            *("--select", "stg_labels__label", "stg_labels__reject"),
            "dim_judge",
            *(
                f"stg_{of}+,+int_experiments__ranked_diagnoses"
                for of in ("cases__record", "runs__answer")
            ),
            # what ranks without a model has ranked the cases that were there before
            *("--exclude", "path:models/intermediate/phenotyping", "int_experiments__*_ranking"),
        )
        assert code == 0, output
        with duckdb.connect(str(scratch.warehouse)) as connection:
            connection.execute(
                "delete from int_experiments__ranked_diagnoses where not (configuration_id like "
                "'judged_lists/%' or (configuration_id like 'ic_ranker/%' "
                f"and case_id <= 'simulated_rare_200/00{N_LISTS}'))"
            )
        judges = "gpt4o_judge,claude_sonnet45_judge,local_judge"
        code, output = scratch.dbt(
            *("run", "--quiet", "--vars"),
            f"{{mode: live, judges: '{judges}', judge_runs: all, bias_checks: true, max_usd: 50}}",
            "--select",
            *(
                f"int_experiments__{first}+,+{mart}"
                for first in ("ranked_diagnoses", "gold_diagnoses")
                for mart in MARTS
            ),
            *("--exclude", "int_experiments__ranked_diagnoses"),
        )
        assert code == 0, output
    return scratch


def bias(scratch: Scratch, judge_id: str) -> dict[str, tuple]:
    rows = scratch.rows(
        "select probe, n_lists, n_changed, shift, shift_low, shift_high, is_shifted "
        f"from rpt_judge_bias where scale = 'semantic' and judge_id = '{judge_id}'"
    )
    return {probe: columns for probe, *columns in rows}


def test_a_judge_that_looks_at_the_place_is_found_out(tried):
    n_lists, n_changed, shift, low, high, is_shifted = bias(tried, "claude_sonnet45_judge")[
        "reversed"
    ]
    assert n_lists >= N_LISTS
    assert n_changed > 0
    # of five ranks, from 16 / 3 to 3.2 / 3; the pairs' lists are shorter
    assert -16 / 3 < low <= shift <= high < -1
    assert is_shifted


def test_a_judge_that_looks_at_the_name_alone_does_not_shift(tried):
    found = bias(tried, "gpt4o_judge")
    for probe in ("rerun", "reversed", "padded", "gold_absent"):
        n_lists, n_changed, *shifts, is_shifted = found[probe]
        assert n_lists > 0, probe
        assert (n_changed, shifts, is_shifted) == (0, [0, 0, 0], False), probe
    # the same diagnoses under other names are other names to it
    assert found["synonyms"][1] > 0


def test_a_judge_says_how_far_it_agrees_with_itself(tried):
    rows = tried.rows(
        "select judge_id, n_changed, agreement, kappa from rpt_judge_stability "
        "where scale = 'semantic' order by judge_id"
    )
    assert rows == [
        ("claude_sonnet45_judge", 0, 1.0, 1.0),
        ("gpt4o_judge", 0, 1.0, 1.0),
        ("local_judge", 0, None, None),
        ("terminology", 0, 1.0, 1.0),
    ]


def test_nonsense_is_counted_and_agrees_with_nobody(tried):
    ((labels, ranks),) = tried.rows(
        "select count(*) filter (where has_semantic_label), count(*) from fct_judged_diagnosis "
        "where judge_id = 'local_judge'"
    )
    assert labels == 0
    assert ranks >= 5 * N_LISTS
    assert not tried.rows(
        "from fct_judge_agreement where scale in ('semantic', 'severity') "
        "and 'local_judge' in (judge_a, judge_b)"
    )


def test_a_constant_judge_is_flagged_and_agrees_with_nobody(tried):
    """Of severities both models say rare whatever they see; of relations neither does."""
    votes = tried.rows(
        "select judge_id, scale, is_degenerate, n_labels_used, n_no_answer = n_votes "
        "from rpt_judge_vote where configuration_id like 'ic_ranker/%' order by all"
    )
    assert [row for row in votes if row[0] != "local_judge"] == [
        ("claude_sonnet45_judge", "semantic", False, 2, False),
        ("claude_sonnet45_judge", "severity", True, 1, False),
        ("gpt4o_judge", "semantic", False, 5, False),
        ("gpt4o_judge", "severity", True, 1, False),
    ]
    assert {row[1:] for row in votes if row[0] == "local_judge"} == {
        ("semantic", True, 0, True),
        ("severity", True, 0, True),
    }
    flags = dict(
        tried.rows(
            "select judge_id, is_judge_constant from rpt_leaderboard "
            "where configuration_id like 'ic_ranker/%'"
        )
    )
    assert flags["local_judge"] is True
    assert flags["gpt4o_judge"] is False
    assert flags["terminology"] is None
    kappas = tried.rows(
        "select judge_a, judge_b, kappa from fct_judge_agreement where scale = 'severity' "
        "and label = 'all' and configuration_id = 'all' and test_set = 'simulated_rare_200' "
        "and 'gpt4o_judge' in (judge_a, judge_b) order by all"
    )
    assert kappas
    assert all(abs(kappa or 0) < 1e-9 for *_, kappa in kappas), kappas


def test_people_decide_which_judge_is_calibrated(tried):
    verdicts = {
        judge_id: (is_rater, is_calibrated)
        for judge_id, is_rater, is_calibrated in tried.rows(
            "select judge_id, is_rater, is_calibrated from rpt_judge_calibration "
            "where panel = 'clinicians' and scale = 'semantic'"
        )
    }
    assert verdicts["clinicians/anna"] == verdicts["clinicians/ben"] == (True, True)
    assert verdicts["gpt4o_judge"] == (False, True)
    assert verdicts["claude_sonnet45_judge"] == (False, False)
    assert verdicts["terminology"] == (False, False)
    shown = dict(
        tried.rows(
            "select distinct judge_id, is_calibrated from fct_case_score "
            "where test_set = 'simulated_rare_200' and judge_id not like 'jury%'"
        )
    )
    assert shown["gpt4o_judge"] is True
    assert shown["claude_sonnet45_judge"] is False
    # some of the lists measure a judge; they score no system
    assert "clinicians/anna" not in shown
    ((kind,),) = tried.rows("select kind from dim_judge where judge_id = 'clinicians/anna'")
    assert kind == "person"


def test_pairs_without_cases_are_judged_by_everybody(tried):
    agreement = tried.rows(
        "select judge_a, judge_b, n_ranks, agreement from fct_judge_agreement "
        "where test_set = 'elsewhere' and scale = 'semantic' and label = 'all' "
        "and configuration_id = 'all' order by all"
    )
    pairs = {(a, b): (n, agreed) for a, b, n, agreed in agreement}
    assert pairs["elsewhere", "gpt4o_judge"][0] == 5
    n, agreed = pairs["elsewhere", "terminology"]
    assert n == 5
    assert agreed >= 0.6
    ((reason,),) = tried.rows(
        "select reason from rpt_label_issue where panel = 'elsewhere' and source_line = 7"
    )
    assert reason.startswith("'A Cousin' is not a label")


def test_the_confusion_matrix_adds_up(tried):
    rows = tried.rows(
        "select confusion.judge_a, confusion.judge_b, confusion.test_set, confusion.scale, "
        "sum(confusion.n_ranks), any_value(agreement.n_ranks), "
        "sum(confusion.n_ranks) filter (where label_a = label_b) / sum(confusion.n_ranks), "
        "any_value(agreement.agreement) "
        "from fct_judge_confusion as confusion inner join fct_judge_agreement as agreement "
        "using (judge_a, judge_b, test_set, scale) "
        "where agreement.label = 'all' and agreement.configuration_id = 'all' group by all"
    )
    assert len(rows) > 20
    for *key, n, n_expected, agreed, agreed_expected in rows:
        assert n == n_expected, key
        assert (agreed or 0) == pytest.approx(agreed_expected), key
