"""Files whose columns would be mistaken: golds for answers, other models, prompts and cases."""

import csv
import json
import re

import openpyxl
import pytest

from python_llm.errors import FileError
from python_llm.imports.served import Served
from python_llm.parsing.differential import parse_differential
from python_llm.parsing.envelopes import unwrapped
from python_llm.runs import store
from python_llm.runs.cases import Case, KnownSets
from python_llm.runs.importing import Run, import_run, read_source
from python_llm.runs.matching import by_id
from python_llm.test_sets.importing import import_cases

GOLDS = {"K01": "Gout", "K02": "Asthma", "K03": "Measles", "K04": "Scurvy"}
SHUFFLED = ["K03", "K01", "K04", "K02"]


@pytest.fixture
def imported(tmp_path):
    """The stored first diagnosis of each case after an import of a file."""
    with (tmp_path / "set.csv").open("w", newline="") as file:
        rows = [[case, f"Note {case}.", gold] for case, gold in GOLDS.items()]
        csv.writer(file).writerows([["case_id", "text", "diagnosis"], *rows])
    import_cases(tmp_path / "set.csv", None, "mine", tmp_path / "cases")

    def read(file, columns=None, model="m", prompt="p", asked=None):
        sets = KnownSets(Served(None), cases_dir=tmp_path / "cases")
        source = read_source(file, columns or {})
        run = Run(model, prompt, "mine")
        report = import_run(source, run, tmp_path / "runs", sets, columns=columns, asked=asked)
        rows = store.read(tmp_path / "runs", "answers").to_pylist()
        kept = {row["case_id"]: row for row in rows}
        return report, {case.partition("/")[2]: row for case, row in kept.items()}

    return read


