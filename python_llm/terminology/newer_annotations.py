"""The facts of a newer release of the HPO annotations, for diseases that an older one lacks.

    python -m venv /tmp/newer && /tmp/newer/bin/pip install hpo3==1.5.1
    /tmp/newer/bin/python python_llm/terminology/newer_annotations.py \\
        seeds/terminology/disease.csv python_llm/terminology/newer_annotations.csv

hpo3 carries the annotations of 2025-11-24 without frequencies, and cannot share an environment with
pyhpo, whose module has the same name: hence a throw-away environment, and a script that imports
nothing of the project. Only diseases that the older annotations lack are written, one row each;
their frequencies are unknown. The same package gives the same file, byte for byte.
`kernel29 terminology refresh` adds it to annotations that are older, and leaves it out for others.
"""

import csv
import sys
from pathlib import Path
from typing import Any

COLUMNS = ("disease_id", "name", "hpo_ids", "release")


def main(known: Path, destination: Path) -> None:
    """Write the diseases that the seed `known` lacks, with the findings and genes of each."""
    from pyhpo import Ontology  # type: ignore  # hpo3, not pyhpo

    Ontology()
    with known.open(encoding="utf-8", newline="") as file:
        older = {
            row["disease_id"]
            for row in csv.DictReader(file)
            if row.get("release", "") < str(Ontology.version())
        }
    rows = sorted(
        _row(vocabulary, disease, str(Ontology.version()))
        for vocabulary, diseases in (
            ("OMIM", Ontology.omim_diseases),
            ("ORPHA", Ontology.orpha_diseases),
        )
        for disease in diseases
        if f"{vocabulary}:{disease.id}" not in older and len(disease.hpo)
    )
    with destination.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    print(f"{len(rows):,} diseases written to {destination}")


def _row(vocabulary: str, disease: Any, release: str) -> tuple[str, ...]:
    terms = ";".join(f"HP:{number:07}" for number in sorted(disease.hpo))
    return (f"{vocabulary}:{disease.id}", disease.name, terms, release)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
