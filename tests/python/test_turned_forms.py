"""Files of other kinds that are read whole and right, or refused with what to do: tables on their
side, visits, notes in pages, keys of objects twice, cells far away."""

import json
import os
import zipfile
from functools import partial

import pytest

from python_llm.errors import FileError
from python_llm.imports import tables
from python_llm.labels.importing import Source, import_labels
from python_llm.parsing.differential import parse_differential
from python_llm.questions.imported import import_questions, read_imported
from tests.python.helpers import brought
from tests.python.helpers.brought import as_book, as_json, as_lines, cases_of, written

PATIENTS = [
    ("P-1", "A man woke with a hot, swollen, painful big toe after a feast.", "Gout"),
    ("P-2", "A girl has fever, cough, red eyes and a rash behind the ears.", "Measles"),
    ("P-3", "A tall man with long fingers and a dislocated lens came.", "Marfan syndrome"),
    ("P-4", "A woman wheezes at night and after running.", "Asthma"),
]
IDS = [patient for patient, *_ in PATIENTS]
LISTS = {patient: [gold, "Septic arthritis", "Influenza"] for patient, _, gold in PATIENTS}
HEADER = ["patient_id", "case_text", "diagnosis"]
EXPECTED = [(patient, text, [gold]) for patient, text, gold in PATIENTS]
answers_of = partial(brought.answers_of, [HEADER, *PATIENTS])


def numbered(names):
    return "\n".join(f"{rank}. {name}" for rank, name in enumerate(names, 1))


def questions_of(file, **how):
    done = import_questions(file, "exam", file.parent / "questions", **how)
    return done, read_imported(file.parent / "questions").to_pylist()


# cases


def test_a_running_number_is_no_rank_of_diagnoses(tmp_path):
    """Every row has the same reason, and its number is not the rank of a secondary diagnosis."""
    rows = [["Nº", "Motivo de consulta", "Enfermedad actual", "Diagnóstico final"]]
    rows += [[at, "Urgencias", text, gold] for at, (_, text, gold) in enumerate(PATIENTS, 1)]
    done, _ = cases_of(written(tmp_path, "a.csv", rows))
    assert (done.n_records, done.n_lost) == (4, 0)


def test_visits_before_the_diagnosis_are_of_its_case(tmp_path):
    rows = [
        row
        for patient, text, gold in PATIENTS
        for row in ([patient, text, ""], [patient, "Second visit: no better.", gold])
    ]
    done, cases = cases_of(written(tmp_path, "a.csv", [HEADER, *rows]))
    assert cases == [(i, f"{text}\n\nSecond visit: no better.", [g]) for i, text, g in PATIENTS]
    assert done.n_lost == 0
    newest_first = [row for at in range(0, 8, 2) for row in (rows[at + 1], rows[at])]
    done, _ = cases_of(written(tmp_path / "b", "b.csv", [HEADER, *newest_first]))
    assert done.n_lost == 4
    assert "put the rows of the id in the order of their visits" in done.rejects[0]["reason"]


def test_marks_of_notes_are_no_part_of_a_cell(tmp_path):
    """An exponent, an ordinal and an isotope are."""
    texts = [
        "Platelets 20×10<sup>9</sup>/l, 30 kg/m<sup>2</sup>, 1<sup>st</sup> visit.",
        "Iodine <sup>131</sup>I, Na<sup>+</sup> 128.",
        "A man<sup>a</sup> with a toe.<sup>1,2</sup>",
        "A woman<sup>†</sup> with a cough.",
    ]
    rows = "".join(
        f"<tr><td>{i}<td>{text}<td>{gold}<sup>1</sup></tr>"
        for (i, _, gold), text in zip(PATIENTS, texts, strict=True)
    )
    file = tmp_path / "a.html"
    file.write_text(f"<html><table><tr><th>{'<th>'.join(HEADER)}</tr>{rows}</table></html>")
    _, cases = cases_of(file)
    assert [text for _, text, _ in cases] == [
        "Platelets 20×10^9/l, 30 kg/m2, 1st visit.",
        "Iodine 131I, Na+ 128.",
        "A man with a toe.",
        "A woman with a cough.",
    ]
    assert [golds for _, _, golds in cases] == [[gold] for _, _, gold in PATIENTS]


