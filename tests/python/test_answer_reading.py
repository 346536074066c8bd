"""From recorded answers to ranks, issues and statuses: the parsers and the SQL behind them."""

import html
import json
import runpy
import time
from types import SimpleNamespace

import duckdb
import project
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from python_llm import paths
from python_llm.parsing.differential import parse_differential, parse_differentials
from python_llm.parsing.failures import FailurePatterns
from python_llm.runs.store import DIAGNOSIS

BEFORE_READING = "int_experiments__request_formats"
BEHIND_READING = [
    "int_experiments__ranked_diagnoses",
    "int_experiments__cell_outcomes",
    "rpt_answer_issue",
    "rpt_answer_reading",
    "fct_answer",
]
EMPTY = """
create table int_experiments__generation_asks
    (configuration_id varchar, case_id varchar, request_key varchar, output_format varchar,
     model_alias varchar, is_blocked_by_policy boolean, is_selected boolean);
create table int_experiments__generation_responses (
    request_key varchar, status varchar, answer_text varchar, finish_reason varchar,
    error_kind varchar, error_message varchar, n_attempts integer, latency_ms double
);
create table int_experiments__case_findings
    (case_id varchar, hpo_id varchar, hpo_name varchar, is_excluded boolean);
"""
RANKING = """
create table int_experiments__{}_ranking (
    test_set varchar, case_id varchar, diagnosis_rank integer, diagnosis varchar,
    reasoning varchar, in_favour varchar, against varchar
);
"""
EMPTY += "".join(map(RANKING.format, ("ic", "profile", "lexical", "frequency")))
RECORDED = pa.schema(
    [
        *((name, pa.string()) for name in ("configuration_id", "case_id", "answer_key")),
        *((name, pa.string()) for name in ("output_format", "answer_text", "recorded_in")),
        ("diagnoses", pa.list_(DIAGNOSIS)),
    ]
)
PARTS = ("reasoning", "in_favour", "against", "risk")


class Compiled(dict):
    """SQL by model, which no failing test needs to print."""

    def __repr__(self):
        return "Compiled()"


@pytest.fixture(scope="module")
def sql(tmp_path_factory):
    """The compiled models by name."""
    folder = tmp_path_factory.mktemp("reading")
    return Compiled(project.compiled(folder, "--select", BEFORE_READING, *BEHIND_READING))


