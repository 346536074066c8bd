"""A run that cannot end well stops at once, in one sentence that says what to do."""

import re
import shutil
import subprocess
import sys
from datetime import date

import duckdb
import pytest

from python_llm import paths
from python_llm.errors import FileError, UserError
from python_llm.job.admission import preflight
from python_llm.job.admission.access import lacking, priced_today
from python_llm.job.admission.preflight import (
    RunError,
    check_ledger,
    check_run,
    check_seeds,
    retired_models,
)
from python_llm.job.admission.registry_checks import check_judges
from python_llm.job.build import NOTHING_ASKED, build
from python_llm.job.dbt.failures import sentence
from python_llm.test_sets.importing import Choices, import_cases

HEADER = "judge_id,kind,model_alias,semantic_prompt,severity_prompt,members,method\n"
KEYS = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}


def seeds_of(folder, monkeypatch):
    """A project in `folder` with the seeds that a run is checked against; returns its seeds."""
    for domain in ("calls", "experiments", "test_sets"):
        shutil.copytree(paths.project_root() / "seeds" / domain, folder / "seeds" / domain)
    monkeypatch.setattr(paths, "project_root", lambda: folder)
    monkeypatch.setenv("KERNEL29_CASES_DIR", str(folder / "cases"))
    return folder / "seeds"


def test_the_default_run_needs_nothing():
    check_run("off", "", "", "1", environment={})


def test_a_live_run_with_its_keys_may_go():
    check_run("live", "gpt4o, claude_sonnet45", "gpt4o_judge", 2.5, environment=KEYS)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (("on", "", "", 1), r"MODE=on is not a mode: use one of off, replay, live"),
        (("off", "gpt5000", "", 1), r"MODELS=gpt5000 is in no row of .*llm_models\.csv.*gpt4o"),
        (("off", "", "me", 1), r"JUDGES=me is in no row of .*judges\.csv.*gpt4o_judge"),
        (("live", "ic_ranker", "", 1), r"MODELS=ic_ranker is in no row .* that can be called"),
        (("live", "", "", 1), r"asks nobody: name the models to call"),
        (("live", "gpt4o", "", "much"), r"MAX_USD=much is not an amount"),
        (("live", "gpt4o", "", "-1"), r"MAX_USD=-1 is not an amount"),
        (("live", "gpt4o", "", "nan"), r"MAX_USD=nan is not an amount"),
        (("live", "gpt4o", "", 1), r"'gpt4o' needs its key .*set OPENAI_API_KEY"),
        (("live", "", "gpt4o_judge", 1), r"'gpt4o' needs its key"),
        (("live", "local", "", 1), r"'local' needs the address .*set KERNEL29_LOCAL_BASE_URL"),
    ],
)
def test_what_stops_a_run(run, message):
    with pytest.raises(RunError, match=message) as stopped:
        check_run(*run, environment={})
    assert "\n" not in str(stopped.value)


def test_other_models_are_checked_under_their_variable():
    with pytest.raises(RunError, match=r"^recommender=gpt5000 is in no row .* guideline_rules"):
        check_run(
            "off", "", "", 1, environment={}, others={"reasoner": "", "recommender": "gpt5000"}
        )
    with pytest.raises(RunError, match=r"^reasoner=guideline_rules is in no row"):
        check_run("off", "", "", 1, environment={}, others={"reasoner": "guideline_rules"})
    with pytest.raises(RunError, match=r"'gpt4o' needs its key"):
        check_run("live", "", "", 1, environment={}, others={"recommender": "gpt4o"})
    check_run("live", "", "", 1, environment=KEYS, others={"recommender": "gpt4o"})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("gpt4,dxgpt_standard,rarebench", r"line 2: there is no model 'gpt4'\. The nearest: gpt4o"),
        (
            "gpt4o|,dxgpt,rarebench",
            r"line 2: there is no prompt for generation 'dxgpt'.*dxgpt_rare",
        ),
        ("gpt4o,judge_semantic,rarebench", r"no prompt for generation 'judge_semantic'"),
        ("*,*,rarebench|rambedis", r"line 2: there is no test set 'rambedis'.*: ramedis_200"),
        (",*,*", r"line 2: model_alias is empty: name a model, or write \*"),
        ("*,no_prompt,*", r"line 2: model '\*' needs a prompt with a text"),
        ("ic_ranker,dxgpt_rare,*", r"line 2: 'ic_ranker' is not asked anything: .* no_prompt"),
    ],
)
def test_a_configuration_of_unknown_names_is_told_the_nearest(tmp_path, monkeypatch, row, message):
    seeds = seeds_of(tmp_path, monkeypatch)
    file = seeds / "experiments" / "configurations.csv"
    file.write_text(f"model_alias,prompt_alias,test_set\n{row}\n")
    with pytest.raises(UserError, match=message) as stopped:
        check_run("off", "", "", 1, environment={})
    assert "\n" not in str(stopped.value)


