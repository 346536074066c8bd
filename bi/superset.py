"""Open the served tables in Apache Superset, in an environment of its own.

    python bi/superset.py             sets it up (once, 700 MB) and serves http://127.0.0.1:8088
    python bi/superset.py --check     the same, asks it over its API, compares and stops

Superset brings its own versions of what this project uses, so it lives in `.superset/`, which git
ignores: the environment, its settings with a secret and a password drawn once, its own database.
Running this again leaves them as they are. What it gets: the served DuckDB file, opened read-only,
so that builds go on beside it; the score marts as datasets; a question of `analyses/` as a dataset
in SQL; a chart and a dashboard of the leaderboard. The user is `admin`, the password is in
`.superset/password`.
"""

import argparse
import json
import os
import re
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = (
    "apache-superset==6.1.0",
    "duckdb-engine>=0.17,<0.18",
    "duckdb>=1.5,<2",  # reads what the project's DuckDB wrote
    "flask-caching<2.4",  # superset 6.1 does not start with a newer one
    "rich",  # what superset imports without saying so
    "cachetools",
)
DATABASE = "Kernel29"
TABLES = (
    *("rpt_leaderboard", "fct_configuration_score", "fct_stratified_score", "fct_pooled_score"),
    *("fct_case_score", "fct_case_error", "fct_configuration_comparison", "fct_llm_call"),
)
QUESTION = "leaderboard_by_test_set"
SETTINGS = """
from pathlib import Path

HOME = Path(__file__).parent
SECRET_KEY = (HOME / "secret").read_text()
SQLALCHEMY_DATABASE_URI = f"sqlite:///{HOME / 'superset.db'}"
WTF_CSRF_ENABLED = False  # it listens on this machine only, and the API is spoken to with a token
TALISMAN_ENABLED = False
"""


class SupersetError(RuntimeError):
    """What went wrong, and what to do about it."""


def set_up(home: Path) -> dict[str, str]:
    """Make what is missing of the environment and its settings; returns its variables."""
    home.mkdir(parents=True, exist_ok=True)
    python = home / "venv" / "bin" / "python"
    ready = home / ".ready"
    if not ready.exists() or ready.read_text() != "\n".join(REQUIREMENTS):
        print(f"Setting up {home}: about 700 MB, once.", flush=True)
        run([sys.executable, "-m", "venv", str(home / "venv")])
        run([str(python), "-m", "pip", "install", "--quiet", *REQUIREMENTS])
        ready.write_text("\n".join(REQUIREMENTS))
    for name in ("secret", "password"):
        if not (home / name).exists():
            (home / name).touch(mode=0o600)
            (home / name).write_text(secrets.token_urlsafe(32))
    (home / "superset_config.py").write_text(SETTINGS)
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "SUPERSET_CONFIG_PATH": str(home / "superset_config.py"),
        "FLASK_APP": "superset.app:create_app()",
    }
    if not (home / "superset.db").exists():
        superset = str(home / "venv" / "bin" / "superset")
        password = (home / "password").read_text()
        run([superset, "db", "upgrade"], environment)
        admin = ["fab", "create-admin", "--username", "admin", "--firstname", "Kernel29"]
        admin += ["--lastname", "admin", "--email", "admin@localhost", "--password", password]
        run([superset, *admin], environment)
        run([superset, "init"], environment)
    return environment


def run(command: list[str], environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        # a password is among the arguments: only the program is named
        raise SupersetError(f"{Path(command[0]).name} failed:\n{done.stderr[-1500:]}")


class Superset:
    """Its REST API, logged in."""

    def __init__(self, address: str, password: str) -> None:
        self.address, self.token = address, ""
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar())
        )
        login = {"username": "admin", "password": password, "provider": "db"}
        self.token = self.call("POST", "security/login", login)["access_token"]

    def call(self, method: str, path: str, content: Any = None) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self.address}/api/v1/{path}",
            method=method,
            data=None if content is None else json.dumps(content).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"},
        )
        try:
            with self.opener.open(request, timeout=120) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            said = error.read().decode(errors="replace")[:500]
            raise SupersetError(f"Superset refused {method} {path}: {said}") from error

    def ensure(self, kind: str, column: str, name: str, content: dict[str, Any]) -> int:
        """The id of the thing of this name: made if it is missing, else brought up to date."""
        query = f"(filters:!((col:{column},opr:eq,value:'{name}')),page_size:1)"
        found = self.call("GET", f"{kind}/?q={urllib.request.quote(query)}")["result"]
        if not found:
            return int(self.call("POST", f"{kind}/", {column: name, **content})["id"])
        changed = {key: value for key, value in content.items() if key != "database"}
        if changed:
            self.call("PUT", f"{kind}/{found[0]['id']}", changed)
        return int(found[0]["id"])