class House:
    """What the models make of some answers."""

    def __init__(self, sql, answers, phi=(), live=()):
        """`answers`: a text or a list of (rank, name) a case; `live` ones came from a provider."""
        self.connection = duckdb.connect()
        run = self.connection.execute
        run("attach ':memory:' as kernel29")
        run("use kernel29")
        run(EMPTY)
        for seed in ("answer_patterns", "reading_rules", "parse_outcomes", "outcome_statuses"):
            [file] = paths.project_root().glob(f"seeds/*/{seed}.csv")
            run(f"create table {seed} as from read_csv('{file}', header = true)")
        rows = [
            {
                "configuration_id": "run",
                "case_id": f"c{number}",
                "answer_key": f"k{number}",
                "output_format": "numbered_list",
                "answer_text": answer if isinstance(answer, str) else None,
                "diagnoses": []
                if isinstance(answer, str)
                else [
                    {"rank": rank, "diagnosis": name, **dict.fromkeys(PARTS)}
                    for rank, name in answer
                ],
            }
            for number, answer in enumerate(answers)
        ]
        recorded = pa.Table.from_pylist(
            [row for row in rows if row["case_id"] not in live], schema=RECORDED
        )
        self.connection.register("recorded", recorded)
        run("create table int_experiments__recorded_answers as from recorded")
        for row in (row for row in rows if row["case_id"] in live):
            values = [row["answer_key"], row["case_id"], row["answer_text"]]
            run(
                "insert into int_experiments__generation_asks values "
                "('run', ?2, ?1, 'numbered_list', 'm', false, true)",
                values[:2],
            )
            run(
                "insert into int_experiments__generation_responses by name "
                "select ? as request_key, 'ok' as status, ? as answer_text",
                values[::2],
            )
        run(
            f"create table int_experiments__expected_cells as select 'run' as configuration_id, "
            f"'c' || n as case_id, 'm' as model_alias, 'p' as prompt_alias, "
            f"'t' as test_set, if('c' || n in {(*live, '')}, 'llm', 'recorded') as model_kind, "
            "n as sample_order, cast(null as varchar) as ranker, "
            f"from range({len(rows)}) as numbers (n)"
        )
        run(
            "create table int_experiments__configurations as "
            "select unnest(['run', 'base']) as configuration_id, 'v' as prompt_version"
        )
        run(
            "create table dim_case as select case_id, "
            f"case_id in {(*phi, '')} as contains_phi from int_experiments__expected_cells"
        )
        run(f"create view {BEFORE_READING} as {sql[BEFORE_READING]}")
        [model] = paths.project_root().glob("models/**/int_experiments__parsed_answers.py")
        read = runpy.run_path(str(model))["model"]
        parsed = read(SimpleNamespace(ref=self.connection.table), None)
        self.connection.register("parsed", parsed)
        run("create table int_experiments__parsed_answers as from parsed")
        for name in BEHIND_READING:
            run(f"create table {name} as {sql[name]}")

    def rows(self, query):
        return self.connection.execute(query).fetchall()

    def accounts(self):
        """(items, read, cut, merged, left) by case."""
        query = "select case_id, n_items, n_read, n_cut, n_merged, n_left from rpt_answer_reading"
        return {case: tuple(account) for case, *account in self.rows(query)}

    def ranks(self):
        """Name by rank, by case."""
        found = {}
        query = "select case_id, diagnosis_rank, diagnosis from int_experiments__ranked_diagnoses"
        for case, rank, name in self.rows(f"{query} order by all"):
            found.setdefault(case, {})[rank] = name
        return found

    def statuses(self):
        return dict(self.rows("select case_id, status from fct_answer"))


NAMES = [f"{name} disease" for name in ("Wilson", "Gaucher", "Fabry", "Pompe", "Krabbe", "Danon")]
NAMES += [f"{name} syndrome" for name in ("Marfan", "Noonan", "Usher", "Alport", "Turner", "Rett")]
CUT, MERGED, LEFT, READ = "cut", "merged", "left", "read"
TAIL = ", one of those that " + "begin in childhood and end in the liver " * 5
OF_A_KIND = {
    READ: lambda name: name,
    CUT: lambda name: name + TAIL.rstrip(),
    "heading": lambda name: "Symptoms",
    "advice": lambda name: "Consult a specialist",
    "empty": lambda name: "",
}


def as_numbered(items, mark="."):
    return "My list:\n\n" + "\n".join(f"+{n}{mark} {text}: it fits" for n, text in items) + "\n"


def as_quoted(items):
    return "\n\n".join(f"'+{number}' {text}:\nit fits" for number, text in items)


def as_json(items):
    return json.dumps({"diagnoses": [{"rank": n, "diagnosis": text} for n, text in items]})


def as_xml(items):
    return "".join(
        f'<diagnosis rank="{n}"><name>{html.escape(text)}</name><why>x</why></diagnosis>'
        for n, text in items
    )


def as_ranks(items):
    return list(items)


WAYS = (as_numbered, as_quoted, as_json, as_xml, as_ranks)


@st.composite
def lists(draw):
    """(way to write it, [(number, text, kind, name)]): ascending numbers, some with gaps."""
    names = draw(st.permutations(NAMES))
    kinds = draw(st.lists(st.sampled_from([*OF_A_KIND, READ, MERGED]), min_size=2, max_size=11))
    number = draw(st.integers(1, 6)) - 1
    items, read = [], []
    for kind, name in zip(kinds, names, strict=False):
        number += draw(st.sampled_from([1, 1, 1, 2, 9]))
        if kind == MERGED and not read:
            kind = READ
        if kind == MERGED:
            text = draw(st.sampled_from(read)).upper().replace(" ", "'s ", 1)
        else:
            text = OF_A_KIND[kind](name)
        if kind in (READ, CUT):
            read.append(name)
        items.append((number, text, kind, name))
    return draw(st.sampled_from(WAYS)), items