def test_stars_lists_and_imported_sets_are_names_that_exist(tmp_path, monkeypatch):
    seeds = seeds_of(tmp_path, monkeypatch)
    file = seeds / "experiments" / "configurations.csv"
    file.write_text(
        "model_alias,prompt_alias,test_set\n*,*,*\ngpt4o | local,dxgpt_rare|dxgpt_json,mine\n"
        "ic_ranker,*|no_prompt,rarebench\n"
    )
    with pytest.raises(UserError, match=r"line 3: there is no test set 'mine'"):
        check_run("off", "", "", 1, environment={})
    cases = tmp_path / "cases.csv"
    cases.write_text("id,note,gold\nC1,cough,Influenza\n")
    import_cases(cases, "table", "mine", tmp_path / "cases")
    check_run("off", "", "", 1, environment={}, test_sets="mine")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("j,llm,gpt4,judge_semantic,judge_severity,1,,,d", r"there is no model 'gpt4'.*gpt4o"),
        ("j,llm,gpt4o,judge_severity,judge_severity,1,,,d", r"no prompt for semantic judges"),
        ("j,llm,gpt4o,judge_semantic,judge_sevrity,1,,,d", r"The nearest: judge_severity"),
        ("j,jury,,,,1,j;terminolgy,mean,d", r"no judge 'terminolgy'\. The nearest: terminology"),
    ],
)
def test_a_judge_of_what_does_not_exist_is_named(tmp_path, monkeypatch, row, message):
    file = seeds_of(tmp_path, monkeypatch) / "experiments" / "judges.csv"
    text = file.read_text()
    file.write_text(f"{text}{row}\n")
    line = text.count("\n") + 1
    with pytest.raises(UserError, match=rf"judges\.csv, line {line}: .*{message}"):
        check_run("off", "", "", 1, environment={})


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"prompts": "dxgpt_jason"}, r"PROMPTS=dxgpt_jason is in no row .*The nearest: dxgpt_json"),
        ({"prompts": "judge_severity"}, r"PROMPTS=judge_severity is in no row"),
        (
            {"judge_runs": "recoded"},
            r"JUDGE_RUNS=recoded says nothing: use live, recorded, keyless, all or",
        ),
        ({"judge_runs": "live,gpt5o/*/*"}, r"there is no model 'gpt5o'\. The nearest: gpt4o"),
        ({"judge_runs": "*/*/rarebech"}, r"there is no test set 'rarebech'\. .*: rarebench"),
        ({"judge_runs": " "}, r"JUDGE_RUNS is empty"),
        ({"limit": "0"}, r"LIMIT=0 is not a number of cases"),
        ({"limit": "ten"}, r"LIMIT=ten is not a number of cases"),
        (
            {"judged_ranks": "11"},
            r"judged_ranks: 11 is not a number of ranks: give one from 5 to 10",
        ),
        (
            {"test_sets": "rarebnch"},
            r"TEST_SETS=rarebnch is not a test set\. The nearest: rarebench",
        ),
    ],
)
def test_a_variable_with_an_unknown_name_is_told_the_nearest(variables, message):
    with pytest.raises(RunError, match=message):
        check_run("off", "", "", 1, environment={}, **variables)


