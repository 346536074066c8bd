"""Rows that another process reads."""

import os
import time
from functools import partial

import pyarrow as pa
import pytest

from python_llm.errors import UserError
from python_llm.job.changes import apart

ROWS = pa.table({"case_id": [f"case-{n}" for n in range(apart.FEW)]})


class Unsendable(Exception):
    def __init__(self, row: str, reason: str) -> None:
        super().__init__(f"{row}: {reason}")


def with_process(rows: pa.Table, name: str) -> pa.Table:
    print("printed output stays out of the answer")
    return rows.append_column(name, pa.array([os.getpid()] * rows.num_rows))


def with_surroundings(rows: pa.Table) -> pa.Table:
    surroundings = f"{os.environ['KERNEL29_DATA_DIR']} {os.getcwd()}"
    return rows.append_column("surroundings", pa.array([surroundings] * rows.num_rows))


def refused(rows: pa.Table, error: Exception) -> pa.Table:
    raise error


def refused_or_waiting(rows: pa.Table) -> pa.Table:
    if "case-1" in rows["case_id"].to_pylist():
        raise UserError("notes.csv, row 4: no text")
    time.sleep(3600)
    return rows


def unsendable(rows: pa.Table) -> pa.Table:
    raise Unsendable("case-7", "no text")


def ended(rows: pa.Table, code: int) -> pa.Table:
    os._exit(code)


def test_many_rows_are_read_in_another_process():
    made = apart.made(partial(with_process, name="process"), ROWS)
    assert made.select(["case_id"]) == ROWS
    assert os.getpid() not in made["process"].to_pylist()


def test_the_process_stays_for_the_next_rows():
    first, second = (apart.made(partial(with_process, name="process"), ROWS) for _ in range(2))
    assert first == second
    assert (
        apart.made(partial(with_process, name="process"), ROWS.slice(1), few=1)["process"][0]
        == (first["process"][0])
    )


def test_a_process_without_rows_ends_after_a_while(monkeypatch):
    monkeypatch.setattr(apart, "LINGERS", 0.05)
    read = partial(with_process, name="process")
    (first,) = set(apart.made(read, ROWS)["process"].to_pylist())
    (process,) = apart._IDLE
    assert process.wait(timeout=20) == 0
    assert not apart._IDLE
    assert set(apart.made(read, ROWS)["process"].to_pylist()) != {first}


def test_it_reads_in_the_environment_of_today(monkeypatch, tmp_path):
    apart.made(partial(with_process, name="process"), ROWS)
    monkeypatch.setenv("KERNEL29_DATA_DIR", "somewhere")
    monkeypatch.chdir(tmp_path)
    made = apart.made(with_surroundings, ROWS)
    assert set(made["surroundings"].to_pylist()) == {f"somewhere {tmp_path}"}


def test_few_rows_are_read_here():
    made = apart.made(partial(with_process, name="process"), ROWS.slice(1))
    assert set(made["process"].to_pylist()) == {os.getpid()}


def test_shared_rows_are_read_by_two_others():
    made = apart.shared(partial(with_process, name="process"), ROWS)
    assert sorted(made["case_id"].to_pylist()) == sorted(ROWS["case_id"].to_pylist())
    readers = made["process"].to_pylist()
    assert {readers.count(reader) for reader in readers} == {apart.FEW // 2}
    assert os.getpid() not in readers


def test_an_error_of_one_ends_the_other():
    with pytest.raises(UserError, match="row 4: no text"):
        apart.shared(refused_or_waiting, ROWS)
    assert apart.shared(partial(with_process, name="process"), ROWS).num_rows == apart.FEW


def test_errors_of_another_process_are_raised_here():
    with pytest.raises(UserError, match="row 4: no text"):
        apart.made(partial(refused, error=UserError("notes.csv, row 4: no text")), ROWS)
    with pytest.raises(RuntimeError, match="Unsendable: case-7: no text"):
        apart.made(unsendable, ROWS)


@pytest.mark.parametrize("code", [0, 1])
def test_a_process_that_ends_early_is_told(code):
    with pytest.raises(UserError, match=f"{apart.FEW} rows ended with {code}"):
        apart.made(partial(ended, code=code), ROWS)
    assert apart.made(partial(with_process, name="process"), ROWS).num_rows == apart.FEW
