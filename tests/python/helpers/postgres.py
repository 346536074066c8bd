"""A real PostgreSQL server on loopback, for as long as a test session needs it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

PASSWORD = "postgres-secret-0123456789"
# PostgreSQL refuses to run as root: accounts to run it as then.
UNPRIVILEGED = ("postgres", "nobody")


class NoPostgres(RuntimeError):
    """There is no server to be had on this machine."""


def programs() -> Path:
    """The folder with initdb and postgres. Errors: NoPostgres."""
    on_path = shutil.which("postgres")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in [*([Path(on_path).resolve().parent] if on_path else []), *folders]:
        if (folder / "postgres").exists() and (folder / "initdb").exists():
            return folder
    raise NoPostgres("apt-get install postgresql")


class Server:
    """One running server. urls are for SQLAlchemy."""

    def __init__(self, folder: Path, run_as: dict[str, Any]) -> None:
        self._bin, self._data, self._run_as = programs(), folder / "data", run_as
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None
        self._settings: dict[str, str] = {}

    def make(self, password_file: Path) -> None:
        options = ["--auth=scram-sha-256", f"--pwfile={password_file}", "--username=kernel29"]
        options += ["--encoding=UTF8", "--locale=C", "--no-sync", f"--pgdata={self._data}"]
        command = [self._bin / "initdb", *options]
        subprocess.run(
            command, check=True, capture_output=True, cwd=self._data.parent, **self._run_as
        )

    def demand_tls(self, name: str) -> Path:
        """Take no connection in the clear; the certificate of the authority that vouches for the
        server under a name."""
        folder = self._data.parent / "tls"
        folder.mkdir()
        new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        x509 = ("openssl", "req", "-x509", *new_key, "-days", "2")
        authority = (*x509, "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.crt")
        own = (*x509, "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}")
        own += ("-addext", "basicConstraints=critical,CA:FALSE", "-CA", "ca.crt", "-CAkey")
        own += ("ca.key", "-keyout", "server.key", "-out", "server.crt")
        for command in (authority, own):
            subprocess.run(command, check=True, capture_output=True, cwd=folder)
        for file in (folder, *folder.iterdir()):
            os.chown(file, self._run_as.get("user", -1), self._run_as.get("group", -1))
        (self._data / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 scram-sha-256\n")
        certificates = {"ssl_cert_file": "server.crt", "ssl_key_file": "server.key"}
        self._settings = {name: str(folder / file) for name, file in certificates.items()}
        self._settings["ssl"] = "on"
        return folder / "ca.crt"

    def start(self) -> None:
        settings = {
            **self._settings,
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "fsync": "off",
            "log_statement": "none",
        }
        words = [f"-c{name}={value}" for name, value in settings.items()]
        with (self._data.parent / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._bin / "postgres", "-D", self._data, *words],
                stdout=log,
                stderr=log,
                cwd=self._data.parent,
                **self._run_as,
            )
        deadline = time.monotonic() + 30
        while True:
            try:
                psycopg.connect(self._conninfo()).close()
                return
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError((self._data.parent / "log").read_text()) from None
                time.sleep(0.05)

    def stop(self) -> None:
        """At once, as a crash would."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(timeout=30)

    def url(self, database: str, password: str = PASSWORD) -> str:
        return f"postgresql://kernel29:{password}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"test_{uuid.uuid4().hex[:12]}"
        self.execute(f"create database {name}")
        return self.url(name)

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """The rows of one statement, if it has any."""
        with psycopg.connect(self._conninfo(database), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def _conninfo(self, database: str = "postgres") -> str:
        return (
            f"host=127.0.0.1 port={self.port} user=kernel29 password={PASSWORD} dbname={database}"
        )


@contextmanager
def running() -> Iterator[Server]:
    """A server in a folder of its own; both are gone afterwards. Errors: NoPostgres."""
    programs()
    # Not a folder of pytest's: the account must be able to enter every folder above it.
    with tempfile.TemporaryDirectory(prefix="kernel29-postgres-") as name:
        folder, run_as = Path(name), {}
        if os.geteuid() == 0:
            account = _unprivileged()
            run_as = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
            os.chown(folder, account.pw_uid, account.pw_gid)
        password_file = folder / "password"
        password_file.write_text(PASSWORD)
        password_file.chmod(0o644)
        server = Server(folder, run_as)
        server.make(password_file)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def _unprivileged() -> pwd.struct_passwd:
    for name in UNPRIVILEGED:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise NoPostgres(f"it refuses to run as root, and there is no account {UNPRIVILEGED[-1]}")
