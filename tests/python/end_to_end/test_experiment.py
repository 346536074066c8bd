"""An experiment from a CSV to a comparison: one command, nothing tracked touched."""

import csv
import json
import re
import shutil

import project
import pytest
from loopback import Loopback, user_text
from scratch import Scratch, clinician, copied

from python_llm import paths

NOTE = "A woman of {age} has\ta cough,  {{braces}} and a temperature of 39 °C."
GOLDS = ["Marfan syndrome", "Gout", "Wilson disease", "Asthma"]
FILE = """\
cases: my_cases.csv
real_patients: false
models:
  - name: first
    api_model: first-7b
    address: {address}
  - name: second
    api_model: second-7b
    address: {address}
prompts: [dxgpt_standard, short.txt]
"""


def notebook(cells: list[str]) -> int:
    """The cells of a notebook, one after another in one process."""
    from python_llm.job import build

    build.dbtRunner = project.ParsedRunner
    names: dict[str, object] = {}
    for cell in cells:
        exec(cell, names)
    results, kernel29 = names["results"], names["kernel29"]
    assert results.leaderboard["n_cases"].tolist() == [4, 4]
    assert results.answers["status"].tolist() == ["ok"] * 8
    assert len(results.cases) == 4
    for figure in ("accuracy", "plane", "cost"):
        assert results.figure(figure).data
    for broken, message in BROKEN:
        with pytest.raises(kernel29.Error, match=re.escape(message)):
            eval(broken, names)
    return 0


BROKEN = [
    ("results.arrow('answer')", "no table 'answer'. The nearest: answers"),
    ("results.figure('acuracy')", "no figure 'acuracy'. The nearest: accuracy"),
    ("results.figure('plane', judge='x')", "no judge 'x' here: terminology"),
    ("kernel29.table('rpt_leader')", "No table 'rpt_leader' is served. The nearest: rpt_leaderbo"),
    ("kernel29.query('select x from nowhere')", "nowhere"),
    ("kernel29.run(**{**experiment, 'prompts': ['dxgpt_json']})", "Nothing was sent: say yes=True"),
]


@pytest.fixture(scope="module")
def experiment(built, tmp_path_factory):
    """The folder of an experiment beside what was built and answered before, its server and a
    function that runs it."""
    folder = tmp_path_factory.mktemp("experiment")
    copied(built[0].warehouse, folder)
    shutil.copytree(built[0].folder / "ledger", folder / "ledger")
    own = folder / "experiments"
    own.mkdir()
    with (own / "my_cases.csv").open("w", newline="", encoding="utf-8") as handle:
        rows = csv.writer(handle)
        rows.writerow(["id", "text", "diagnosis"])
        rows.writerows([f"p{n}", NOTE.format(age=30 + n), gold] for n, gold in enumerate(GOLDS))
    (own / "short.txt").write_text("Name five diagnoses.\n\n{case}\n\nNumber them.\n")
    with Loopback(answer=clinician) as server:
        (own / "mine.yml").write_text(FILE.format(address=server.openai_url))
        scratch = Scratch.make(folder)

        def run(*options: str) -> tuple[int, str]:
            arguments = ["run", str(own / "mine.yml"), *options]
            done = project.forked(project.kernel29, arguments, scratch.environment)
            return done.returncode, done.stdout

        yield scratch, server, run


def test_the_plan_comes_before_anything_is_sent(experiment):
    _, server, run = experiment
    code, printed = run("--dry-run")
    assert code == 0, printed
    assert "my_cases: 4 cases." in printed
    assert "first        8        0        8" in printed
    assert "Nothing was sent." in printed
    code, printed = run()  # nobody is there to be asked
    assert code == 1
    assert "Nothing was sent: say --yes" in printed
    assert server.total == 0


def test_the_two_by_two_is_asked_scored_and_compared(experiment):
    scratch, server, run = experiment
    code, printed = run("--yes")
    assert code == 0, printed
    assert server.total == 16
    sent = {user_text(request.payload) for request in server.seen}
    own = f"Name five diagnoses.\n\n{NOTE.format(age=31)}\n\nNumber them."
    assert own in sent
    board = scratch.rows(
        "select configuration_id, n_cases from rpt_leaderboard where test_set = 'my_cases'",
        scratch.folder / "serve" / "kernel29.duckdb",
    )
    assert sorted(board) == [
        (f"{model}/{prompt}/my_cases", 4)
        for model in ("first", "second")
        for prompt in ("dxgpt_standard", "short")
    ]
    assert "simulated_rare_200" not in printed
    assert "pair by pair: my_cases, judge terminology, 4 cases." in printed
    assert "first/dxgpt_standard cannot be told from first/short" in printed


def test_only_what_has_changed_is_asked_again(experiment):
    scratch, _, run = experiment
    _, printed = run("--dry-run")
    assert "total       16       16        0" in printed
    prompt = scratch.folder / "experiments" / "short.txt"
    prompt.write_text(prompt.read_text().replace("five", "six"))
    _, printed = run("--dry-run")
    assert "total       16        8        8" in printed


def test_the_notebook_runs_as_it_stands(experiment):
    scratch, server, _ = experiment
    content = json.loads((paths.project_root() / "examples" / "experiment.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]
    before = server.total
    environment = {**scratch.environment, "KERNEL29_LOCAL_BASE_URL": server.openai_url}
    done = project.forked(notebook, cells, environment)
    assert done.returncode == 0, done.stdout
    assert server.total == before + 8
    sent = {user_text(request.payload) for request in server.seen}
    assert any(text.startswith("In neurology: name five diseases, numbered.") for text in sent)
    assert not any(cell.get("outputs") for cell in content["cells"])
