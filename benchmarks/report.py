"""Write and open the report of a drawn served database: time, memory, size, first paint, filters.

    python benchmarks/report.py --folder /scratch --configurations 66 --cases 5000
    python benchmarks/report.py --folder /scratch --configurations 4500 --cases 200

Needs a served database to take the tables' columns from (`make demo`) and Chromium. The marts of the
page are drawn straight into a served file, with DuckDB's hash, so that two runs see the same rows:
five ranks a list, one cell in twenty failed, answers and requests of 1.5 kB. The page is written in
a process of its own, whose peak memory is reported. The browser tells the page's own times, all in
milliseconds after it was opened: when the table is shown, when every chart is, and how long a search
for cases, another judge and another model take until everything is drawn.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import duckdb

ROOT = Path(__file__).resolve().parents[1]

# ruff: noqa: E501 - the SQL below
DRAW = "create temp macro draw(item) as hash(item) / 18446744073709551616.0"
FILL = """
-- fill dim_test_set
create temp table drawn as
select 'drawn' as test_set, 'Drawn cases' as description, 'v1' as version, {cases} as n_cases, false as contains_phi;

-- fill dim_case
create temp table drawn as
with titles as (
    select *, row_number() over (order by case_id) - 1 as place
    from template.dim_case where icd10_block_code is not null and organ_system is not null
)
select
    titles.* exclude (place) replace (
        'drawn/' || lpad(number::varchar, 5, '0') as case_id,
        'drawn' as test_set,
        (['mild', 'moderate', 'severe', 'critical', 'rare'])[1 + number % 5] as gold_severity,
        repeat('A patient of the benchmark, number ' || number || ', with fever. ', 25) as narrative,
        false as contains_phi
    ),
from range(1, {cases} + 1) as numbers (number)
inner join titles on titles.place = number % (select count(*) from titles);

-- fill bridge_test_set_case
create temp table drawn as select test_set, case_id from dim_case;

-- fill dim_judge
create temp table drawn as
select 'judge_' || n as judge_id, if(n = 1, 'terminology', 'llm') as kind from range(1, {judges} + 1) as t (n);

-- fill dim_configuration
create temp table drawn as
select
    model_alias || '/' || prompt_alias || '/drawn' as configuration_id, *, 'drawn' as test_set,
    'abc' as prompt_version, 'provider' as provider, 'family' as family,
