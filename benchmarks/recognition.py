"""Precision, recall and F1 of the terms that are read in annotated texts, and how fast.

    python benchmarks/recognition.py FILE [--notes] [--all-names] [--errors N]

FILE: documents in the form of GSC+, separated by an empty line: the document's number, its text in
one line, then a line for each annotation (start, end, words, HP:…). Counted are the distinct terms
of a document, of the branch Phenotypic abnormality. Without --notes every name counts, as abstracts
are annotated; with it only those that are present or past in the patient. The names are those of
build/kernel29.duckdb, the other words those of the seeds.
"""

import argparse
import collections
import time
from dataclasses import dataclass
from pathlib import Path

import duckdb

from python_llm import paths
from python_llm.phenotyping.notes import readers
from python_llm.phenotyping.reading import Reader

DATABASE = "build/kernel29.duckdb"
SEEDS = {
    "same_words": "finding_words",
    "stop_words": "reading_stop_words",
    "cues": "note_cues",
    "normal_findings": "normal_findings",
    "relative_times": "relative_times",
    "progression_cues": "progression_cues",
    "values": "abnormal_values",
}


@dataclass(frozen=True)
class Document:
    """An annotated text and the terms it names, with the words that name them."""

    number: str
    text: str
    terms: dict[str, list[str]]


def own_readers(**options: bool) -> dict[str, Reader]:
    """The readers of the project: names from the warehouse, all else from the seeds as they are."""
    with duckdb.connect(str(paths.resolve(DATABASE)), read_only=True) as connection:
        names = connection.sql(
            "select * exclude (method, is_meant, is_looked_up) from int_phenotyping__names "
            "where is_meant"
        ).to_arrow_table()
        ancestors = connection.sql("from bridge_hpo_ancestor").to_arrow_table()
    tables = {
        name: duckdb.sql(
            f"from read_csv('{paths.resolve(f'seeds/phenotyping/{seed}.csv')}', header = true)"
        ).to_arrow_table()
        for name, seed in SEEDS.items()
    }
    flags = duckdb.sql(
        "select ancestors.hpo_id, bool_or(is_event) as is_event from ancestors inner join "
        f"read_csv('{paths.resolve('seeds/phenotyping/hpo_red_flags.csv')}', header = true) as f "
        "on ancestors.ancestor_hpo_id = f.hpo_id group by all"
    ).to_arrow_table()
    assert len(ancestors)
    return readers(names=names, red_flags=flags, **tables, **options)


def documents_of(file: Path) -> list[Document]:
    """The documents of a file in the form of GSC+."""
    documents = []
    for block in file.read_text(encoding="utf-8").split("\n\n"):
        number, _, rest = block.strip("\n").partition("\n")
        text, _, lines = rest.partition("\n")
        terms: dict[str, list[str]] = {}
        for line in lines.splitlines():
            fields = line.split("\t")
            if len(fields) >= 4:
                terms.setdefault(fields[3].strip(), []).append(fields[2])
        if text:
            documents.append(Document(number, text, terms))
    return documents


def current_terms() -> dict[str, str]:
    """Abnormalities by every id they have or had."""
    with duckdb.connect(str(paths.resolve(DATABASE)), read_only=True) as connection:
        rows = connection.sql(
            "with terms as (select hpo_id from dim_hpo_term where is_phenotypic_abnormality) "
            "select hpo_id, hpo_id from terms union all select alt_id, id from hpo_alt_id "
            "where id in (from terms)"
        ).fetchall()
    return dict(rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--notes", action="store_true", help="only what the patient has or had")
    parser.add_argument("--all-names", action="store_true", help="names within names too")
    parser.add_argument("--errors", type=int, default=0, help="print the N commonest errors")
    options = parser.parse_args()
    reader = own_readers(is_every_name=True)["en"] if options.all_names else own_readers()["en"]
    current = current_terms()
    n_right = n_read = n_gold = 0
    missed: collections.Counter[tuple[str, str]] = collections.Counter()
    false: collections.Counter[tuple[str, str]] = collections.Counter()
    seconds, characters = 0.0, 0
    for document in documents_of(options.file):
        gold = {current[term]: words for term, words in document.terms.items() if term in current}
        began = time.process_time()
        readings = reader.read(document.text)
        seconds += time.process_time() - began
        characters += len(document.text)
        terms = {
            reading.hpo_id: document.text[reading.start : reading.end]
            for reading in readings
            if reading.hpo_id
            and reading.kind != "unnamed"
            and (reading.kind == "finding" or not options.notes or reading.assertion.is_present)
            and (reading.assertion.is_present or not options.notes)
        }
        n_right += len(gold.keys() & terms)
        n_read += len(terms)
        n_gold += len(gold)
        missed.update((term, gold[term][0]) for term in gold.keys() - terms)
        false.update((term, terms[term]) for term in terms.keys() - gold)
    precision, recall = n_right / max(n_read, 1), n_right / max(n_gold, 1)
    f1 = 2 * n_right / max(n_read + n_gold, 1)
    print(f"precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}  ({n_gold} terms)")
    print(f"{seconds:.2f} s of CPU for {characters / 1e6:.2f} million characters")
    for title, errors in (("missed", missed), ("false", false)):
        for (term, words), count in errors.most_common(options.errors):
            print(f"{title} | {count} | {term} | {words}")


if __name__ == "__main__":
    main()