@pytest.mark.parametrize("mark", ["<sup>a</sup>", " <sup>1,2</sup>", "<sup>*</sup>", "^b^", "[^1]"])
def test_marks_of_notes_in_markdown_are_no_part_of_a_cell(tmp_path, mark):
    rows = "".join(f"| {i} | {text} | **{gold}**{mark} |\n" for i, text, gold in PATIENTS)
    file = tmp_path / "a.md"
    file.write_text(f"|{'|'.join(HEADER)}|\n|---|---|---|\n{rows}")
    done, cases = cases_of(file)
    assert (cases, done.rejects) == (EXPECTED, [])


def test_a_note_behind_a_gold_diagnosis_of_a_csv_is_left_out(tmp_path):
    rows = [[i, text, f"{gold}<sup>2</sup>"] for i, text, gold in PATIENTS]
    _, cases = cases_of(written(tmp_path, "a.csv", [HEADER, *rows]))
    assert [golds for _, _, golds in cases] == [[gold] for _, _, gold in PATIENTS]


def test_stress_in_markdown_is_no_part_of_a_cell(tmp_path):
    rows = "".join(f"| {i} | {text} | **{gold}** |\n" for i, text, gold in PATIENTS)
    file = tmp_path / "a.md"
    file.write_text(f"|{'|'.join(HEADER)}|\n|---|---|---|\n{rows}\n*Source: a seminar.*\n")
    done, cases = cases_of(file)
    assert (cases, done.rejects) == (EXPECTED, [])


def test_a_text_that_is_named_goes_alone(tmp_path):
    header = ["id", "history", "exam", "text", "diagnosis"]
    rows = [[i, "Short.", "Normal.", text, gold] for i, text, gold in PATIENTS]
    file = written(tmp_path, "a.csv", [header, *rows])
    assert cases_of(file, columns={"text": "text"})[1] == EXPECTED


def test_a_table_on_its_side_is_refused_as_such(tmp_path):
    columns = zip(*PATIENTS, strict=True)
    rows = [["Field", "x", "y", "z", "u"], *([n, *v] for n, v in zip(HEADER, columns, strict=True))]
    with pytest.raises(FileError, match="lies on its side"):
        cases_of(written(tmp_path, "a.csv", rows))


def test_a_quote_too_many_says_what_to_do(tmp_path):
    (tmp_path / "a.csv").write_text('id,text,diagnosis\n1,"He said "it hurts" twice.",Gout\n')
    with pytest.raises(FileError, match="write a quote inside a quoted text twice"):
        cases_of(tmp_path / "a.csv")


# answers


def test_a_column_for_each_case_is_read(tmp_path):
    by_rank = [["rank", *IDS], *([n + 1, *(LISTS[i][n] for i in IDS)] for n in range(3))]
    assert answers_of(written(tmp_path / "a", "a.csv", by_rank))[1] == LISTS
    asked = [f"Case {i}: what is your differential diagnosis?" for i in IDS]
    survey = [["Timestamp", "Model", *asked]]
    survey += [["10:00", "gpt4", *(numbered(LISTS[i]) for i in IDS)], ["11:00", "llama", *"abcd"]]
    report, lists = answers_of(written(tmp_path / "b", "b.csv", survey))
    assert lists == LISTS
    assert "4 columns are of a case each" in " ".join(report.notes)


def test_probabilities_by_disease_are_ranked(tmp_path):
    shares = [0.5, 0.25, 0.125]
    by_case = {i: dict(sorted(zip(LISTS[i], shares, strict=True))) for i in IDS}
    assert answers_of(as_json(tmp_path, "a.json", by_case))[1] == LISTS
    diseases = sorted({name for names in LISTS.values() for name in names})
    rows = [[i, *(by_case[i].get(name, 0) for name in diseases)] for i in IDS]
    report, lists = answers_of(written(tmp_path, "b.csv", [["case_id", *diseases], *rows]))
    assert lists == LISTS
    assert "6 columns are read as diagnoses" in " ".join(report.notes)