# Reading a table takes about a second however many lists it has, so each holds many.
@settings(max_examples=5, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(lists(), min_size=60, max_size=60))
def test_every_item_is_read_merged_or_left_at_its_own_rank(sql, answers):
    house = House(sql, [way([(n, text) for n, text, *_ in items]) for way, items in answers])
    accounts, ranks = house.accounts(), house.ranks()
    for number, (_, items) in enumerate(answers):
        kinds = [kind for *_, kind, _ in items]
        n_read = kinds.count(READ) + kinds.count(CUT)
        n_merged = kinds.count(MERGED)
        expected = (len(items), n_read, kinds.count(CUT), n_merged, len(items) - n_read - n_merged)
        assert accounts[f"c{number}"] == expected
        read = {n: name for n, _, kind, name in items if kind in (READ, CUT)}
        assert ranks.get(f"c{number}", {}) == read


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("place", [0, 2, 4])
def test_no_rank_moves_when_an_item_changes(sql, way, place):
    """Made long, replaced by a heading or by nothing, or by a disease that stands there already."""
    names = NAMES[:5]
    changed = {
        **{kind: OF_A_KIND[kind](names[place]) for kind in OF_A_KIND},
        MERGED: names[place - 1].replace(" ", "'s "),
    }
    lists = [
        [(n, text if n == place + 1 else name) for n, name in enumerate(names, 1)]
        for text in changed.values()
    ]
    house = House(sql, [way(items) for items in lists])
    for number, kind in enumerate(changed):
        expected = dict(enumerate(names, 1))
        if kind == MERGED and not place:  # the last item is named first
            expected |= {1: changed[MERGED]}
            del expected[5]
        elif kind not in (READ, CUT):
            del expected[place + 1]
        assert house.ranks()[f"c{number}"] == expected, kind


def test_issues_say_what_was_done_and_hide_what_patients_have(sql):
    answer = f"1. Gout: toe\n2. Flu{TAIL}: fever\n3. Symptoms: few\n5. GOUT: toe\n6. Measles: rash"
    house = House(sql, [answer, answer, "Error code: 429", "1. Flu\n1. Gout"], phi=["c1"])
    query = (
        "select place, diagnosis_rank, rule, effect, what, remedy is not null "
        "from rpt_answer_issue where case_id = '{}' order by issue_number"
    )
    cut, heading, repeated = house.rows(query.format("c0"))
    assert cut[:4] == (2, 2, "cut", "cut")
    assert cut[4].startswith("Flu, one of those")
    assert heading == (3, 3, "heading", "left", "Symptoms: few", True)
    assert repeated == (4, 5, "repeated", "merged", "GOUT (rank 1)", True)
    assert [row[4] for row in house.rows(query.format("c1"))] == [None, None, None]
    assert house.rows(query.format("c2")) == [
        (None, None, "failure_text", "answer", "Error code: 429", True)
    ]
    assert house.rows(query.format("c3")) == [(None, None, "renumbered", "list", "1, 1", True)]
    assert house.ranks()["c0"] == {1: "Gout", 2: "Flu", 6: "Measles"}
    assert house.rows(
        "select first_rank, last_rank, is_renumbered from rpt_answer_reading order by case_id"
    ) == [(1, 6, False), (1, 6, False), (None, None, False), (1, 2, True)]


