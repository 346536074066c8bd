"""A run that cannot end well stops at once, in one sentence that says what to do."""

import pytest

from python_llm import paths
from python_llm.errors import FileError
from python_llm.failures import sentence
from python_llm.preflight import RunError, check_ledger, check_run, check_seeds

KEYS = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}


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
        (("live", "gpt4o", "", "much"), r"MAX_USD=much is no amount"),
        (("live", "gpt4o", "", "-1"), r"MAX_USD=-1 is no amount"),
        (("live", "gpt4o", "", "nan"), r"MAX_USD=nan is no amount"),
        (("live", "gpt4o", "", 1), r"'gpt4o' needs its key .*set OPENAI_API_KEY"),
        (("live", "", "gpt4o_judge", 1), r"'gpt4o' needs its key"),
        (("live", "local", "", 1), r"'local' needs the address .*set KERNEL29_LOCAL_BASE_URL"),
    ],
)
def test_what_stops_a_run(run, message):
    with pytest.raises(RunError, match=message) as stopped:
        check_run(*run, environment={})
    assert "\n" not in str(stopped.value)


def test_who_else_is_asked_is_checked_under_the_name_of_its_variable():
    with pytest.raises(RunError, match=r"^recommender=gpt5000 is in no row .* guideline_rules"):
        check_run(
            "off", "", "", 1, environment={}, others={"reasoner": "", "recommender": "gpt5000"}
        )
    with pytest.raises(RunError, match=r"^reasoner=guideline_rules is in no row"):
        check_run("off", "", "", 1, environment={}, others={"reasoner": "guideline_rules"})
    with pytest.raises(RunError, match=r"'gpt4o' needs its key"):
        check_run("live", "", "", 1, environment={}, others={"recommender": "gpt4o"})
    check_run("live", "", "", 1, environment=KEYS, others={"recommender": "gpt4o"})


def test_rules_alone_make_no_live_run():
    with pytest.raises(RunError, match="asks nobody"):
        check_run("live", "", "", 1, environment={}, others={"recommender": "guideline_rules"})


def test_a_declared_seed_without_a_file_is_named_with_its_remedy(tmp_path):
    folder = tmp_path / "seeds" / "terminology"
    folder.mkdir(parents=True)
    (folder / "_seeds.yml").write_text("seeds: [{name: there}, {name: gone}]")
    (folder / "there.csv").write_text("a\n")
    with pytest.raises(RunError, match=r"terminology/gone\.csv is missing.*kernel29 terminology"):
        check_seeds(tmp_path)
    (folder / "gone.csv").write_text("a\n")
    check_seeds(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("judge_id,sort\na,llm\n", r"judges\.csv, line 1: the column kind is missing"),
        ("judge_id,kind,model_alias\na,llm\n", r"judges\.csv, line 2: a row of 3 fields"),
        ("judge_id,kind,model_alias\na,llm,m\nb,llm,m,x\n", r"judges\.csv, line 3: a row of 3"),
        (b"judge_id,kind,model_alias\n\xff,llm,m\n", r"judges\.csv cannot be read"),
        (None, r"judges\.csv cannot be read .*git checkout -- seeds/experiments/judges\.csv"),
    ],
)
def test_a_registry_with_a_fault_is_named_with_its_line(tmp_path, monkeypatch, text, message):
    folder = tmp_path / "seeds" / "experiments"
    folder.mkdir(parents=True)
    models = "seeds/experiments/llm_models.csv"
    (tmp_path / models).write_bytes((paths.project_root() / models).read_bytes())
    if text is not None:
        (folder / "judges.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    with pytest.raises(FileError, match=message):
        check_run("off", "", "", 1, environment={})


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "Runtime Error in model x (models/x.py)\n  Python model failed:\n  Traceback (most "
            'recent call last):\n    File "/tmp/a.py", line 3\n  python_llm.publish.PublishError: '
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


def test_a_team_s_ledger_that_cannot_be_reached_is_said_before_anything_is_built(monkeypatch):
    monkeypatch.delenv("KERNEL29_LEDGER_URL", raising=False)
    check_ledger()
    url = "postgresql://somebody:hush-hush@127.0.0.1:9/ledger"
    monkeypatch.setenv("KERNEL29_LEDGER_URL", url)
    with pytest.raises(RunError, match="ledger cannot be used") as refused:
        check_ledger()
    assert "hush" not in str(refused.value)
