"""A case that came as one text is what a model gets, whatever is in it and whatever held it."""

import csv
import io
import json
import re

import duckdb
import openpyxl
import project
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from python_llm.imports.cells import text as said
from python_llm.prompting.templates import Prompt
from python_llm.test_sets.importing import Choices, import_cases, says_none
from python_llm.test_sets.store import read_records

pytestmark = pytest.mark.slow

ODD = (
    "  two blanks, a tab\tand\r\nWindows lines \n\n",
    "\u00a0\u2028 separators \u200b\ufeff",
    "emoji 🩺👩🏽‍⚕️, 'quotes' \"of both kinds\", `ticks`",
    "{case_narrative} {{braces}} {similar_cases} {} }{",
    "a; b, c | d \\ e \\n f",
    "=1+1",
    "control \x01\x02\x1f",
    "\u0301combining \u202eright to left\u202c ÅÅ ﬁ",
    "nan, but not only",
    "'; drop table dim_case; --",
    "<case>&amp;</case>",
    "línea\rsola",
)
# NUL is in no text that Parquet's readers and PostgreSQL keep; half a surrogate is not a character
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")).filter(
    lambda one: said(one) is not None and not says_none(one)
)
IN_XML = re.compile(r"[^\r\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]+")


def as_csv(file, texts, header):
    handle = io.StringIO(newline="")
    writer = csv.writer(handle, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerows([header, *texts])
    file.write_bytes(handle.getvalue().encode())


def as_json_lines(file, texts, header):
    rows = (json.dumps(dict(zip(header, row, strict=True))) for row in texts)
    file.write_text("\n".join(rows))


def as_json(file, texts, header):
    rows = [dict(zip(header, row, strict=True)) for row in texts]
    file.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8", newline="")


def as_parquet(file, texts, header):
    rows = [dict(zip(header, row, strict=True)) for row in texts]
    pq.write_table(pa.Table.from_pylist(rows), file)


def as_excel(file, texts, header):
    book = openpyxl.Workbook()
    book.active.append(header)
    for row in texts:
        book.active.append([None] * len(row))
        for number, value in enumerate(row, 1):
            cell = book.active.cell(book.active.max_row + (number == 1), number)
            cell.value, cell.data_type = value, "s"
    book.save(file)


WRITERS = {
    "a.csv": as_csv,
    "a.jsonl": as_json_lines,
    "a.json": as_json,
    "a.parquet": as_parquet,
    "a.xlsx": as_excel,
}
HEADERS = {"table": ["id", " Text ", "Diagnosis"], "synthetic_v2": ["id", "Detailed", "Disease"]}


def imported(tmp_path, file, source_format):
    folder = tmp_path / "cases"
    import_cases(file, source_format, "odd", folder, replace=True)
    return read_records(folder).sort_by("record_number").to_pylist()


@pytest.mark.parametrize("source_format", sorted(HEADERS))
@pytest.mark.parametrize("name", sorted(WRITERS))
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(texts=st.lists(TEXTS, min_size=1, max_size=5))
@example(texts=list(ODD))
def test_what_goes_in_comes_out(tmp_path, name, source_format, texts):
    if name == "a.xlsx":  # a workbook holds what XML does, and its own escapes
        texts = [one for one in texts if IN_XML.fullmatch(one) and not re.search("_x", one)]
    rows = [[f"C{number}", one, "Gout"] for number, one in enumerate(texts)]
    if not rows:
        return
    WRITERS[name](tmp_path / name, rows, HEADERS[source_format])
    records = imported(tmp_path, tmp_path / name, source_format)
    assert [record["narrative"] for record in records] == texts
    assert [record["record_id"] for record in records] == [row[0] for row in rows]


def test_a_folder_of_notes_is_read_to_the_byte(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    texts = [one for one in ODD if not one.startswith("\ufeff")]
    for number, one in enumerate(texts, 10):
        (folder / f"note_{number}.txt").write_bytes(one.encode())
    import_cases(folder, "table", "odd", tmp_path / "cases", Choices(without_gold=True))
    records = read_records(tmp_path / "cases").to_pylist()
    assert [record["narrative"] for record in records] == texts
    assert all(record["is_for_reading"] for record in records)


SECTIONS = ["Motivo Consulta", "Enfermedad Actual", "Antecedentes", "Exploración", "Pruebas"]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_sections_are_kept_to_the_byte(tmp_path, name):
    header = [*SECTIONS[:4], "exploracion_compl", "Juicio Diagnóstico"]
    rows = [[*(ODD[(n + k) % len(ODD)] for k in range(5)), "Gripe"] for n in range(len(ODD))]
    WRITERS[name](tmp_path / name, rows, header)
    records = imported(tmp_path, tmp_path / name, "urg")
    for row, record in zip(rows, records, strict=True):
        fields = ("reason", "history", "background", "examination", "complementary")
        assert [record[field] for field in fields] == row[:5]
        assert record["narrative"] is None


@pytest.fixture(scope="module")
def fill(tmp_path_factory):
    """SQL that fills a template with a case and examples, as the models of requests do."""
    folder = tmp_path_factory.mktemp("fill")
    values = "[('similar_cases', '$examples'), ('case_narrative', '$narrative')]"
    inline = f"select {{{{ fill_template('$template', {values}) }}}}"
    (sql,) = project.compiled(folder, "--inline", inline).values()
    return sql


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(narrative=TEXTS, examples=TEXTS)
@example(narrative="\x01{similar_cases}", examples="{case_narrative}\x01{")
@example(narrative=ODD[0], examples=ODD[3])
def test_nothing_is_changed_on_the_way_into_a_request(fill, narrative, examples):
    template = "Before {similar_cases} and {case_narrative}, {not_declared} {case_narrative}"
    values = {"narrative": narrative, "examples": examples, "template": template}
    (filled,) = duckdb.execute(fill, values).fetchone()
    prompt = Prompt("any", None, template, ("similar_cases", "case_narrative"), ())
    shown = prompt.filled({"similar_cases": examples, "case_narrative": narrative})
    assert (None, filled) == shown
    assert filled == f"Before {examples} and {narrative}, {{not_declared}} {narrative}"


def test_the_models_hand_on_what_was_imported(groundwork, tmp_path):
    """Every odd text, through the store, dbt and the warehouse, as dim_case has it."""
    groundwork.copy_to(tmp_path)
    rows = [[f"C{number}", one, "Gout"] for number, one in enumerate(ODD)]
    as_csv(tmp_path / "a.csv", rows, HEADERS["table"])
    import_cases(tmp_path / "a.csv", "table", "odd", tmp_path / "cases")
    parts = {"history": "Cough\r\n ", "examination": " {case_narrative}"}
    sections = [dict(parts, diagnosis="Gout", id=f"S{n}", age="54", sex="F") for n in range(2)]
    (tmp_path / "b.json").write_text(json.dumps(sections))
    for frame in ("plain", "source"):
        choices = Choices(frame=frame, language="es" if frame == "source" else None)
        import_cases(tmp_path / "b.json", "table", frame, tmp_path / "cases", choices)
    done = project.dbt(
        tmp_path,
        *("--quiet", "build", "--exclude-resource-types", "unit_test", "test"),
        *("--select", "stg_cases__record+,+dim_case"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with duckdb.connect(str(tmp_path / "build" / "kernel29.duckdb"), read_only=True) as warehouse:
        found = warehouse.execute(
            "select narrative from dim_case where test_set = 'odd' order by case_number"
        ).fetchall()
        framed = dict(
            warehouse.execute(
                "select frame, narrative from dim_case where case_number = 1 and test_set = frame"
            ).fetchall()
        )
    assert [text for (text,) in found] == list(ODD)
    assert framed == {
        "plain": "Sex: female\nAge: 54\n\nHistory:\nCough\r\n \n\nExamination:\n {case_narrative}",
        "source": (
            "Motivo de consulta:\nPaciente acude a consulta para ser diagnosticado\n\n"
            "Anamnesis:\nPaciente Mujer de 54 años. Cough\r\n \n\nExploracion:\n {case_narrative}"
        ),
    }