def test_an_answer_without_a_diagnosis_is_one_issue(sql):
    answers = {
        "Migraine with aura; Tension headache": "unreadable",
        "1. Symptoms: fever": "unreadable",
        " \n": "empty",
        "ERROR": "failure_text",
        "I'm sorry, but I can't help with that.": "failure_text",
        "1. Gout": None,
    }
    expected = [(f"c{n}", rule) for n, rule in enumerate(answers.values()) if rule]
    query = (
        "select case_id, rule from rpt_answer_issue where effect = 'answer' and remedy is not null "
        "order by all"
    )
    house = House(sql, list(answers))
    assert house.rows(query) == expected
    assert house.rows("select what from rpt_answer_issue where case_id = 'c0'") == [
        ("Migraine with aura; Tension headache",)
    ]
    live = House(sql, list(answers), live=[f"c{n}" for n in range(len(answers))])
    # what a provider delivered did not fail on the way
    assert live.rows(query) == [*expected[:3], ("c3", "unreadable"), *expected[4:]]


FAILURES = {
    "provider_error": [
        *("ERROR", "error", "Error.", "[ERROR]", "API Error", "Exception: list index out of range"),
        *("HTTP 503", "503: Service Unavailable", "500 - Internal Server Error", "Bad Gateway"),
        "Traceback (most recent call last):\n  File 'run.py', line 1\nopenai.error.APIError: no",
        '{"error": {"message": "The server had an error", "type": "server_error"}}',
        *("KeyError: 'choices'", "<html><body>502</body></html>", "Failed to generate an answer"),
        *("", "  \n", "nan", "None", "null", "N/A", "-", "Se ha producido un error"),
    ],
    "rate_limited": [
        "openai.error.RateLimitError: Rate limit reached for gpt-4 on tokens per min.",
        *("Error code: 429 - {'error': {'code': 'rate_limit_exceeded'}}", "429. Too Many Requests"),
        "google.api_core.exceptions.ResourceExhausted: 429",
    ],
    "quota_exhausted": ["openai.RateLimitError: Error code: 429 - insufficient_quota"],
    "timeout": [
        *("Request timed out.", "Error: timeout", "[TIMEOUT]", "504 Gateway Time-out"),
        "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='x', port=443)",
    ],
    "context_exceeded": [
        "This model's maximum context length is 4097 tokens. However, you requested 5011 tokens.",
        "Error code: 400 - {'error': {'code': 'context_length_exceeded'}}",
    ],
    "content_filtered": [
        "The response was filtered due to the prompt triggering the content management policy.",
        "The `response.text` quick accessor only works when the response contains a valid `Part`.",
        "finish_reason: SAFETY",
    ],
    "refused": [
        *("I'm sorry, but I can't assist with that.", "As an AI, I am not a doctor."),
        *("Lo siento, no puedo dar un diagnóstico.", "抱歉，我无法提供诊断。"),
        "I can't diagnose.\n1. Consult a doctor\n2. Seek the advice you need",
    ],
    "parse_error": [
        *("The patient needs rest.", "It is an inborn error of metabolism, with a timeout"),
        *("There is failure to thrive and an error of metabolism", "a b", "???", "12345", "🙂"),
        "1. Error: x\n2. Symptoms: y",
    ],
    "ok": [
        *("1. Inborn error of metabolism", "1. Error of refraction", "+1. Failure to thrive: a"),
        *("1. Gout: I'm sorry\n2. Error: x", '{"diagnoses": ["Medication error", "Rate limit"]}'),
        *("asdf", "Failure to thrive and inborn error of metabolism"),  # names alone, odd or not
        "Error in my last answer, here is the list:\n1. Wilson disease\n2. Gout",
    ],
}


def test_a_recorded_answer_without_a_list_has_its_class(sql):
    texts = [(status, text) for status, texts in FAILURES.items() for text in texts]
    house = House(sql, [text for _, text in texts])
    found = house.statuses()
    wrong = [
        (text, status, found[f"c{number}"])
        for number, (status, text) in enumerate(texts)
        if found[f"c{number}"] != status
    ]
    assert not wrong
    classes = dict(house.rows("select status, any_value(outcome_class) from fct_answer group by 1"))
    delivery = {"provider_error", "rate_limited", "quota_exhausted", "timeout"}
    assert {status for status, kind in classes.items() if kind == "delivery_failure"} == delivery


