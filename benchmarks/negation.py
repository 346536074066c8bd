"""Precision, recall and F1 of the negation rules on sentences with a target in capitals.

    python benchmarks/negation.py FILE [--language en|es] [--errors]

FILE: tab-separated with a header row; the finding in the second column, the sentence with the
finding in capitals in the third, Negated or Affirmed (or Possible) in the fourth, as the annotated
sentences of NegEx are. Counted is the finding: denied, or once there and over, against everything
else, Possible included.

FILE may be a folder of texts with BRAT annotations, as NUBes is. Denied are the findings in the
scope of a negation; affirmed are those in the scope of an uncertainty and those that the project's
dictionary names outside every scope.
"""

import argparse
import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from python_llm import paths
from python_llm.parsing.folding import composed, fold_in_place
from python_llm.phenotyping.negation import Assertion, Clauses, CueBook
from python_llm.phenotyping.reading import Reader
from python_llm.phenotyping.text import covering, sentences_of, tokens_of

CUES = "seeds/phenotyping/note_cues.csv"


def target_span(sentence: str, finding: str) -> tuple[int, int] | None:
    """Where the finding stands: in capitals if it does, else wherever it does."""
    words = [re.escape(word) for word in fold_in_place(finding).split()]
    places = list(re.finditer(r"\s+".join(words), fold_in_place(sentence))) if words else []
    if not places:
        return None
    shouted = [p for p in places if sentence[p.start() : p.end()].isupper()]
    found = (shouted or places)[0]
    return found.start(), found.end()


def assertion_of(sentence: str, finding: str, book: CueBook) -> Assertion | None:
    """What a text says of a finding in it; None if the finding is not in it."""
    sentence = composed(sentence)
    span = target_span(sentence, finding)
    if span is None:
        return None
    for part in sentences_of(sentence):
        if part.start <= span[0] < part.end:
            tokens = tokens_of(fold_in_place(sentence[part.start : part.end]))
            place = covering(tokens, span[0] - part.start, span[1] - part.start)
            return Clauses(tokens, book).about(*place)
    return None


def counted(
    file: Path, language: str, *, show_errors: bool = False
) -> tuple[dict[str, int], float, float]:
    """(counts of true and false positives and negatives and of sentences without their target,
    precision, F1) of a file of sentences."""
    with paths.resolve(CUES).open(newline="", encoding="utf-8") as cues:
        book = CueBook(csv.DictReader(cues), language)
    counts = {"tp": 0, "fp": 0, "fn": 0, "tn": 0, "not found": 0}
    for line in file.read_text(encoding="utf-8").splitlines()[1:]:
        number, finding, sentence, status = line.split("\t")[:4]
        said = assertion_of(sentence, finding.strip(), book)
        if said is None:
            counts["not found"] += 1
            said = Assertion()
        gold = status.strip().lower() == "negated"
        kind = ("t" if said.is_absent == gold else "f") + ("p" if said.is_absent else "n")
        counts[kind] += 1
        if show_errors and kind[0] == "f":
            print(kind, number, f"[{finding}] cue: {said.cue}", sentence[-400:], sep=" | ")
    precision = counts["tp"] / max(counts["tp"] + counts["fp"], 1)
    f1 = 2 * counts["tp"] / max(2 * counts["tp"] + counts["fp"] + counts["fn"], 1)
    return counts, precision, f1


def in_brat(folder: Path, book: CueBook, reader: Reader) -> Iterator[tuple[str, str, bool, bool]]:
    """(words, sentence, whether it is denied, whether it is read as absent) of the findings in a
    folder of texts with BRAT annotations."""
    for file in sorted(folder.glob("*.ann")):
        text = composed(file.with_suffix(".txt").read_text(encoding="utf-8"))
        spans: dict[str, tuple[str, int, int]] = {}
        scopes: list[tuple[str, str]] = []
        for line in file.read_text(encoding="utf-8").splitlines():
            name, _, rest = line.partition("\t")
            fields = rest.split("\t")[0].replace(";", " ").split()
            if name[0] == "T":
                spans[name] = (fields[0], int(fields[1]), int(fields[-1]))
            elif name[0] == "R" and fields[0] == "Scope":
                scopes.append((fields[1].split(":")[1], fields[2].split(":")[1]))
        denied = {about for cue, about in scopes if spans[cue][0].startswith("Neg")}
        doubted = {about for cue, about in scopes if spans[cue][0].startswith("Uncert")}
        found = [(*spans[name][1:], True) for name in denied]
        found += [(*spans[name][1:], False) for name in doubted - denied]
        taken = found + [(*span[1:], True) for span in spans.values()]
        found += [
            (reading.start, reading.end, False)
            for reading in reader.read(text)
            if reading.kind == "finding"
            and not any(a < reading.end and b > reading.start for a, b, _ in taken)
        ]
        sentences = list(sentences_of(text))
        for start, end, is_denied in sorted(found):
            part = next((one for one in sentences if one.start <= start < one.end), None)
            if part is None:
                continue
            sentence = text[part.start : part.end]
            tokens = tokens_of(fold_in_place(sentence))
            place = covering(tokens, start - part.start, end - part.start)
            absent = Clauses(tokens, book).about(*place).is_absent
            yield text[start:end], " ".join(sentence.split()), is_denied, absent


def counted_in_brat(folder: Path, language: str, *, show_errors: bool) -> dict[str, int]:
    """Counts of true and false positives and negatives in a folder of BRAT annotations."""
    with paths.resolve(CUES).open(newline="", encoding="utf-8") as cues:
        book = CueBook(csv.DictReader(cues), language)
    counts = {"tp": 0, "fp": 0, "fn": 0, "tn": 0}
    sys.path.append(str(paths.project_root()))  # run as a file, Python looks beside it alone
    from benchmarks.recognition import own_readers

    for words, sentence, gold, absent in in_brat(folder, book, own_readers()[language]):
        kind = ("t" if absent == gold else "f") + ("p" if absent else "n")
        counts[kind] += 1
        if show_errors and kind[0] == "f":
            print(kind, f"[{words}]", sentence[-300:], sep=" | ")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--language", choices=["en", "es"], default="en")
    parser.add_argument("--errors", action="store_true", help="print what was read wrongly")
    options = parser.parse_args()
    if options.file.is_dir():
        counts = counted_in_brat(options.file, options.language, show_errors=options.errors)
        precision = counts["tp"] / max(counts["tp"] + counts["fp"], 1)
        f1 = 2 * counts["tp"] / max(2 * counts["tp"] + counts["fp"] + counts["fn"], 1)
    else:
        counts, precision, f1 = counted(options.file, options.language, show_errors=options.errors)
    recall = counts["tp"] / max(counts["tp"] + counts["fn"], 1)
    print(f"precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}  {counts}")


if __name__ == "__main__":
    main()
