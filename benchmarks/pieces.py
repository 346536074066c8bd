"""Single pieces, on data that are made or shipped, a line each: `python benchmarks/pieces.py`.

Examinations: 12,342 made questions in the layout of MedQA imported, and typed; the questions of
`tests/python/questions/spanish_questions.csv` typed as they are labelled. Answers: 10,000 lists
read. Times are of CPU.
"""

import contextlib
import csv
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import reading

from python_llm import seeds
from python_llm.parsing.differential import parse_differentials
from python_llm.questions.imported import import_questions
from python_llm.questions.typing_rules import Question, compile_rules, type_question

ROOT = Path(__file__).resolve().parents[1]
N_QUESTIONS = 12_342
N_ANSWERS = 10_000
SENTENCE = "A {age}-year-old woman has had fatigue and joint pain for {n} weeks. "
LABELLED = ROOT / "tests/python/questions/spanish_questions.csv"


def main() -> None:
    questions()
    typed_as_labelled()
    answers()


@contextlib.contextmanager
def timed(what: str, n: int) -> Iterator[None]:
    """Print the seconds of CPU and the milliseconds of each of n."""
    started = time.process_time()
    yield
    seconds = time.process_time() - started
    print(f"{what}: {seconds:.2f} s of CPU, {1000 * seconds / n:.3f} ms each", flush=True)


def questions() -> None:
    lines = []
    for n in range(N_QUESTIONS):
        text = SENTENCE.format(age=20 + n % 60, n=n) * (1 + n % 12)
        options = {letter: f"Drug {letter} {n % 97}" for letter in "ABCD"}
        lines.append(
            {
                "question": f"{text}Which of the following is the most appropriate treatment?",
                **{
                    "options": options,
                    "answer_idx": "ABCD"[n % 4],
                    "answer": options["ABCD"[n % 4]],
                },
            }
        )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "made.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        with timed(f"{N_QUESTIONS:,} questions imported", N_QUESTIONS):
            import_questions(file, "made", Path(folder))


def typed_as_labelled() -> None:
    with LABELLED.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    rules = compile_rules(
        {**rule, "rule_pass": int(rule["rule_pass"]), "priority": int(rule["priority"])}
        for rule in seeds.read("seeds/questions/question_type_rules.csv")
    )
    with timed(f"{len(rows)} questions typed", len(rows)):
        kinds = [
            type_question(rules, Question(None, row["question_text"], row["options"].split("|")))[0]
            for row in rows
        ]
    n_right = sum(kind == row["question_type"] for kind, row in zip(kinds, rows, strict=True))
    print(f"typed as labelled: {100 * n_right / len(rows):.1f} %", flush=True)


def answers() -> None:
    table = pa.table(
        {
            "answer_key": [str(n) for n in range(N_ANSWERS)],
            "answer_text": [
                "".join(
                    f"{rank}. **Disease {n * rank % 4999}**: it fits.\n" for rank in range(1, 6)
                )
                for n in range(N_ANSWERS)
            ],
            "output_format": ["numbered_list"] * N_ANSWERS,
            "is_recorded": [True] * N_ANSWERS,
        }
    )
    patterns = reading.failure_patterns()
    with timed(f"{N_ANSWERS:,} answers read", N_ANSWERS):
        parse_differentials(table, patterns)


if __name__ == "__main__":
    main()
