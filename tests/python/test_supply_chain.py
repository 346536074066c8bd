"""What `make audit` says of the packages, by what its tools found."""

from __future__ import annotations

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from python_llm import paths

_SPEC = spec_from_file_location("audit", paths.project_root() / "orchestration" / "audit.py")
audit = module_from_spec(_SPEC)
_SPEC.loader.exec_module(audit)

SAFE = {"name": "safe", "version": "1", "vulns": []}
FLAWED = {
    "name": "flawed",
    "version": "2",
    "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}, {"id": "PYSEC-2", "fix_versions": []}],
}
UNKNOWN = {"name": "unknown", "skip_reason": "not found"}


@pytest.fixture
def tools(tmp_path):
    """Programs in place of the two tools: one writes a bill, the other the report it is given, or
    fails as without a network."""

    def make(report: dict | None):
        (tmp_path / "report").write_text(json.dumps(report))
        bill = "json.dump({'components': [1, 2, 3]}, open(sys.argv[-1], 'w'))"
        copy = (
            "sys.exit('no route') if report is None else json.dump(report, open(sys.argv[-1], 'w'))"
        )
        read = f"report = json.load(open({str(tmp_path / 'report')!r}))"
        for name, code in {"cyclonedx-py": bill, "pip-audit": f"{read}\n{copy}"}.items():
            program = tmp_path / name
            program.write_text(f"#!{sys.executable}\nimport json, sys\n{code}\n")
            program.chmod(0o755)
        return tmp_path

    return make


@pytest.mark.parametrize(
    ("parts", "code", "sentence"),
    [
        ([SAFE], 0, "1 of 1 packages were checked: 0 advisories."),
        ([SAFE, UNKNOWN], 0, "1 of 2 packages were checked: 0 advisories."),
        ([SAFE, FLAWED], 1, "flawed 2: PYSEC-1, fixed in 2.1"),
        ([FLAWED], 1, "flawed 2: PYSEC-2, fixed in no version yet"),
        ([UNKNOWN], 2, "The database knows nothing of 1: unknown"),
        (None, 2, "No advisory database could be asked, so nothing is known: no route"),
    ],
)
def test_what_is_not_checked_is_not_called_safe(parts, code, sentence, tools, tmp_path, capsys):
    folder = tools(parts and {"dependencies": parts})
    assert audit.audit(folder, tmp_path / "lock", tmp_path / "build") == code
    said = capsys.readouterr().out
    assert sentence in said
    assert "sbom.json: 3 packages" in said


def test_the_tools_are_locked_as_everything_else():
    folder = paths.project_root() / "orchestration"
    locked = (folder / "audit.lock").read_text()
    for line in (folder / "audit.in").read_text().splitlines():
        requirement = line.partition("#")[0].strip()
        assert f"{requirement} \\\n    --hash=sha256:" in locked