def test_what_a_provider_delivered_did_not_fail_on_the_way(sql):
    answers = ["ERROR", "I'm sorry, but I can't help.", "ERROR"]
    house = House(sql, answers, live=["c0", "c1"])
    assert house.statuses() == {"c0": "parse_error", "c1": "refused", "c2": "provider_error"}


def test_the_baseline_is_accounted_for_too(sql):
    house = House(sql, [[(1, "Gout"), (2, "Flu"), (3, "gout")]])
    run = house.connection.execute
    run("update int_experiments__expected_cells set model_kind = 'sql', configuration_id = 'base', "
        "ranker = 'int_experiments__ic_ranking'")  # fmt: skip
    run("insert into int_experiments__ic_ranking by name "
        "select 'c0' as case_id, unnest([1, 2, 3]) as diagnosis_rank, "
        "unnest(['Gout', 'Flu', 'GOUT']) as diagnosis")  # fmt: skip
    for name in BEHIND_READING:
        run(f"create or replace table {name} as {sql[name]}")
    assert house.accounts() == {"c0": (3, 2, 0, 1, 0)}


def test_prose_without_a_list_takes_no_time():
    """100,000 of these in half a minute."""
    text = "The patient has findings and should be seen. " + "Lorem ipsum dolor sit amet. " * 40
    seeds = paths.project_root() / "seeds"
    patterns = duckdb.sql(
        f"from read_csv('{seeds}/experiments/answer_patterns.csv', header = true) as patterns "
        f"inner join read_csv('{seeds}/calls/outcome_statuses.csv', header = true) as statuses "
        "using (status)"
    ).to_arrow_table()
    known = FailurePatterns(patterns.to_pylist())
    began = time.process_time()
    assert {known.status_of(text, is_recorded=True) for _ in range(1000)} == {None}
    assert time.process_time() - began < 3


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028", "\x0b", "\x0c", "<br>", "<BR/>"])
def test_lines_end_in_many_ways(end):
    parsed = parse_differential(end.join(["1. Gout", "2. Fabry disease", "3. Asthma"]), "json")
    named = [(one.rank, one.diagnosis) for one in parsed.diagnoses]
    assert named == [(1, "Gout"), (2, "Fabry disease"), (3, "Asthma")]


@pytest.mark.parametrize("mark", "\u200e\u200f\u202b\u2066")
def test_marks_of_direction_hide_no_number(mark):
    parsed = parse_differential(f"{mark}1. Gout\n{mark}2. Asthma", "numbered_list")
    assert [(one.rank, one.diagnosis) for one in parsed.diagnoses] == [(1, "Gout"), (2, "Asthma")]