def test_runs_to_judge_are_words_or_configurations(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_RUNS_DIR", str(tmp_path))
    (tmp_path / "answers").mkdir()
    elsewhere = {"judge_runs": "recorded, theirs/plain/*"}
    with pytest.raises(RunError, match="there is no model 'theirs'"):
        check_run("off", "", "", 1, environment={}, **elsewhere)
    (tmp_path / "answers" / "theirs@plain@rarebench.parquet").touch()
    check_run("off", "", "", 1, environment={}, limit="50", **elsewhere)


def test_nobody_is_asked_about_a_set_that_is_for_reading(tmp_path, monkeypatch):
    seeds_of(tmp_path, monkeypatch)
    file = tmp_path / "notes.csv"
    file.write_text("id,note\nC1,cough\n")
    import_cases(file, "table", "notes", tmp_path / "cases", Choices(without_gold=True))
    with pytest.raises(RunError, match="'notes' has a gold diagnosis: it was imported for reading"):
        check_run("off", "", "", 1, {}, test_sets="notes")


def test_retired_models_of_the_grid_are_named(tmp_path, monkeypatch):
    file = seeds_of(tmp_path, monkeypatch) / "experiments" / "configurations.csv"
    assert retired_models() == []
    file.write_text(
        "model_alias,prompt_alias,test_set\ngpt4o|c3opus,dxgpt_json,mme\no1_mini,*,mme\n*,*,mme\n"
    )
    assert retired_models() == ["c3opus", "o1_mini"]


def test_a_live_run_outside_the_grid_is_told_which_row_to_add():
    run = {"environment": KEYS, "prompts": "dxgpt_json,dxgpt_rare", "test_sets": "rarebench"}
    with pytest.raises(RunError, match=r"add the row gpt4o,dxgpt_json\|dxgpt_rare,rarebench\.$"):
        check_run("live", "gpt4o", "", 1, **run)
    check_run("off", "gpt4o", "", 1, **run)
    check_run("live", "gpt4o", "", 1, environment=KEYS, test_sets="simulated_rare_200,rarebench")


def test_all_that_models_lack_is_named_before_a_build():
    keyless = "mistral7b,llama2_7b,claude_sonnet45"
    with pytest.raises(RunError) as stopped:
        check_run("live", keyless, "", 1, environment={"OPENAI_API_KEY": "hush"})
    said = str(stopped.value)
    assert "'mistral7b' needs its region: set AWS_REGION or AWS_DEFAULT_REGION" in said
    assert "'claude_sonnet45' needs its key in the environment: set ANTHROPIC_API_KEY" in said
    assert "hush" not in said


@pytest.mark.parametrize(
    ("provider", "environment", "is_priced", "state"),
    [
        ("openai", {"K": "k"}, False, "no price"),
        ("openai", {"K": " "}, True, "no key"),
        ("openai", {"K": "k"}, True, None),
        ("azure_ml", {"K": "k"}, True, "no address"),
        ("openai_compatible", {"A": "http://localhost"}, True, None),
        ("openai_compatible", {"A": "http://x"}, True, "unlisted host"),
        ("bedrock", {}, True, "no region"),
        ("gemini_vertex", {"GOOGLE_CLOUD_LOCATION": "x"}, True, "no project"),
        ("telegraph", {}, True, "no provider"),
    ],
)
def test_what_a_model_lacks_first(provider, environment, is_priced, state):
    model = {"model_alias": "m", "provider": provider, "api_model": "m"}
    model |= {"base_url_env": "A", "api_key_env": "K"}
    lack = lacking(model, environment, is_priced=is_priced)
    assert (lack.state if lack else None) == state


def test_a_price_counts_on_its_days_and_a_star_for_the_rest(tmp_path, monkeypatch):
    file = seeds_of(tmp_path, monkeypatch) / "calls" / "llm_prices.csv"
    file.write_text(
        "provider,api_model,valid_from,valid_to\np,*,2020-01-01,\np,old,2020-01-01,2024-12-31\n"
    )
    is_priced = priced_today(date(2025, 1, 1))
    old, other = ({"provider": "p", "api_model": name} for name in ("old", "other"))
    assert not is_priced(old)
    assert is_priced(other)
    assert not is_priced({"provider": "q", "api_model": "other"})
    assert priced_today(date(2024, 12, 31))(old)


def test_rules_alone_make_no_live_run():
    with pytest.raises(RunError, match="asks nobody"):
        check_run("live", "", "", 1, environment={}, others={"recommender": "guideline_rules"})


def test_a_seed_without_a_file_is_named_with_its_remedy(tmp_path):
    folder = tmp_path / "seeds" / "terminology"
    folder.mkdir(parents=True)
    (folder / "_seeds.yml").write_text("seeds: [{name: there}, {name: gone}]")
    (folder / "there.csv").write_text("a\n")
    with pytest.raises(RunError, match=r"terminology/gone\.csv is missing.*kernel29 terminology"):
        check_seeds(tmp_path)
    (folder / "gone.csv").write_text("a\n")
    check_seeds(tmp_path)


def test_a_file_that_is_not_utf8_is_named_with_its_line(tmp_path):
    (tmp_path / "seeds").mkdir()
    (tmp_path / "seeds" / "a.csv").write_bytes("name\nfièvre\n".encode("latin-1"))
    (tmp_path / "seeds" / "b.csv").write_bytes("name\nfièvre\n".encode())
    assert preflight.not_utf8(tmp_path).startswith("seeds/a.csv, line 2: a byte that is not UTF-8.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("judge_id,sort\na,llm\n", r"judges\.csv, line 1: the column kind is missing"),
        (f"{HEADER}a,llm\n", r"judges\.csv, line 2: a row of 7 fields"),
        (f"{HEADER}a,llm,gpt4o,,,,\nb,llm\n", r"judges\.csv, line 3: a row of 7"),
        (b"judge_id,kind,model_alias\n\xff,llm,m\n", r"judges\.csv cannot be read"),
        (None, r"judges\.csv cannot be read .*git checkout -- seeds/experiments/judges\.csv"),
    ],
)
def test_a_registry_with_a_fault_is_named_with_its_line(tmp_path, monkeypatch, text, message):
    judges = seeds_of(tmp_path, monkeypatch) / "experiments" / "judges.csv"
    judges.unlink()
    if text is not None:
        judges.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FileError, match=message):
        check_run("off", "", "", 1, environment={})