def table(folder, header, rows):
    with (folder / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return folder / "a.csv"


@pytest.mark.parametrize("others", [["answer_1", "answer_2"], ["gpt4", "claude"], ["m_dx1", "why"]])
def test_golds_are_not_taken_for_answers(imported, tmp_path, others):
    rows = [[case, gold, f"Flu of {case}", f"{gold}?"] for case, gold in GOLDS.items()]
    file = table(tmp_path, ["case_id", "diagnosis", *others], rows)
    with pytest.raises(FileError, match=f"gold diagnosis in 4 of 4 cases, and {others[0]}"):
        imported(file)
    _, answers = imported(file, {"answer": others[0], "gold": "diagnosis"})
    assert answers["0001"]["answer_text"] == "Flu of K01"
    _, answers = imported(file, {"answer": "diagnosis"}, model="other")
    assert answers["0001"]["answer_text"] == "Gout"


GERMAN = {"K01": "Gicht", "K02": "Asthma bronchiale", "K03": "Masern", "K04": "Skorbut"}


@pytest.mark.parametrize("other", ["response", "output", "prediction"])
def test_two_columns_of_answers_are_asked_about(imported, tmp_path, other):
    rows = [[case, gold, f"1. Flu\n2. {GOLDS[case]}"] for case, gold in GERMAN.items()]
    file = table(tmp_path, ["id", "answer", other], rows)
    with pytest.raises(FileError, match=f"both 'answer' and '{other}' may be the answer"):
        imported(file)
    _, answers = imported(file, {"answer": other})
    assert answers["0001"]["answer_text"] == "1. Flu\n2. Gout"


def test_a_part_of_the_answer_is_no_other_one(imported, tmp_path):
    rows = [[c, f"1. Flu {c}\n2. Gout", f"Flu {c}", "passed"] for c in GOLDS]
    report, _ = imported(table(tmp_path, ["id", "answer", "prediction", "result"], rows))
    assert report.n_answers == 4


@pytest.mark.parametrize("word", ["gold", "Reference", "ground truth"])
@pytest.mark.parametrize("column", ["source", "role", "kind"])
def test_rows_of_golds_are_no_answers(imported, tmp_path, word, column):
    rows = []
    for case, gold in GOLDS.items():
        rows += [[case, word, 1, gold], [case, "model", 1, f"Flu {case}"], [case, "model", 2, gold]]
    report, answers = imported(table(tmp_path, ["case_id", column, "rank", "diagnosis"], rows))
    names = [item["diagnosis"] for item in answers["0001"]["diagnoses"]]
    assert names == ["Flu K01", "Gout"]
    assert f"4 rows are '{word.lower().replace(' ', '_')}'" in " ".join(report.notes)
    assert "4 of 4 gold diagnoses agree" in report.matched_by


@pytest.mark.parametrize("golds", [GOLDS, GERMAN], ids=["English", "German"])
def test_golds_and_their_ranks_are_no_answers(imported, tmp_path, golds):
    rows = [[case, gold, 1 + n % 3] for n, (case, gold) in enumerate(golds.items(), 1)]
    file = table(tmp_path, ["case_id", "diagnosis", "rank"], rows)
    with pytest.raises(FileError, match="look like gold diagnoses, each with its rank"):
        imported(file)
    report, _ = imported(file, {"diagnosis": "diagnosis"})
    assert report.n_answers == 4


def test_a_model_may_be_right_everywhere(imported, tmp_path):
    rows = [[case, gold, n] for n, (case, gold) in enumerate(GOLDS.items())]
    report, _ = imported(table(tmp_path, ["case_id", "diagnosis", "seconds"], rows))
    assert report.n_answers == 4


@pytest.mark.parametrize("named", ["prediction", "predicted_diagnosis", "candidate"])
@pytest.mark.parametrize("ordered", ["rank", "probability"])
def test_a_gold_at_every_rank_is_no_answer(imported, tmp_path, named, ordered):
    numbers = {"rank": ("1", "2"), "probability": ("0.6", "0.2")}[ordered]
    rows = [
        [case, gold, number, name]
        for case, gold in GOLDS.items()
        for number, name in zip(numbers, (f"Flu {case}", gold), strict=True)
    ]
    report, answers = imported(table(tmp_path, ["case_id", "diagnosis", ordered, named], rows))
    names = [item["diagnosis"] for item in answers["0001"]["diagnoses"]]
    assert names == ["Flu K01", "Gout"]
    assert f"'{named}' as the ranked diagnoses" in " ".join(report.notes)
    assert "4 of 4 gold diagnoses agree" in report.matched_by


def test_a_gold_at_every_rank_beside_two_others(imported, tmp_path):
    rows = [[c, g, n, f"Flu {n}", f"Cold {n}"] for c, g in GOLDS.items() for n in (1, 2)]
    header = ["case_id", "diagnosis", "rank", "first_reader", "second_reader"]
    with pytest.raises(FileError, match=r"2 other columns \(first_reader, second_reader\)"):
        imported(table(tmp_path, header, rows))


@pytest.mark.parametrize("column", ["key", "item"])
@pytest.mark.parametrize("form", ["{}", "Patient {}", "dx-{}", "marked"])
def test_ids_under_any_name_say_the_case(imported, tmp_path, column, form):
    written = {case: form.format(case) for case in SHUFFLED}
    if form == "marked":
        written = {case: f"k-{case[1:]}" for case in SHUFFLED}
    lines = [json.dumps({column: written[c], "response": f"1. Flu {c}"}) for c in SHUFFLED]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    report, answers = imported(tmp_path / "a.jsonl")
    assert answers["0003"]["answer_text"] == "1. Flu K03"
    assert f"'{column}' holds the ids" in " ".join(report.notes)


@pytest.mark.parametrize("written", [["2", "0", "3", "1"], ["3", "1", "4", "2"]])
def test_an_order_that_a_column_denies_is_not_taken(imported, tmp_path, written):
    rows = [[text, f"1. Flu {case}"] for text, case in zip(written, SHUFFLED, strict=True)]
    file = table(tmp_path, ["n", "answer"], rows)
    with pytest.raises(FileError, match=r"'n' .* names them in another order than they stand"):
        imported(file)
    report, _ = imported(file, asked="order")
    assert report.n_answers == 4


def test_numbers_in_their_order_change_nothing(imported, tmp_path):
    rows = [[str(n), f"1. Flu {case}"] for n, case in enumerate(GOLDS)]
    _, answers = imported(table(tmp_path, ["n", "answer"], rows))
    assert answers["0003"]["answer_text"] == "1. Flu K03"


def test_each_model_has_its_sheet(imported, tmp_path):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for model in ("GPT-4", "Claude"):
        sheet = book.create_sheet(model)
        sheet.append(["case", "Dx1", "Dx2"])
        for case in GOLDS:
            sheet.append([case, f"{model} {case}", "Flu"])
    book.save(tmp_path / "a.xlsx")
    report, answers = imported(tmp_path / "a.xlsx", model="claude")
    assert answers["0001"]["diagnoses"][0]["diagnosis"] == "Claude K01"
    assert "4 rows are of other models ('GPT-4')" in " ".join(report.notes)
    with pytest.raises(FileError, match="'Claude', 'GPT-4' with the same cases, and none is 'm'"):
        imported(tmp_path / "a.xlsx")


def test_each_prompt_has_its_rows(imported, tmp_path):
    rows = [[case, name, f"1. {name} {case}"] for name in ("long", "short") for case in GOLDS]
    file = table(tmp_path, ["case_id", "prompt", "answer"], rows)
    _, answers = imported(file, prompt="short")
    assert answers["0001"]["answer_text"] == "1. short K01"
    with pytest.raises(FileError, match="'long', 'short' with the same cases, and none is 'p'"):
        imported(file)


@pytest.mark.parametrize(
    "header", [["diagnosis", "differential_diagnoses"], ["most_likely_diagnosis", "differential"]]
)
def test_a_first_diagnosis_of_its_own_column_is_asked_about(imported, tmp_path, header):
    rows = [[case, f"Flu {case}", "Cold; Croup; Angina"] for case in GOLDS]
    file = table(tmp_path, ["case_id", *header], rows)
    with pytest.raises(FileError, match=f"'{header[0]}' stands beside '{header[1]}'"):
        imported(file)
    report, _ = imported(file, {"answer": header[1]})
    assert report.n_answers == 4


def test_a_log_of_runs_keeps_its_answer_inside(imported, tmp_path):
    lines = [
        json.dumps({"name": "chat", "inputs": {"case_id": c}, "outputs": {"output": f"1. Flu {c}"}})
        for c in GOLDS
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    _, answers = imported(tmp_path / "a.jsonl")
    parsed = parse_differential(answers["0002"]["answer_text"], "numbered_list")
    assert [item.diagnosis for item in parsed.diagnoses] == ["Flu K02"]


def test_separators_of_thousands_rank_nothing(imported, tmp_path):
    rows = [
        [case, name, score]
        for case in GOLDS
        for name, score in (("Flu", "950"), ("Cold", "1.200"), ("Croup", "1.050"))
    ]
    with pytest.raises(FileError, match=r"'1\.200' may be a number above a thousand"):
        imported(table(tmp_path, ["case_id", "diagnosis", "score"], rows))


def test_the_rows_of_a_table_go_by_probability():
    answer = "| Probability | Diagnosis |\n|---|---|\n| 20% | Flu |\n| 70% | Gout |\n| 10% | Cold |"
    parsed = parse_differential(answer, "numbered_list")
    assert [item.diagnosis for item in parsed.diagnoses] == ["Gout", "Flu", "Cold"]


def id_in(name):
    return re.search(r"K\d\d", name)[0]


def conversations(folder, names):
    """An export of a chat tool: conversations, each under the name of a case."""
    rows = [
        {
            "uuid": f"u{n}",
            "name": name,
            "chat_messages": [
                {"sender": "human", "text": "Which three diagnoses?"},
                {
                    "sender": "assistant",
                    "text": f"1. Flu\n2. {GOLDS[id_in(name)]}",
                },
            ],
        }
        for n, name in enumerate(names)
    ]
    (folder / "chat.json").write_text(json.dumps(rows))
    return folder / "chat.json"


def test_the_name_of_a_conversation_is_its_case_and_no_answer(imported, tmp_path):
    report, answers = imported(conversations(tmp_path, SHUFFLED))
    assert report.matched_by.startswith("case or record id")
    for number, gold in zip(sorted(answers), GOLDS.values(), strict=True):
        assert f"2. {gold}" in answers[number]["answer_text"]
    with pytest.raises(FileError, match=r"'name' .* names them in another order"):
        imported(conversations(tmp_path, [f"Chat on {name} again" for name in SHUFFLED]))


def test_numbers_that_fit_ids_and_positions_are_asked_for(imported, tmp_path):
    rows = [[number, f"1. Flu {number}"] for number in range(1, 5)]  # ids are K01 to K04
    assert imported(table(tmp_path, ["case", "answer"], rows))[0].n_answers == 4
    with (tmp_path / "set.csv").open("w", newline="") as file:
        notes = [[f"K-0{n}", f"Note {n} of a case.", gold] for n, gold in enumerate(GOLDS.values())]
        csv.writer(file).writerows([["case_id", "text", "diagnosis"], *notes])
    import_cases(tmp_path / "set.csv", None, "from0", tmp_path / "cases")
    sets = KnownSets(Served(None), cases_dir=tmp_path / "cases")

    def read(header, rows, asked=None):
        source = read_source(table(tmp_path, header, rows), {})
        run = Run("m", "p", "from0")
        import_run(source, run, tmp_path / "from0", sets, asked=asked)
        kept = store.read(tmp_path / "from0", "answers").to_pylist()
        return {row["answer_text"]: row["case_id"] for row in kept}

    with pytest.raises(FileError, match="may be positions or the numbers of the ids"):
        read(["case", "answer"], rows)
    assert read(["case", "answer"], rows, "positions")["1. Flu 1"] == "from0/0001"
    golds = [
        [number, answer, gold] for (number, answer), gold in zip(rows, GOLDS.values(), strict=True)
    ]
    assert read(["case", "answer", "gold"], golds)["1. Flu 1"] == "from0/0001"


@pytest.mark.parametrize("gold", ["label", "correct_diagnosis", "y_true", "Diagnóstico correcto"])
@pytest.mark.parametrize("answer", ["pred", "y_pred", "final_answer", "model_answer"])
def test_golds_and_answers_under_names_of_programs(imported, tmp_path, gold, answer):
    rows = [[case, name, f"1. Flu {case}\n2. {name}"] for case, name in GOLDS.items()]
    report, answers = imported(table(tmp_path, ["case_id", gold, answer], rows))
    assert answers["0001"]["answer_text"] == "1. Flu K01\n2. Gout"
    assert "4 of 4 gold diagnoses agree" in report.matched_by


def test_labels_that_are_ranks_stay_labels(imported, tmp_path):
    rows = [[case, f"1. Flu {case}\n2. {name}", "P2"] for case, name in GOLDS.items()]
    report, _ = imported(table(tmp_path, ["case_id", "answer", "label"], rows))
    assert report.n_labels == 4


def test_ordinals_are_ranks(imported, tmp_path):
    header = ["case_id", "first diagnosis", "second diagnosis", "Third diagnosis"]
    rows = [[case, f"Flu {case}", name, "Cold"] for case, name in GOLDS.items()]
    _, answers = imported(table(tmp_path, header, rows))
    names = [(item["rank"], item["diagnosis"]) for item in answers["0001"]["diagnoses"]]
    assert names == [(1, "Flu K01"), (2, "Gout"), (3, "Cold")]


def test_one_answer_in_two_wrappings_is_one(imported, tmp_path):
    turns = {case: {"role": "assistant", "content": f"1. Flu {case}\n2. Gout"} for case in GOLDS}
    samples = [
        {
            "id": case,
            "messages": [{"role": "user", "content": f"Note {case}."}, turn],
            "output": {"choices": [{"message": turn}]},
        }
        for case, turn in turns.items()
    ]
    (tmp_path / "a.json").write_text(json.dumps({"samples": samples}))
    report, _ = imported(tmp_path / "a.json")
    assert report.n_answers == 4


def test_a_batch_of_bedrock(imported, tmp_path):
    lines = [
        {"recordId": case, "modelOutput": {"content": [{"type": "text", "text": f"1. {gold}"}]}}
        for case, gold in GOLDS.items()
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    report, _ = imported(tmp_path / "a.jsonl")
    assert (report.n_answers, report.matched_by[:14]) == (4, "case or record")


def test_one_and_zero_are_no_ranks(imported, tmp_path):
    rows = [[c, f"1. Flu {c}\n2. {g}", n % 2] for n, (c, g) in enumerate(GOLDS.items())]
    file = table(tmp_path, ["case_id", "answer", "score"], rows)
    report, _ = imported(file)
    assert report.n_labels == 0
    assert "has only 1 and 0" in " ".join(report.notes)
    report, _ = imported(file, {"gold_rank": "score"})
    assert report.n_labels == 4


@pytest.mark.parametrize("column", ["m", "[openai:gpt-4] Diagnose {{case}}"])
def test_a_column_named_after_the_model_has_its_answers(imported, tmp_path, column):
    rows = [[c, g, f"1. Flu {c}\n2. {g}", "PASS", 1.0, "{}"] for c, g in GOLDS.items()]
    header = ["case_id", "gold", column, "Status", "Score", "Named Scores"]
    report, answers = imported(table(tmp_path, header, rows))
    assert answers["0001"]["answer_text"] == "1. Flu K01\n2. Gout"
    assert report.n_labels == 0


def test_labels_under_the_name_of_the_model_are_no_answers(imported, tmp_path):
    rows = [[case, gold, "P2"] for case, gold in GOLDS.items()]
    with pytest.raises(FileError, match="no column for the answer"):
        imported(table(tmp_path, ["case_id", "gold", "m"], rows))


@pytest.mark.parametrize("n_ranks", [2, 3])
def test_names_by_case_and_rank(imported, tmp_path, n_ranks):
    names = ["Flu", "Gout", "Cold"][:n_ranks]
    document = {case: {str(n): name for n, name in enumerate(names, 1)} for case in GOLDS}
    (tmp_path / "a.json").write_text(json.dumps(document))
    _, answers = imported(tmp_path / "a.json")
    assert [item["diagnosis"] for item in answers["0001"]["diagnoses"]] == names


def test_conversations_of_two(imported, tmp_path):
    items = [
        {
            "id": case,
            "conversations": [
                {"from": "human", "value": f"1. Note {case}\n2. More"},
                {"from": "gpt", "value": f"1. Flu {case}\n2. Gout"},
            ],
        }
        for case in GOLDS
    ]
    (tmp_path / "a.json").write_text(json.dumps(items))
    _, answers = imported(tmp_path / "a.json")
    parsed = parse_differential(unwrapped(answers["0001"]["answer_text"]), "numbered_list")
    assert [item.diagnosis for item in parsed.diagnoses] == ["Flu K01", "Gout"]


def test_other_letters_before_a_number_are_another_set(imported, tmp_path):
    def rows(letters):
        return [[f"{letters}{n}", f"1. Flu {n}"] for n in range(1, 5)]  # ids are K01 to K04

    with pytest.raises(FileError, match=r"a.csv: 'Q1' and 3 others have other letters"):
        imported(table(tmp_path, ["case_id", "answer"], rows("Q")))
    for number, letters in enumerate(("K", "patient_", "k-")):
        file = table(tmp_path, ["case_id", "answer"], rows(letters))
        assert imported(file, model=f"m{number}")[0].n_answers == 4
    file = table(tmp_path, ["case_id", "answer"], rows("Q"))
    assert imported(file, model="asked", asked="ids")[0].n_answers == 4
    golds = [[*row, gold] for row, gold in zip(rows("Q"), GOLDS.values(), strict=True)]
    file = table(tmp_path, ["case_id", "answer", "gold"], golds)
    assert imported(file, model="golds")[0].n_answers == 4


def test_an_id_in_another_writing_is_of_one_case():
    ids = ["NEU-01", "NEU-02", "CAR-01", "B-12-3"]
    cases = [Case(f"s/{n:04}", n, name, [], [], False) for n, name in enumerate(ids, 1)]
    read = {
        ("neu01", "CAR 01", "neu_02"): ["NEU-01", "CAR-01", "NEU-02"],
        ("dx-NEU-01", "dx-CAR-01"): ["NEU-01", "CAR-01"],
        ("NEU-01", "neu01"): ["NEU-01", None],  # one case, twice
        ("neu01", "NEU.01"): [None, None],
        ("a-NEU-01", "b-NEU-02"): [None, None],  # of two words in front, who knows
        ("NEU-01-2", "NEU-02-b"): [None, None],
        ("dx1-NEU-01", "dx2-NEU-02"): [None, None],
        ("B-123", "B12-3"): [None, "B-12-3"],
        ("NEU-1", "01"): [None, None],
    }
    names = {case.case_id: case.record_id for case in cases}
    wrong = {}
    for refs, expected in read.items():
        by_ref = by_id([*refs], "s", cases)
        got = [names[by_ref[ref].case_id] if ref in by_ref else None for ref in refs]
        if got != expected:
            wrong[refs] = got
    assert wrong == {}