FORMS = {
    "an ordered list of HTML": "<ol><li>Gout</li><li><b>Asthma</b>: cough</li><li>Flu</li></ol>",
    "a page of HTML": (
        "<!DOCTYPE html><html><head><title>1. Title</title></head><body><p>My list:</p>\n<ol>\n"
        " <li>\n  Gout\n  <ul><li>pain</li><li>swelling</li></ul></li>\n<li><p>Asthma</p></li>"
        "<li>3. Flu</li></ol></body></html>"
    ),
    "bullets of HTML": "<p>Diagnoses:</p><ul><li>Gout</li><li>Asthma</li><li>Flu</li></ul>",
    "paragraphs of HTML": "<p>1. Gout</p><p>2. Asthma &amp; cough</p><p>3. Flu</p>",
    "a table of HTML": (
        "<table><tr><th>Rank</th><th>Disease</th></tr><tr><td>1</td><td>Gout</td></tr>"
        "<tr><td>2</td><td>Asthma</td></tr><tr><td>3</td><td>Flu</td></tr></table>"
    ),
    "glued in one line": "1.Gout 2.Asthma 3.Flu",
    "brackets glued in one line": "1)Gout 2)Asthma 3)Flu",
    "semicolons between numbers": "1. Gout; 2. Asthma; 3. Flu",
    "two in one line, one below": "1. Gout 2. Asthma\n3. Flu",
    "letters": "a) Gout\nb) Asthma\nc) Flu",
    "capital letters": "The list:\n\nA. Gout: pain\nB. Asthma: cough\nC. Flu: fever",
    "letters in one line": "a) Gout b) Asthma c) Flu",
    "Roman numerals": "I. Gout\nII. Asthma\nIII. Flu",
    "Roman numerals in one line": "I. Gout II. Asthma III. Flu",
    "words": "First: Gout\nSecond: Asthma\nThird: Flu",
    "slashes": "1/ Gout\n2/ Asthma\n3/ Flu",
    "arrows": "1 -> Gout\n2 -> Asthma\n3 -> Flu",
    "numbers with a minus": "-1. Gout\n-2. Asthma\n-3. Flu",
    "numbers in the thousands": "1001. Gout\n1002. Asthma\n1003. Flu",
    "a Python list": "['Gout', \"Asthma\", 'Influenza A']",
    "semicolons": "Gout; Asthma; Influenza A",
    "bars": "Gout | Asthma | Influenza A",
    "commas before capitals": "Gout, Asthma, Influenza A",
    "lines": "Gout\nAsthma: cough\n\nInfluenza A",
    "YAML": "Here:\n```yaml\n- name: Gout\n  why: a toe\n- name: Asthma\n- name: Flu\n```",
    "a table without ranks": (
        "| P | Diagnosis |\n|:-:|---|\n| 60% | Gout |\n| 20% | Asthma |\n| 2% | Flu |\n\nEnd."
    ),
    "cells with a header": "Diagnosis\tChance\nGout\t0.6\nAsthma\t0.2\nInfluenza A\t0.1",
    "a heading in the same line": "Differential diagnosis: Gout; Asthma; Influenza A",
    "a label a line": "Primary diagnosis: Gout\nSecondary diagnosis: Asthma\nTertiary: Influenza A",
    "a courtesy below": "Gout\nAsthma\nInfluenza A\nI hope this helps!",
    "bold names": "**Gout** - because toe\n**Asthma** - which wheezes\n**Influenza A** - fever",
    "bullets and other bullets": (
        "Diagnoses:\n- Gout\n- Asthma\n- Flu\n\nRecommended tests:\n- Echocardiogram\n- Panel"
    ),
    "sentences with one opening": "\n".join(
        f"{rank}. The most striking possibility, given that this patient has had findings for "
        "a long time and has not responded to anything that was tried so far, would have to be "
        f"{name}, which explains it."
        for rank, name in enumerate(("Gout", "Asthma", "Flu"), 1)
    ),
    "lines below a heading": "The diagnoses are:\nGout\nAsthma\nInfluenza A.",
}


@pytest.fixture(scope="module")
def failure_patterns():
    seeds = paths.project_root() / "seeds"
    return duckdb.sql(
        f"from read_csv('{seeds}/experiments/answer_patterns.csv', header = true) as patterns "
        f"inner join read_csv('{seeds}/calls/outcome_statuses.csv', header = true) as statuses "
        "using (status)"
    ).to_arrow_table()


def parse_one(text, failure_patterns, is_recorded=True):
    answers = pa.table(
        {
            "answer_key": ["k"],
            "answer_text": [text],
            "output_format": ["numbered_list"],
            "is_recorded": [is_recorded],
        }
    )
    return parse_differentials(answers, failure_patterns).to_pylist()[0]


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_a_list_is_read_in_whatever_form_it_comes(text, failure_patterns):
    answer = parse_one(text, failure_patterns)
    read = [(one["rank"], one["diagnosis"].split(" ")[0]) for one in answer["diagnoses"]]
    third = "Influenza" if "Influenza" in text else "Flu"
    assert read == [(1, "Gout"), (2, "Asthma"), (3, third)]


