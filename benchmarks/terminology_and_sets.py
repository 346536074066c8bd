"""How long imports of many cases take, and a build of the terminologies and all shipped test sets.

    python benchmarks/terminology_and_sets.py --folder DIR [--cases 100000]

Writes the same invented emergency encounters as CSV, JSON lines and Excel to DIR, imports each as
`kernel29 cases import` does, and builds both domains, without their tests, into an empty warehouse
there. Prints seconds on the clock, seconds of user CPU and the peak memory of each.
"""

import argparse
import csv
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import openpyxl

from python_llm import paths

COLUMNS = ("Motivo Consulta", "Enfermedad Actual", "Antecedentes", "Exploración")
COLUMNS += ("Exploración Compl.", "Juicio Diagnóstico", "DIAG CIE", "Sexo", "EDAD", "TA max")
COLUMNS += ("TA min", "Frec cardiaca", "Temperatura", "Sat oxigeno", "motivo_alta_ingreso")
COLUMNS += ("est_planta", "est_uci")
DIAGNOSES = (("ITU", "N39.0"), ("IRVA", "J06.9"), ("NAC", "J18.9"), ("EPOC", "J44.1"))
DOMAINS = ("terminology", "test_sets")


def main() -> None:
    """Run all parts and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--cases", type=int, default=100_000)
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    rows = invented(options.cases)
    for file in (as_csv(folder, rows), as_json_lines(folder, rows), as_excel(folder, rows)):
        test_set = f"benchmark_{file.suffix[1:]}"
        command = [*("-m", "python_llm.console.cli", "cases", "import", str(file))]
        command += ["--format", "urg", "--test-set", test_set]
        report(f"import of {len(rows):,} cases, {file.name}", command, folder / file.suffix[1:])
    selected = [f"path:seeds/{domain}" for domain in DOMAINS]
    for layer in ("staging", "intermediate", "marts"):
        selected += [f"path:models/{layer}/{domain}" for domain in DOMAINS]
    command = ["-W", "ignore", "-m", "dbt.cli.main", "--quiet", "build", "--select", *selected]
    command += ["--exclude", "resource_type:test", "resource_type:unit_test"]
    command += ["--target-path", str(folder / "target"), "--log-path", str(folder / "logs")]
    report("parse and build of terminologies and shipped sets", command, folder / "none")


def invented(n_cases: int) -> list[list[str]]:
    """Rows in the columns of the hospital extract, of about 120 words each."""
    draw = random.Random(29)
    words = [f"palabra{number}" for number in range(3000)]
    rows = []
    for number in range(n_cases):
        judgement, code = draw.choice(DIAGNOSES)
        texts = [" ".join(draw.choices(words, k=k)) for k in (3, 65, 10, 30, 12)]
        rest = [draw.choice(("Hombre", "Mujer")), str(number % 96), "120", "70", "80", "36.5", "97"]
        rows.append([*texts, judgement, code, *rest, "Alta", "0", "0"])
    return rows


def as_csv(folder: Path, rows: list[list[str]]) -> Path:
    """Semicolons and Latin-1, as hospitals export."""
    file = folder / "cases.csv"
    with file.open("w", encoding="latin-1", newline="") as handle:
        writer = csv.writer(handle, delimiter=";")
        writer.writerows([COLUMNS, *rows])
    return file


def as_json_lines(folder: Path, rows: list[list[str]]) -> Path:
    """One object a line."""
    file = folder / "cases.jsonl"
    with file.open("w", encoding="utf-8") as handle:
        for row in rows:
            handle.write(json.dumps(dict(zip(COLUMNS, row, strict=True)), ensure_ascii=False))
            handle.write("\n")
    return file


def as_excel(folder: Path, rows: list[list[str]]) -> Path:
    """One sheet."""
    file = folder / "cases.xlsx"
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in (COLUMNS, *rows):
        sheet.append(row)
    book.save(file)
    return file


def report(what: str, arguments: list[str], data: Path) -> None:
    """Run a Python command with its own data folders and print what it took."""
    environment = {
        **os.environ,
        "KERNEL29_BUILD_DIR": str(data / "build"),
        "KERNEL29_CASES_DIR": str(data / "cases"),
        "KERNEL29_TERMINOLOGY_DIR": str(data / "terminology"),
    }
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=paths.project_root(), env=environment
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - started
    if status:
        sys.exit(f"{what} failed.")
    peak = used.ru_maxrss / 1024
    print(f"{what}: {seconds:.1f} s, {used.ru_utime:.1f} s of user CPU, peak {peak:.0f} MiB")


if __name__ == "__main__":
    main()
