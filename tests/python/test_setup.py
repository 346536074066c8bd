"""How an environment is made: which Pythons, which versions, and from where."""

import os
import re
import stat
import subprocess
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from python_llm import paths

ROOT = paths.project_root()
SETUP = ROOT / ".ci" / "setup"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")

spec = spec_from_file_location("lock", ROOT / ".ci" / "lock.py")
lock = module_from_spec(spec)
spec.loader.exec_module(lock)


def set_up(folder: Path, version: str | None, **environment: str) -> subprocess.CompletedProcess:
    """`.ci/setup` with a Python that says it is of a version, None for one that does not run."""
    interpreter = folder / "bin" / "python3.13"
    interpreter.parent.mkdir()
    major, minor = (version or "0.0").split(".")
    said = f"sys.version_info = type('v', (tuple,), {{}})(({major}, {minor}, 1))"
    interpreter.write_text(
        f'#!/bin/sh\n[ "$1" = -c ] && exec {sys.executable} -c "import sys; {said}; $2"\n'
        f"echo installed >> {folder}/installed\nexit 3\n"
        if version
        else "#!/bin/sh\necho 'python3.13: command not found' >&2\nexit 127\n"
    )
    interpreter.chmod(interpreter.stat().st_mode | stat.S_IXUSR)
    return subprocess.run(
        [SETUP],
        env={"PATH": f"{folder / 'bin'}:/bin", "VENV": str(folder / "venv"), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("version", ["3.10", "3.14"])
def test_a_wrong_python_is_refused_before_anything_is_there(version, tmp_path):
    refused = set_up(tmp_path, version, PYTHON=str(tmp_path / "bin" / "python3.13"))
    assert refused.returncode == 1
    assert f"is Python {version}.1; Kernel29 runs on 3.11, 3.12 and 3.13" in refused.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"bin"}


def test_a_python_that_does_not_run_is_refused(tmp_path):
    refused = set_up(tmp_path, None, PYTHON=str(tmp_path / "bin" / "python3.13"))
    assert (refused.returncode, refused.stderr.count("does not run")) == (1, 1)


def test_the_environment_that_is_there_is_not_thrown_away(tmp_path):
    """Only one of another Python is; here everything fits, and what fails is the installing."""
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "mine").touch()
    (tmp_path / "venv" / "bin" / "python").symlink_to(tmp_path / "bin" / "python3.13")
    done = set_up(tmp_path, "3.12")
    assert done.returncode != 0
    assert (tmp_path / "venv" / "mine").exists()
    assert not (tmp_path / "venv" / ".ready").exists()
    assert (tmp_path / "installed").exists()


def test_the_script_and_the_package_accept_the_same_pythons():
    assert PROJECT["project"]["requires-python"] == ">=3.11,<3.14"
    assert "(3, 11) <= sys.version_info[:2] <= (3, 13)" in SETUP.read_text(encoding="utf-8")
    named = {
        text.removeprefix("Programming Language :: Python :: ")
        for text in PROJECT["project"]["classifiers"]
    }
    assert {"3.11", "3.12", "3.13"} <= named


def test_uv_installs_the_versions_that_pip_does():
    """Run `make lock`: it writes both."""
    assert PROJECT["tool"]["uv"]["constraint-dependencies"] == lock.pins(LOCK)
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert lock.constrained(text, LOCK) == text
    assert len(lock.pins(LOCK)) == len(re.findall(r"^\w.*==", LOCK, re.MULTILINE)) > 100


def test_every_locked_version_has_its_hashes():
    entries = re.split(r"\n(?=[A-Za-z0-9])", LOCK.strip())
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


def test_no_file_says_where_packages_come_from():
    """Every mirror serves: an index is set up on the machine, and no address of one is here."""
    hosts = re.compile(
        r"(pypi|python[h]osted|anaconda)\.(org|com)|index-url *=|registry *= *\"http"
    )
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    found = []
    for name in filter(None, tracked):
        file = ROOT / name
        if file == Path(__file__) or not file.is_file() or file.stat().st_size > 2**20:
            continue
        if hosts.search(file.read_text(encoding="utf-8", errors="ignore")):
            found.append(name)
    assert found == []


def test_this_environment_is_one_of_those_that_are_promised():
    assert (3, 11) <= sys.version_info[:2] <= (3, 13)
    assert os.access(SETUP, os.X_OK)