def test_two_addresses_of_one_api_model_are_refused(tmp_path, monkeypatch):
    models = seeds_of(tmp_path, monkeypatch) / "calls" / "llm_models.csv"
    text = models.read_text()
    (local,) = (line for line in text.splitlines() if line.startswith("local,"))
    other = local.replace("local,", "nearby,", 1).replace("KERNEL29_LOCAL_BASE_URL", "OTHER_URL")
    models.write_text(f"{text}{other}\n")
    line = len(text.splitlines()) + 1
    with pytest.raises(UserError, match=rf"line {line}: local and nearby are both local-model"):
        check_run("off", "", "", 1, environment={})
    monkeypatch.setenv("OTHER_URL", "http://localhost:8000/v1")
    monkeypatch.setenv("KERNEL29_LOCAL_BASE_URL", "http://localhost:8000/v1")
    check_run("off", "", "", 1, environment={})


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "Runtime Error in model x (models/x.py)\n  Python model failed:\n  Traceback (most "
            'recent call last):\n    File "/tmp/a.py", line 3\n  '
            "python_llm.job.serving.publish.PublishError: "
            "Publishing failed: make room.\n",
            "Publishing failed: make room.",
        ),
        (
            "Compilation Error in seed s (seeds/s.csv)\n  s.csv, line 3: too many fields\n  \n"
            "  > in macro check_seed_rejects (macros/dbt/seed.sql)\n",
            "s.csv, line 3: too many fields",
        ),
        ("Database Error\n  Runtime Error\n    Locked: wait.", "Locked: wait."),
        ("", "no message"),
    ],
)
def test_the_sentence_in_a_dbt_message(message, expected):
    assert sentence(message) == expected