def test_scores_in_columns_are_no_probabilities(tmp_path):
    """They are more than one in all."""
    rows = [["case_id", "accuracy", "fluency", "safety"], *([i, 0.9, 0.8, 0.7] for i in IDS)]
    with pytest.raises(FileError, match="no column for the answer"):
        answers_of(
            written(tmp_path, "a.csv", [["case_id", "accuracy", "fluency", "safety"], *rows])
        )


def test_answers_below_the_name_of_their_model_are_read(tmp_path):
    document = {"model": "another name", "date": "2024-06-01", "predictions": LISTS}
    assert answers_of(as_json(tmp_path, "a.json", document))[1] == LISTS


def test_predictions_beside_ranks_are_diagnoses(tmp_path):
    rows = [{"id": i, "rank": n, "prediction": d} for i in IDS for n, d in enumerate(LISTS[i], 1)]
    assert answers_of(as_lines(tmp_path, "a.jsonl", rows))[1] == LISTS
    from_0 = [{**row, "rank": row["rank"] - 1} for row in rows]
    with pytest.raises(FileError, match="counts the ranks from 0"):
        answers_of(as_lines(tmp_path, "b.jsonl", from_0))


def test_a_sheet_for_each_prompt_is_read(tmp_path):
    sheets = {
        prompt: [["case_id", "answer"], *([i, numbered(names(LISTS[i]))] for i in IDS)]
        for prompt, names in (("few", list), ("zero", lambda ranked: ranked[::-1]))
    }
    report, lists = answers_of(as_book(tmp_path, sheets), prompt="few")
    assert lists == LISTS
    assert "4 rows are of other prompts ('zero')" in " ".join(report.notes)


@pytest.mark.parametrize(
    "answer",
    [
        r"So:\begin{enumerate}\item \textbf{Gout}\item Flu \& cold\item Asthma\end{enumerate}",
        "My differential:\n\\begin{itemize}\n\\item Gout\n\\item Flu \\& cold\n\\item Asthma\n"
        "\\end{itemize}\n\\section{Tests}\n\\begin{itemize}\\item Urate\\item X-ray\\end{itemize}",
        "Diagnosis:\n\\begin{description}\n\\item[Gout] hot\n\\item[Flu \\& cold] cough\n"
        "\\item[Asthma] wheeze\n\\end{description}",
        '{"diagnosis": "Gout", "p": 0.7, "diagnosis": "Flu & cold", "diagnosis": "Asthma"}',
        "Diagnóstico más probable: Gout\n\nOtros diagnósticos posibles:\n- Flu & cold\n- Asthma",
    ],
)
def test_lists_of_latex_and_repeated_keys_are_read(answer):
    read = parse_differential(answer, "numbered_list").diagnoses
    assert [item.diagnosis for item in read] == ["Gout", "Flu & cold", "Asthma"]


# labels


def test_rates_of_hits_are_named_as_the_file_has_them(tmp_path):
    file = written(tmp_path, "a.csv", [["model", "top1", "top3"], ["gpt4", "0.5", "0.8"]])
    with pytest.raises(FileError, match="'top1', 'top3'"):
        import_labels(file, Source("panel", test_set="t"), tmp_path / "labels")


def test_labels_with_a_key_twice_are_set_aside(tmp_path):
    cases_of(written(tmp_path, "t.csv", [HEADER, *PATIENTS]))
    cell = '[{"diagnosis": "Gout", "relation": "exact synonym"%s}]'
    twice = ', "relation": "not related"'
    rows = [["case_id", "grades"], *([i, cell % (twice if i == "P-2" else "")] for i in IDS)]
    file = written(tmp_path, "a.csv", rows)
    how = {"cases_dir": tmp_path / "cases", "runs_dir": tmp_path / "runs"}
    report = import_labels(file, Source("panel", test_set="t"), tmp_path / "labels", **how)
    assert report.n_new == 3
    assert [reject["source_line"] for reject in report.rejects] == [3]
    assert "the key 'relation' is there twice" in report.rejects[0]["reason"]


# questions


def asked(n):
    return [n, f"Which letter is number {n}?", "Alpha letter", "Beta letter", "Gamma letter"]


