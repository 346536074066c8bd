"""Patients leave everything, one by one or by age: data, ledger, build and serve; others stay."""

import json
import os
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from python_llm.audit import trail
from python_llm.audit.words import finder
from python_llm.console import ledger as ledger_console
from python_llm.console.cli import main
from python_llm.engine import EngineError
from python_llm.engine.ledger.folder import FileLedger
from python_llm.engine.schema import LEDGER_SCHEMA, RECORD_SCHEMA
from python_llm.errors import FileError, UserError
from python_llm.job.patients import forgetting, retention
from python_llm.job.serving import lakehouse
from python_llm.labels import store as labels_store
from python_llm.runs import store as runs_store
from python_llm.test_sets import forgotten, store
from python_llm.test_sets.importing import Choices, import_cases

WORDS = "Quixotina came on a unicycle, in pain"
OTHER = "A lighthouse tuner with fever since Monday"
TABLE = (
    f'id,text,gold\nMRN4471,"{WORDS}\nSin alergias conocidas hoy",Gout\n'
    f'MRN4472,"{OTHER}\nSin alergias conocidas hoy",Gout\n'
)


def attempt(key, text):
    filled = {
        **{
            "request_key": key,
            "attempt_id": f"a-{key}",
            "attempt_number": 1,
            "run_id": "r",
            "session_id": "s",
        },
        **{"model_alias": "m", "provider": "p", "api_model": "m", "charged_usd": Decimal(0)},
        **{"status": "ok", "answer_text": text, "raw_response": json.dumps({"text": text})},
        **dict.fromkeys(("started_at", "ended_at"), datetime(2026, 1, 1, tzinfo=UTC)),
    }
    return {name: filled.get(name) for name in LEDGER_SCHEMA.names}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A hospital's set of two in every place, as builds and runs leave them."""
    for name in ("cases", "runs", "labels", "terminology", "ledger", "build", "serve"):
        monkeypatch.setenv(f"KERNEL29_{name.upper()}_DIR", str(tmp_path / name))
    monkeypatch.setenv("KERNEL29_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("KERNEL29_LEDGER_URL", raising=False)
    monkeypatch.setattr(forgetting, "folders", lambda: [tmp_path])
    monkeypatch.setattr(lakehouse, "DEFAULT", str(tmp_path / "lakehouse"))
    file = tmp_path.parent / f"{tmp_path.name}.csv"
    file.write_text(TABLE)
    import_cases(file, "table", "ward", tmp_path / "cases", Choices(contains_phi=True))
    answers = [answer(number, text) for number, text in ((1, WORDS), (2, OTHER))]
    runs_store.save(tmp_path / "runs", "m/p/ward", answers, [], False, "run.csv")
    graded = [{"test_set": "ward", "case_ref": f"MRN447{n}", "label": WORDS[n:]} for n in (1, 2)]
    labels_store.write(tmp_path / "labels", "labels", "doctors", graded)
    for name in ("build", "serve"):
        (tmp_path / name).mkdir()
        with duckdb.connect(str(tmp_path / name / "kernel29.duckdb")) as database:
            database.execute("create table fct_answer (case_id text, request_key text, words text)")
            rows = [("ward/0001", "k1", WORDS), ("ward/0002", "k2", OTHER)]
            database.execute(
                "create table dim_case as select 'ward/0001' as case_id, 'ward' as test_set, "
                "null::text as record_id union all select 'ward/0002', 'ward', null"
            )
            database.executemany("insert into fct_answer values (?, ?, ?)", rows)
    (tmp_path / "serve" / "report.html").write_text(WORDS)
    ledger = FileLedger(tmp_path / "ledger")
    attempts = [attempt("k1", "Gout"), attempt("k2", "Gout"), attempt("k3", f"Of {WORDS}")]
    ledger.log.parts.mkdir(parents=True)
    ledger.log.add(attempts)
    return tmp_path


def answer(number, text):
    return {
        **{"configuration_id": "m/p/ward", "model_alias": "m", "model_family": "m"},
        **{"prompt_alias": "p", "prompt_version": "1", "output_format": "text"},
        **{"test_set": "ward", "case_ref": f"MRN447{number}", "case_id": f"ward/000{number}"},
        **{"matched_by": "id", "answer_text": text, "diagnoses": [], "gold_written": ""},
        **{"content_hash": str(number), "source_file": "run.csv", "source_row": number},
    }


def forget(*words):
    return CliRunner().invoke(main, ["forget", *words])


def test_one_patient_leaves_every_place(project, monkeypatch):
    # of a `lakehouse --serve` and of a build
    for folder, file in (
        (f"{lakehouse.WORK}killed", "kernel29.duckdb"),
        ("kernel29.duckdb.tmp", "0.tmp"),
    ):
        killed = project / "build" / folder
        killed.mkdir()
        (killed / file).write_text(WORDS)
    monkeypatch.setenv("KERNEL29_LAKEHOUSE", str(project / "lakehouse"))
    for name in ("inputs/dim_case", "tables/kernel29.db/fct_answer"):
        (project / "lakehouse" / name).mkdir(parents=True)
        (project / "lakehouse" / name / "part.parquet").write_text(WORDS)
    assert forgetting.search([WORDS])[1]
    done = forget("--case", "ward/MRN4471", "--yes")
    assert done.exit_code == 0, done.output
    assert "1 records, 2 rows about them and 2 attempts are removed" in done.output
    assert forgetting.search([WORDS, "MRN4471"])[1] == []
    ledger = FileLedger(project / "ledger")
    assert ledger.attempts().column("request_key").to_pylist() == ["k2"]
    [left] = store.read_records(project / "cases").to_pylist()
    assert left["narrative"].startswith(OTHER)
    [row] = runs_store.read(project / "runs", "answers").to_pylist()
    assert row["case_id"] == "ward/0002"
    assert not list((project / "serve").iterdir())
    assert not list((project / "build").iterdir())
    assert not list((project / "lakehouse").iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ["forget", "--case", "ward/MRN4471", "--yes"],
        ["cases", "forget", "ward"],
        ["runs", "forget", "m/p/ward"],
        ["questions", "forget", "exam"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_patient_leaves_both_lakehouses(project, arguments, monkeypatch):
    """The one that is set, and that of the project, where an earlier run has written."""
    monkeypatch.setenv("KERNEL29_LAKEHOUSE", str(project / "other"))
    for name in ("lakehouse", "other"):
        (project / name / "inputs" / "dim_case").mkdir(parents=True)
        (project / name / "inputs" / "dim_case" / "part.parquet").write_text(WORDS)
    monkeypatch.setattr("python_llm.questions.store.forget", lambda name: name == "exam")
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert not list(project.glob("*/inputs"))


@pytest.mark.parametrize("is_built", [True, False])
def test_tables_that_were_never_built_are_not_named(tmp_path, monkeypatch, is_built):
    for variable, name in (
        ("built_database", "built.duckdb"),
        ("served_database", "served.duckdb"),
    ):
        monkeypatch.setattr(f"python_llm.paths.{variable}", lambda name=name: tmp_path / name)
    with duckdb.connect(str(tmp_path / "served.duckdb")) as served:
        name = "ward" if is_built else "other"
        served.execute(f"create table bridge_test_set_case as select '{name}' as test_set")
    with duckdb.connect(str(tmp_path / "built.duckdb")) as built:
        built.execute("create table other as select 1 as a")
    assert ledger_console.is_built("bridge_test_set_case", "test_set", "ward") is is_built
    text = ledger_console.what_remains("ward", has_tables=is_built)
    assert ("The warehouse and the served tables have ward" in text) is is_built
    assert "If models were asked about it" in text


def test_both_lakehouses_are_searched(tmp_path, monkeypatch):
    monkeypatch.setattr(lakehouse, "DEFAULT", str(tmp_path / "lakehouse"))
    monkeypatch.setenv("KERNEL29_LAKEHOUSE", str(tmp_path / "other"))
    assert {tmp_path / "lakehouse", tmp_path / "other"} <= {*forgetting.folders()}


def test_the_record_of_it_has_no_content(project):
    forget("--case", "ward/0001", "--yes")
    [line] = (project / forgotten.NOTE).read_text().splitlines()
    assert json.loads(line)["cases"] == ["ward/0001"]
    assert json.loads(line)["remains"] == 0
    assert not {"Quixotina", "Gout", "MRN4471"} & set(line.replace('"', " ").split())


def test_the_same_import_does_not_bring_the_patient_back(project):
    forget("--case", "ward/0001", "--yes")
    file = project.parent / f"{project.name}.csv"
    again = import_cases(file, "table", "ward", project / "cases", Choices(contains_phi=True))
    assert not again.is_new
    assert store.read_records(project / "cases").num_rows == 1


def test_a_longer_file_does_not_bring_the_patient_back(project):
    forget("--case", "ward/0001", "--yes")
    file = project.parent / f"{project.name}.csv"
    file.write_text(
        TABLE + 'MRN4473,"A ferryman with a rash since Tuesday, and nothing else",Gout\n'
    )
    again = import_cases(file, "table", "ward", project / "cases", Choices(contains_phi=True))
    [reason] = [reject["reason"] for reject in again.rejects if reject["is_record_lost"]]
    assert "forgotten on 2" in reason
    assert not forgetting.search([WORDS])[1]
    kept = store.read_records(project / "cases").column("narrative").to_pylist()
    assert sum("ferryman" in text for text in kept) == 1


def test_an_import_stops_where_nobody_knows_who_was_forgotten(project):
    forget("--case", "ward/0001", "--yes")
    with (project / forgotten.NOTE).open("a") as note:
        note.write("{half a li\n")
    file = project.parent / f"{project.name}.csv"
    file.write_text(
        TABLE + 'MRN4473,"A ferryman with a rash since Tuesday, and nothing else",Gout\n'
    )
    with pytest.raises(FileError, match=r"line 2: it cannot be read.*restore"):
        import_cases(file, "table", "ward", project / "cases", Choices(contains_phi=True))


def test_a_table_of_the_package_loses_the_patient(project, monkeypatch):
    monkeypatch.setenv("KERNEL29_EXPERIMENTS_DIR", str(project / "experiments"))
    (project / "experiments").mkdir()
    table = project / "experiments" / "notebook_cases.parquet"
    texts = [f"{WORDS}\nSin alergias conocidas hoy", OTHER]
    pq.write_table(pa.table({"id": ["a", "b"], "text": texts}), table)
    assert forget("--case", "ward/0001", "--yes").exit_code == 0
    assert pq.read_table(table).column("text").to_pylist() == [OTHER]


def test_words_that_remain_are_told_by_file_and_never_shown(project):
    (project / "notes.txt").write_text(f"copied: {WORDS}")
    done = forget("--case", "ward/0001", "--yes")
    assert done.exit_code == 1
    assert "remain in" in done.output
    assert "notes.txt" in done.output
    assert "Quixotina" not in done.output


def test_without_yes_nothing_goes(project):
    assert "would be removed" in forget("--case", "ward/0001").output
    assert forgetting.search([WORDS])[1]


def test_what_cannot_be_forgotten_now_is_left_whole(project, monkeypatch):
    with pytest.raises(UserError, match="There is no imported case 'ward/0009'"):
        forgetting.forget(["ward/0009"], FileLedger(project / "ledger"))

    def locked(*_, **__):
        raise duckdb.IOException("Conflicting lock is held")

    with monkeypatch.context() as patched:
        patched.setattr(duckdb, "connect", locked)
        with pytest.raises(UserError, match="wait for the build that is running to end"):
            forgetting.forget(["ward/0001"], FileLedger(project / "ledger"))
    assert store.read_records(project / "cases").num_rows == 2
    assert FileLedger(project / "ledger").attempts().num_rows == 3
    assert (project / "serve" / "report.html").is_file()


def test_old_imports_go_by_the_day_they_came(project):
    assert "No case is meant" in forget("--imported-before", "2020-01-01").output
    done = forget("--imported-before", "2999-01-01", "--yes")
    assert done.exit_code == 0, done.output
    assert "2 records" in done.output
    assert forgetting.search([WORDS, OTHER])[1] == []


# By age


NOW = datetime.now(UTC)


@pytest.fixture
def ward(project, monkeypatch):
    """Its set came 400 days ago; another, of today, has a patient of its own."""
    monkeypatch.setenv("KERNEL29_AUDIT_DIR", str(project / "audit"))
    for file in (project / "cases" / "records").glob("ward--*.parquet"):
        long_ago = (NOW - timedelta(days=400)).timestamp()
        os.utime(file, (long_ago, long_ago))
    file = project.parent / f"{project.name}-new.csv"
    file.write_text("id,text,gold\nMRN9,A juggler who fell off a stage today,Gout\n")
    import_cases(file, "table", "fresh", project / "cases", Choices(contains_phi=True))
    monkeypatch.setenv(retention.VARIABLE, "365")
    retention._apply_on.cache_clear()
    return project


def sets() -> set[str]:
    return {row["test_set"] for row in store.read_records(store.cases_folder()).to_pylist()}


def requested(key: str, days_ago: int, *, contains_phi: bool) -> dict:
    row = {
        "request_key": key,
        **{"domain": "experiments", "task": "generation", "parameters": "{}"},
        **{"user_text": f"of {key}", "repeat_number": 1, "contains_phi": contains_phi},
        "first_seen_at": NOW - timedelta(days=days_ago),
    }
    return {name: row.get(name) for name in RECORD_SCHEMA.names}


def test_the_old_go_from_every_place_and_the_new_stay(ward, capsys):
    retention.apply()
    assert "2 records of patients were older than 365 days: removed, with 4 rows" in (
        capsys.readouterr().err
    )
    assert forgetting.search([WORDS, OTHER, "MRN4471", "MRN4472"])[1] == []
    assert sets() == {"fresh"}
    assert not (ward / "build" / "kernel29.duckdb").exists()
    assert not list((ward / "serve").iterdir())
    assert FileLedger(ward / "ledger").attempts().num_rows == 0
    [line] = (ward / forgotten.NOTE).read_text().splitlines()
    assert json.loads(line)["cases"] == ["ward/0001", "ward/0002"]
    assert {row["event"] for row in trail.read().events} >= {"forget", "forgotten"}
    for words in ("Quixotina", "lighthouse", "MRN447"):
        assert words not in line + (ward / "audit" / trail.TRAIL).read_text()
    retention.apply()  # with nobody left to go
    assert capsys.readouterr().err == ""
    assert sets() == {"fresh"}


def test_old_requests_about_patients_go_by_themselves(ward, monkeypatch):
    """Those of a set that was replaced, whose cases nobody can name any more."""
    monkeypatch.setattr(forgetting, "imported_before", lambda _: [])
    ledger = FileLedger(ward / "ledger")
    ledger.log.add([attempt(key, "Gout") for key in ("old", "new", "public")])
    ledger.record(
        [
            requested("old", 400, contains_phi=True),
            requested("new", 30, contains_phi=True),
            requested("public", 400, contains_phi=False),
        ]
    )
    retention.apply()
    kept = set(ledger.attempts().column("request_key").to_pylist())
    assert {"new", "public"} <= kept
    assert "old" not in kept
    assert set(ledger.requests().column("request_key").to_pylist()) == {"new", "public"}
    assert not (ward / "build" / "kernel29.duckdb").exists()  # which has the answers


def test_every_build_applies_it(ward, monkeypatch):
    """Also one that has nothing else to do, and one by dbt."""
    from python_llm.console import build as console
    from python_llm.job import build, dbt_plugin

    def applied(place: str, run) -> bool:
        done = []
        with monkeypatch.context() as patched:
            patched.setattr(retention, "apply", lambda: done.append(place))
            retention._apply_on.cache_clear()
            run(patched)
        return done == [place]

    def by_command(patched):
        patched.setattr(console, "_is_current", lambda _: True)
        CliRunner().invoke(main, ["build"])

    def by_job(patched):
        for name in ("check_run", "check_seeds", "check_ledger", "check_warehouse"):
            patched.setattr(build.preflight, name, lambda *_, **__: None)
        patched.setattr(build.last_build, "forget", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            build.build(build.NOTHING_ASKED)

    def by_dbt(patched):
        for name in ("check_run", "check_warehouse"):
            patched.setattr(dbt_plugin.preflight, name, lambda *_, **__: None)
        patched.setattr(dbt_plugin, "get_flags", lambda: type("Flags", (), {"WHICH": "build"}))
        plugin = object.__new__(dbt_plugin.Plugin)
        plugin._run = {"mode": "off"}
        plugin.update_connection_config(type("Credentials", (), {"path": str(ward)}), {})

    assert applied("command", by_command)
    assert applied("job", by_job)
    assert applied("dbt", by_dbt)


def test_without_a_limit_nobody_goes(ward, monkeypatch):
    monkeypatch.delenv(retention.VARIABLE)
    retention.apply()
    assert sets() == {"ward", "fresh"}
    for word in ("0", "-1", "a year", "1e3", "365.5"):
        monkeypatch.setenv(retention.VARIABLE, word)
        with pytest.raises(UserError, match="is not a number of days"):
            retention.apply()


def test_a_ledger_that_cannot_be_changed_stops_no_build(ward, monkeypatch, capsys):
    def refused(*_):
        raise EngineError("permission denied for table kernel29_attempt.")

    with monkeypatch.context() as patched:
        patched.setattr(FileLedger, "requests", refused)
        retention.apply()
    assert "keeps what is older than 365 days for now: permission denied" in capsys.readouterr().err
    assert sets() == {"fresh"}
    assert FileLedger(ward / "ledger").attempts().num_rows == 3


def test_who_leaves_alone_does_not_make_the_others_younger(ward):
    [before] = [f.stat().st_mtime for f in (ward / "cases/records").glob("ward--*.parquet")]
    done = CliRunner().invoke(main, ["forget", "--case", "ward/0001", "--yes"])
    assert done.exit_code == 0, done.output
    [after] = [f.stat().st_mtime for f in (ward / "cases/records").glob("ward--*.parquet")]
    assert after == before
    done = CliRunner().invoke(main, ["forget", "--expired"])
    assert done.exit_code == 0, done.output
    assert sets() == {"fresh"}


def test_many_words_are_found_as_few_are():
    many = [f"line {number} of a record, with words" for number in range(5_000)] + ["MRN77"]
    has_any = finder(many)
    assert has_any("x" * 1000 + "line 4321 of a record, with words" + "y")
    assert has_any("…MRN77…")
    assert not has_any("line 4321 of a record, with other words, and MRN7 7" * 100)
    assert finder(many[:3])("line 2 of a record, with words")
    assert not finder([])("anything")