def test_an_unreachable_team_ledger_stops_a_build_at_once(monkeypatch):
    monkeypatch.delenv("KERNEL29_LEDGER_URL", raising=False)
    check_ledger()
    url = "postgresql://somebody:hush-hush@127.0.0.1:9/ledger"
    monkeypatch.setenv("KERNEL29_LEDGER_URL", url)
    with pytest.raises(RunError, match="ledger cannot be used") as refused:
        check_ledger()
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("kind", ["garbage", "empty", "cut off", "a changed byte", "a folder"])
def test_a_damaged_warehouse_is_not_called_in_use(tmp_path, kind):
    warehouse = tmp_path / "kernel29.duckdb"
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute("create table numbers as from range(100_000)")
    content = bytearray(warehouse.read_bytes())
    content[5_000:9_000] = bytes(4_000)
    if kind == "a folder":
        warehouse.unlink()
        warehouse.mkdir()
    else:
        changed = {"garbage": b"garbage" * 999, "empty": b"", "a changed byte": bytes(content)}
        changed["cut off"] = warehouse.read_bytes()[:20_000]
        warehouse.write_bytes(changed[kind])
    sentence = "cannot be opened: check" if kind == "a folder" else "is damaged: delete it"
    with pytest.raises(preflight.RunError, match=sentence) as raised:
        preflight.check_warehouse(warehouse)
    assert "in use" not in str(raised.value)


def test_a_warehouse_in_use_is_not_called_damaged(tmp_path):
    warehouse = tmp_path / "kernel29.duckdb"
    code = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print(flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(warehouse)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        other.stdout.readline()
        with pytest.raises(preflight.RunError, match="is in use by another process: wait"):
            preflight.check_warehouse(warehouse)
        other.stdin.close()


def test_what_a_killed_build_put_aside_is_deleted(tmp_path):
    warehouse = tmp_path / "kernel29.duckdb"
    aside = tmp_path / "kernel29.duckdb.tmp"
    aside.mkdir()
    (aside / "duckdb_temp_storage_DEFAULT-0.tmp").write_bytes(bytes(9_999))
    preflight.check_warehouse(warehouse)
    assert not aside.exists()


def test_a_build_says_first_what_the_ledger_has_lost(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(tmp_path))
    monkeypatch.setenv("KERNEL29_LEDGER_DIR", str(tmp_path / "ledger"))
    with duckdb.connect(str(tmp_path / "kernel29.duckdb")) as served:
        served.execute(
            "create table fct_llm_call as "
            "from (values ('1', 'ok'), ('2', 'timeout')) as t (attempt_id, status)"
        )

    def stop(*_):
        raise RunError("stopped")

    monkeypatch.setattr(preflight, "check_warehouse", stop)
    with pytest.raises(RunError, match="stopped"):
        build(NOTHING_ASKED)
    assert "2 attempts of the last build, 1 of them answers, are no" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("members", "method", "problem"),
    [
        ("a;b", "Majority", "no method 'Majority': write one of majority, median, mean"),
        ("a; b", "majority", "name two judges or more, each once, with ';' and no blank"),
        ("a;a;b", "majority", "name two judges or more, each once"),
        ("a", "mean", "name two judges or more"),
        ("", "mean", "name two judges or more"),
        ("a;all", "median", "'all' is a jury itself: name its members"),
    ],
)
def test_a_slip_in_a_jury_is_told(members, method, problem):
    empty = {"model_alias": "", "semantic_prompt": "", "severity_prompt": ""}
    judges = [
        {**empty, "judge_id": name, "kind": "llm", "members": "", "method": ""} for name in "ab"
    ]
    judges += [{**empty, "judge_id": "all", "kind": "jury", "members": "a;b", "method": "mean"}]
    check_judges(enumerate(judges, 2), set(), {})
    slip = {**empty, "judge_id": "c", "kind": "jury", "members": members, "method": method}
    with pytest.raises(UserError, match=f"judges.csv, line 5: .*{re.escape(problem)}"):
        check_judges(enumerate([*judges, slip], 2), set(), {})


def test_a_misspelt_variable_is_refused_and_another_is_not():
    preflight.check_variables(["max_usd", "grain_of_my_model"])
    with pytest.raises(RunError, match="no variable max_usdd: did you mean max_usd"):
        preflight.check_variables(["mode", "max_usdd"])