@pytest.mark.parametrize(
    "text",
    [
        "The patient needs tests; nothing else is known; we cannot say more.",
        "It may be gout.\nIt may be asthma.",
        "gout, asthma, flu",  # one name with commas, or three
        "Anemia, Sickle cell, due to hemoglobin S, severe",
        "No diagnosis",
        "1.5 mg daily\n2.5 mg daily",
        "Marfan syndrome / Gout / Asthma",  # one name with slashes, or three
        "<p>Nothing can be said here.</p>",
    ],
)
def test_what_is_no_list_is_not_read_as_one(text, failure_patterns):
    answer = parse_one(text, failure_patterns)
    assert (answer["diagnoses"], answer["parse_status"]) == ([], "no_list")


@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize(
    "text",
    ["Service unavailable", "Error: timeout\nRetry later", "Request timed out; try; later again",
     "<html><body><h1>502 Bad Gateway</h1></body></html>"],
)  # fmt: skip
def test_a_failure_is_no_list_of_names(text, is_recorded, failure_patterns):
    assert parse_one(text, failure_patterns, is_recorded)["diagnoses"] == []


def test_names_may_begin_and_end_with_digits_in_one_line():
    text = "1.Diabetes mellitus type 2 2.Hemophilia A 3.45,X Turner syndrome 4.C3 glomerulopathy"
    parsed = parse_differential(text, "numbered_list")
    assert [(one.rank, one.diagnosis) for one in parsed.diagnoses] == [
        (1, "Diabetes mellitus type 2"),
        (2, "Hemophilia A"),
        (3, "45,X Turner syndrome"),
        (4, "C3 glomerulopathy"),
    ]


def test_what_is_cut_may_be_merged_too(sql):
    opening = "Something striking that " + "goes on and on " * 12
    house = House(sql, [f"1. {opening}\n2. {opening}\n3. {opening}"])
    assert house.accounts() == {"c0": (3, 1, 3, 2, 0)}
    name = "tests/data/experiments/every_item_is_accounted_for.sql"
    rule = (paths.project_root() / name).read_text().partition("}}")[2]
    assert house.rows(rule.replace("{{ ref('rpt_answer_reading') }}", "rpt_answer_reading")) == []


def test_advice_behind_a_refusal_is_no_list(failure_patterns):
    text = "As an AI I cannot diagnose. Please: 1. See a doctor 2. Rest 3. Drink water"
    answer = parse_one(text, failure_patterns)
    assert (answer["failure_status"], answer["diagnoses"]) == ("refused", [])


@pytest.mark.parametrize(
    "text", ["Marfan syndrome", "The most likely diagnosis is Marfan syndrome."]
)
def test_one_name_alone_is_a_list_of_one(text, failure_patterns):
    answer = parse_one(text, failure_patterns)
    assert [one["diagnosis"] for one in answer["diagnoses"]] == ["Marfan syndrome"]
    assert [issue["rule"] for issue in answer["issues"]] == ["names_alone"]


def test_letters_and_numerals_inside_an_item_are_parts_of_it():
    text = "1. Gout\n   a) pain\n   b) swelling\n2. Bipolar II: then\n3. Flu: I. cough II. fever"
    parsed = parse_differential(text, "numbered_list")
    named = [(one.rank, one.diagnosis) for one in parsed.diagnoses]
    assert named == [(1, "Gout"), (2, "Bipolar II"), (3, "Flu")]


def test_a_year_that_begins_a_line_moves_no_rank():
    parsed = parse_differential("1. Gout: since\n2019. it hurts\n2. Flu", "numbered_list")
    assert [(one.rank, one.diagnosis) for one in parsed.diagnoses] == [(1, "Gout"), (2, "Flu")]
    assert ([issue.rule for issue in parsed.issues], parsed.n_items) == (["far_number"], 3)
