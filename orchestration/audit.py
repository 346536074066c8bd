"""What this project is made of, and what is known to be wrong with it: `make audit`.

Writes `build/sbom.json` (CycloneDX) and `build/vulnerabilities.json` from the lock, with tools in
an environment of their own. The advisories are PyPI's; pip-audit's variables choose another
database (PIP_AUDIT_VULNERABILITY_SERVICE=osv, PIP_AUDIT_OSV_URL). Ends with 1 if a vulnerability is
known, and with 2 if no database could be asked.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CLEAN, VULNERABLE, UNKNOWN = 0, 1, 2


def audit(tools: Path, lock: Path, folder: Path) -> int:
    """Write both files and print the verdict; the exit code. tools: where the programs are."""
    folder.mkdir(parents=True, exist_ok=True)
    bill, report = folder / "sbom.json", folder / "vulnerabilities.json"
    subprocess.run(
        [
            *(tools / "cyclonedx-py", "requirements", lock, "--pyproject", ROOT / "pyproject.toml"),
            *("--output-reproducible", "--of", "JSON", "--output-file", bill),
        ],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    n_parts = len(json.loads(bill.read_text(encoding="utf-8"))["components"])
    print(f"{bill}: {n_parts} packages")
    report.unlink(missing_ok=True)
    asked = subprocess.run(
        [
            *(tools / "pip-audit", "--requirement", lock, "--disable-pip", "--require-hashes"),
            *("--progress-spinner", "off", "--format", "json", "--output", report),
        ],
        check=False,
        capture_output=True,
        text=True,
    )
    if not report.is_file():
        reason = (asked.stderr.strip().splitlines() or ["it said nothing"])[-1]
        print(f"No advisory database could be asked, so nothing is known: {reason[:300]}")
        return UNKNOWN
    sentences, code = verdict(json.loads(report.read_text(encoding="utf-8")))
    print("\n".join([*sentences, f"{report} has the details."]))
    return code


def verdict(report: dict[str, Any]) -> tuple[list[str], int]:
    """What a report of pip-audit says, and the exit code. A package that the database does not
    know is not a package without a vulnerability."""
    parts = report["dependencies"]
    unknown = [part["name"] for part in parts if "skip_reason" in part]
    known = [part for part in parts if "skip_reason" not in part]
    sentences, n_found = [], 0
    for part in known:
        for flaw in part["vulns"]:
            n_found += 1
            fixed = ", ".join(flaw["fix_versions"]) or "no version yet"
            sentences.append(f"{part['name']} {part['version']}: {flaw['id']}, fixed in {fixed}")
    sentences.append(f"{len(known)} of {len(parts)} packages were checked: {n_found} advisories.")
    if unknown:
        names = ", ".join(unknown[:5]) + (", …" if len(unknown) > 5 else "")
        sentences.append(f"The database knows nothing of {len(unknown)}: {names}")
    if n_found:
        return sentences, VULNERABLE
    return sentences, CLEAN if known else UNKNOWN


if __name__ == "__main__":
    sys.exit(audit(Path(sys.argv[1]), ROOT / "requirements.lock", ROOT / "build"))