EXAM = ["number", "question", "a", "b", "c"]


def test_a_question_with_a_file_of_an_image_is_not_scored(tmp_path):
    rows = [[*asked(n), "A", "fig2.png" if n == 2 else ""] for n in range(1, 5)]
    _, read = questions_of(written(tmp_path, "a.csv", [[*EXAM, "key", "image_file"], *rows]))
    assert [row["unscored_reason"] for row in read] == [None, "image", None, None]


def test_options_beside_their_letters_are_read(tmp_path):
    """One row an option, in any order."""
    rows = [
        [n, asked(n)[1], "ABC"[at], asked(n)[2 + at], int(at == 1)]
        for n in range(1, 5)
        for at in (2, 0, 1)
    ]
    header = ["question_id", "question", "option", "option_text", "is_correct"]
    _, read = questions_of(written(tmp_path, "a.csv", [header, *rows]))
    assert [(row["options"], row["answer_letter"]) for row in read] == [
        (["Alpha letter", "Beta letter", "Gamma letter"], "B")
    ] * 4


def test_keys_and_options_twice_in_an_object_are_refused(tmp_path):
    file = written(tmp_path, "a.csv", [EXAM, *map(asked, range(1, 4))])
    for written_keys in ('{"1": "A", "2": "B", "3": "C", "2": "A"}', '{"k": ["A"], "k": ["B"]}'):
        (tmp_path / "key.json").write_text(written_keys)
        with pytest.raises(FileError, match=r"the key '(2|k)' is there twice"):
            questions_of(file, key_file=tmp_path / "key.json")
    options = '{"A": "Alpha letter", "B": "Beta letter", "A": "Gamma letter"}'
    whole = json.dumps({"A": "Alpha letter", "B": "Beta letter"})
    rows = [[n, asked(n)[1], options if n == 1 else whole, "A"] for n in range(1, 5)]
    header = ["number", "question", "options", "key"]
    done, read = questions_of(written(tmp_path, "b.csv", [header, *rows]))
    assert len(read) == 3
    assert any("the key 'A' is there twice" in line for line in done.unreadable)


def test_a_killed_import_of_questions_leaves_no_draft(tmp_path):
    file = written(tmp_path, "a.csv", [[*EXAM, "key"], *([*asked(n), "A"] for n in range(1, 4))])
    (tmp_path / "questions").mkdir()
    dead = tmp_path / "questions" / f".exam.parquet.{2**22 + os.getpid()}.tmp"
    dead.write_bytes(b"cut off")
    questions_of(file)
    assert not dead.exists()


# cells far away


def ods(file, last_row, last_column):
    cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    first = "".join(map(cell.format, HEADER))
    far = f'<table:table-cell table:number-columns-repeated="{last_column - 1}"/>{cell.format(1)}'
    body = (
        f"<table:table><table:table-row>{first}</table:table-row>"
        f'<table:table-row table:number-rows-repeated="{last_row - 2}"><table:table-cell/>'
        f"</table:table-row><table:table-row>{far}</table:table-row></table:table>"
    )
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", body)


def xlsb(file, last_row, last_column):
    def record(kind, number, more=b""):
        return bytes([kind, 4 + len(more)]) + number.to_bytes(4, "little") + more

    cells = [record(0, 0), record(7, 0), record(0x81, 0)[:1] + b"\x01" + record(5, 1)[1:]]
    cells += [record(0, last_row - 1), record(5, last_column - 1, b"\0" * 8)]
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("xl/workbook.bin", b"")
        archive.writestr("xl/worksheets/sheet1.bin", b"".join(cells))


@pytest.mark.parametrize("make", [ods, xlsb])
def test_cells_far_away_are_not_laid_out(tmp_path, make):
    file = tmp_path / f"far.{make.__name__}"
    make(file, 900_000, 702)
    with pytest.raises(FileError, match=r"as far apart as row 900,000 and column ZZ"):
        tables.read_table(file, HEADER)
    make(file, 900, 5)
    with pytest.raises(FileError, match=r"no readable|has no|not a readable"):
        tables.read_table(file, HEADER)