def question(name: str) -> str:
    """The SQL of an analysis with the served tables' own names."""
    text = (ROOT / "analyses" / f"{name}.sql").read_text(encoding="utf-8")
    text = re.sub(r"^--.*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"\{\{\s*ref\('(\w+)'\)\s*\}\}", r"\1", text).strip()


def fill(superset: Superset, served: Path) -> int:
    """Database, datasets, chart and dashboard; returns the id of the database."""
    address = f"duckdb:////{served.as_posix().lstrip('/')}?access_mode=read_only"
    options = {"sqlalchemy_uri": address, "expose_in_sqllab": True}
    database = superset.ensure("database", "database_name", DATABASE, options)
    for table in TABLES:
        superset.ensure("dataset", "table_name", table, {"database": database, "schema": "main"})
    dataset = superset.ensure(
        "dataset", "table_name", QUESTION, {"database": database, "sql": question(QUESTION)}
    )
    columns = ["model_alias", "prompt_alias", "judge_id", "n_cases", "n_failures", "top1_strict"]
    columns += ["top1_strict_low", "top1_strict_high", "semantic_aggregate", "severity_aggregate"]
    form = {
        "viz_type": "table",
        "datasource": f"{dataset}__table",
        "query_mode": "raw",
        "all_columns": columns,
        "order_by_cols": ['["top1_strict", false]'],
        "row_limit": 1000,
    }
    chart = {
        "datasource_id": dataset,
        "datasource_type": "table",
        "viz_type": "table",
        "params": json.dumps(form),
    }
    dashboard = superset.ensure(
        "dashboard", "dashboard_title", "Kernel29 leaderboard", {"published": True}
    )
    made = superset.ensure(
        "chart", "slice_name", "Leaderboard", chart | {"dashboards": [dashboard]}
    )
    layout = {
        "DASHBOARD_VERSION_KEY": "v2",
        "ROOT_ID": {"type": "ROOT", "id": "ROOT_ID", "children": ["GRID_ID"]},
        "GRID_ID": {"type": "GRID", "id": "GRID_ID", "children": ["ROW-1"]},
        "ROW-1": {
            "type": "ROW",
            "id": "ROW-1",
            "children": ["CHART-1"],
            "meta": {"background": "BACKGROUND_TRANSPARENT"},
        },
        "CHART-1": {
            "type": "CHART",
            "id": "CHART-1",
            "children": [],
            "meta": {"chartId": made, "width": 12, "height": 60},
        },
    }
    superset.call("PUT", f"dashboard/{dashboard}", {"position_json": json.dumps(layout)})
    return database


def check(superset: Superset, database: int, served: Path) -> str:
    """What Superset answers to a question of `analyses/` and to the chart's own query, beside what
    the file says. Raises SupersetError where they differ."""
    import duckdb

    with duckdb.connect(str(served), read_only=True) as connection:
        cursor = connection.execute(question(QUESTION).rstrip(",;"))
        names = [column[0] for column in cursor.description]
        expected = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    asked = {
        "database_id": database,
        "sql": question(QUESTION),
        "runAsync": False,
        "schema": "main",
    }
    found = superset.call("POST", "sqllab/execute/", asked)["data"]
    by = ("test_set", "judge_id", "model_alias", "prompt_alias")
    numbers = ("n_cases", "n_failures", "top1_strict", "semantic_aggregate")

    def sorted_rows(rows: list[dict[str, Any]]) -> list[tuple]:
        return sorted(tuple(row[name] for name in (*by, *numbers)) for row in rows)

    if sorted_rows(found) != sorted_rows(expected):
        raise SupersetError("Superset's answer is not what the served file says.")
    return f"Superset gave the same {len(found)} rows as the served file."


def wait_for(address: str, server: subprocess.Popen, log: Path, seconds: int) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        try:
            with opener.open(f"{address}/health", timeout=5):
                return
        except OSError:
            time.sleep(1)
    raise SupersetError(f"Superset did not start within {seconds} s: see {log}.")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--home", type=Path, default=ROOT / ".superset")
    parser.add_argument("--served", type=Path, help="default: serve/kernel29.duckdb")
    parser.add_argument("--port", type=int, default=8088)
    parser.add_argument("--check", action="store_true", help="compare over the API and stop")
    arguments = parser.parse_args()
    folder = Path(os.environ.get("KERNEL29_SERVE_DIR", ROOT / "serve"))
    served = (arguments.served or folder / "kernel29.duckdb").resolve()
    home, address = arguments.home.resolve(), f"http://127.0.0.1:{arguments.port}"
    try:
        if not served.is_file():
            raise SupersetError(f"{served} does not exist yet: run `make build` first.")
        environment = set_up(home)
        log = home / "superset.log"
        command = [str(home / "venv" / "bin" / "superset"), "run", "--host", "127.0.0.1"]
        with log.open("w") as file:
            server = subprocess.Popen(
                [*command, "--port", str(arguments.port), "--with-threads"],
                env=environment,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        try:
            wait_for(address, server, log, 300)
            superset = Superset(address, (home / "password").read_text())
            database = fill(superset, served)
            if arguments.check:
                print(check(superset, database, served))
                return 0
            print(f"{address}: user admin, password in {home / 'password'}; Ctrl-C stops it.")
            return server.wait()
        except KeyboardInterrupt:
            return 0
        finally:
            server.terminate()
            server.wait(30)
    except SupersetError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