from (
    select 'model_' || lpad((n // 5)::varchar, 3, '0') as model_alias, 'prompt_' || n % 5 as prompt_alias
    from range({configurations}) as t (n)
);

-- fill fct_answer
create temp table drawn as
select
    configuration_id, case_id, 'drawn' as test_set, md5(configuration_id || case_id) as request_key,
    if(draw(configuration_id || case_id) < 0.05, 'refused', 'ok') as status,
    if(status = 'ok', repeat('1. Wilson disease of ' || case_id || ' ', 12), null) as answer_text,
    'ok' as parse_status, 'numbered_list' as read_as, 5 as n_diagnoses, 0 as n_dropped,
from dim_configuration cross join dim_case;

-- fill dim_llm_request
create temp table drawn as
select request_key, 'Diagnose.' as system_text, 'Case: ' || narrative as user_text
from fct_answer inner join dim_case using (case_id);

-- fill fct_llm_call
create temp table drawn as
select request_key, 0.001 as cost_usd, true as is_priced, true as is_final, 900.0 as latency_ms from fct_answer;

-- fill fct_judged_diagnosis
create temp table drawn as
select
    configuration_id, case_id, judge_id, rank::integer as diagnosis_rank,
    draw(row(configuration_id, case_id, rank)) as chance,
    'Disease number ' || (chance * 20000)::int as diagnosis,
    least(1 + (draw(row(judge_id, chance)) * 8)::int, 5) as semantic_distance,
    (['Exact Synonym', 'Broad Synonym', 'Exact Disease Group', 'Broad Disease Group', 'Not Related'])[semantic_distance] as semantic_relation,
    true as has_semantic_label,
    (['mild', 'moderate', 'severe', 'critical', 'rare'])[1 + (chance * 997)::int % 5] as severity,
    if(judge_id = 'judge_1', 'unrelated', 'majority_vote') as semantic_rule,
    'The findings overlap in ' || (chance * 1e6)::int || ' points' as semantic_reason,
    'majority_vote' as severity_rule,
    'Needs care within ' || (chance * 1e4)::int || ' hours' as severity_reason,
from fct_answer cross join dim_judge cross join range(1, 6) as ranks (rank) where status = 'ok';

-- fill fct_judge_vote
create temp table drawn as
select
    configuration_id, case_id, judge_id, diagnosis_rank, 'none' as probe, 'semantic' as scale, 1 as vote,
    semantic_relation as label, 'valid' as outcome, semantic_reason as reason, md5(semantic_reason) as request_key,
from fct_judged_diagnosis where judge_id = 'judge_2';

-- fill fct_case_score
create temp table drawn as
select
    configuration_id, case_id, judge_id,
    if(status = 'ok', 16 * draw(row(configuration_id, case_id, judge_id)), 0) as semantic_score,
    if(status = 'ok', 16 * draw(row(case_id, configuration_id, judge_id)), 0) as severity_score,
from fct_answer cross join dim_judge;

-- fill fct_configuration_score
create temp table drawn as
select
    configuration_id, judge_id, setting, 'drawn' as test_set, {cases} as n_cases, {cases} as n_test_set_cases,
    ({cases} * 0.05)::int as n_failures, 0 as n_unlabelled, 0 as n_without_gold_severity, true as is_asked,
    round(draw(configuration_id) * 10, 2) as generation_usd, 900.0 as median_latency_ms, {metrics},
from dim_configuration cross join dim_judge
cross join (values ('easy'), ('medium'), ('hard'), ('unweighted')) as settings (setting);

-- fill rpt_leaderboard
create temp table drawn as
select configuration_id, judge_id, 'asked' as state, false as is_judge_constant
from fct_configuration_score where setting = 'medium'
"""

# what a reader does; a picture is there when plotly's promise is kept
READER = """
<script>
window.addEventListener('load', async () => {
  const wait = async (done) => { for (let i = 0; i < 2400 && !done(); i++) await new Promise((go) => setTimeout(go, 25)); };
  const timed = async (act) => { const began = performance.now(); await act(); return Math.round(performance.now() - began); };
  await wait(() => document.body.dataset.ready);
  await new Promise((go) => setTimeout(go, 1000));
  const seen = { painted: Number(document.body.dataset.painted), ready: Number(document.body.dataset.ready) };
  const settled = () => wait(() => !pending.size);
  await settled();
  seen.settled = Math.round(performance.now()) - 1000;
  const choose = (id, value) => { state[id] = value; fillFilters(); return redraw(false); };
  seen.paint = Math.round(performance.getEntriesByType('paint').find((one) => one.name === 'first-contentful-paint')?.startTime ?? -1);
  const input = document.getElementById('search_words');
  const type = (words) => { input.value = words; input.dispatchEvent(new Event('input')); };
  seen.search = [await timed(() => type('drawn/0001')), await timed(() => type('')), await timed(() => type('fever'))];
  type('');
  seen.status = await timed(() => { const one = document.getElementById('kind'); one.value = 'first'; one.dispatchEvent(new Event('change')); });
  document.getElementById('no_filter').click();
  await settled();
  seen.judge = await timed(() => choose('judge', core.judges[1].id));
  seen.judgeCharts = await timed(settled);
  seen.judgeAgain = await timed(() => choose('judge', core.judges[0].id));
  await settled();
  seen.model = await timed(() => choose('model', [core.configurations[7].model]));
  await settled();
  seen.configuration = await timed(() => { state.configuration = core.configurations[9].id; return redraw(true); });
  await settled();
  seen.opened = await timed(() => openCase(state.configuration, 3));
  seen.openedAgain = await timed(() => openCase(state.configuration, 5));
  seen.megabytes = Math.round((performance.memory?.usedJSHeapSize ?? 0) / 1e6);
  fetch('%ADDRESS%', { method: 'POST', mode: 'no-cors', body: JSON.stringify(seen) });
});
</script>
"""
WRITE = """
import re, resource, sys, time
from pathlib import Path
from python_llm.report.page import write_report
start = time.monotonic()
size = write_report(Path(sys.argv[1]), Path(sys.argv[2]), "")
used = resource.getrusage(resource.RUSAGE_SELF)
# not ru_maxrss, which counts what the parent held when it started this process
peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
print(f"written in {time.monotonic() - start:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of CPU, "
      f"peak memory {peak / 1e9:.2f} GB, {size / 1e6:.1f} MB")
"""


def fill(template: Path, served: Path, **sizes: int) -> None:
    """Draw the marts of the page into a new served file, with the columns of `template`."""
    from python_llm.report.data import MARTS, METRICS

    metrics = ", ".join(
        f"round(draw(row(configuration_id, judge_id, setting, '{name}')) + {shift}, 4) as {name}{end}"
        for name in METRICS
        for end, shift in (("", 0), ("_low", -0.05), ("_high", 0.05))
    )
    served.unlink(missing_ok=True)
    with duckdb.connect(str(served)) as connection:
        connection.execute("set preserve_insertion_order = false")
        connection.execute("set enable_progress_bar = false")
        connection.execute(f"attach '{template}' as template (read_only)")
        connection.execute(DRAW)
        for mart in MARTS:
            connection.execute(f"create table {mart} as from template.{mart} limit 0")
        for statement in FILL.format(metrics=metrics, **sizes).split(";\n"):
            table = statement.split("-- fill ")[1].split("\n")[0]
            connection.execute(statement)
            columns = {row[0] for row in connection.execute(f"describe {table}").fetchall()}
            drawn = [row[0] for row in connection.execute("describe drawn").fetchall()]
            kept = ", ".join(name for name in drawn if name in columns)
            connection.execute(f"insert into {table} by name select {kept} from drawn")
            connection.execute("drop table drawn")


class Listener(BaseHTTPRequestHandler):
    """Hears what the page in the browser has measured."""

    heard: ClassVar[list[bytes]] = []

    def do_POST(self) -> None:
        """Keep the body of the request."""
        self.heard.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Write no log."""


def browse(page: Path) -> dict[str, object]:
    """The times that a reader in a browser measures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        raise SystemExit("Chromium is needed: apt-get install chromium")
    with HTTPServer(("127.0.0.1", 0), Listener) as server:
        server.timeout = 120
        reader = READER.replace("%ADDRESS%", f"http://127.0.0.1:{server.server_port}/")
        copy = page.with_name("reader.html")
        copy.write_text(page.read_text().replace("</head>", reader + "</head>", 1))
        flags = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
        profile = f"--user-data-dir={page.parent / 'profile'}"
        command = [chromium, *flags, "--no-first-run", profile, "--remote-debugging-port=0"]
        browser = subprocess.Popen(
            [*command, "--window-size=1400,3000", copy.as_uri()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            server.handle_request()
        finally:
            browser.terminate()
            browser.wait(30)
    return json.loads(Listener.heard.pop()) if Listener.heard else {"nothing": "within 120 s"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="scratch folder, may be new")
    parser.add_argument("--configurations", type=int, default=66)
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--judges", type=int, default=3)
    parser.add_argument(
        "--template", type=Path, default=ROOT / "serve" / "demo" / "kernel29.duckdb"
    )
    parser.add_argument("--again", action="store_true", help="keep the rows of the last run")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    served, page = arguments.folder / "kernel29.duckdb", arguments.folder / "report.html"
    sizes = {name: getattr(arguments, name) for name in ("configurations", "cases", "judges")}
    if not arguments.again:
        start = time.monotonic()
        fill(arguments.template, served, **sizes)
        print(f"rows drawn in {time.monotonic() - start:.1f} s", flush=True)
    subprocess.run([sys.executable, "-c", WRITE, str(served), str(page)], check=True, cwd=ROOT)
    for attempt in range(2):
        print(f"browser, {attempt + 1}: {json.dumps(browse(page))}", flush=True)


if __name__ == "__main__":
    main()
