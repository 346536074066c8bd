"""The type of each question, by a table of rules (docs/specification.md#question-types).

In Python because DuckDB compiles a pattern from a column again for every row: 12,000 questions by
forty rules would take half a minute.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from python_llm.errors import UserError
from python_llm.parsing.folding import rule_text
from python_llm.questions.asking import asked_phrases, statement_topics

# How many options must match an options_pattern: one option that mentions consent does not make an
# ethics question, two do.
OPTIONS_NEEDED = 2
UNDECIDED = "other"
ALL_BUT_ONE = "all but one"
ASKED, TOPIC = "asked", "topic"
PASSES = (1, 2, 3, 4)
# Pass 4: a theme that the stem names weighs as two options; one alone may be chance, and where two
# themes are level the question is about several things.
STEM_POINTS = 2
FEWEST_POINTS = 2
# A statement is long and mentions much: one theme must be that of most of them.
FEWEST_STATEMENT_POINTS = 3
MIXED = "mixed_options"
# Options that prescribe name drugs as well.
TREATMENT = "treatment"
DRUGS_GIVEN = {TREATMENT, "pharmacology"}

TYPED_SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),
        ("question_type", pa.string()),
        ("type_rule", pa.string()),
        ("matched_in", pa.string()),
    ]
)


class RuleError(UserError):
    """A rule that cannot be used; the message names the seed, the row and the remedy."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of question_type_rules, compiled.

    rule_pass 1: ethics, before everything else; 2: the stem; 3: the whole question, where the stem
    decides nothing; 4: the words of the options, where that does not either. Without a
    question_type the rule leaves the type to the options (pass 4) and is what typed a question that
    they do not decide: it is `other`. options_needed: how many options must match options_pattern,
    None for all but one. reads: 'asked' or 'topic' for a pattern that must match the beginning of
    what the stem asks for, or of what its statements are about (`asking`).
    """

    rule_id: str
    rule_pass: int
    question_type: str | None
    pattern: re.Pattern[str]
    context_pattern: re.Pattern[str] | None
    options_pattern: re.Pattern[str] | None
    options_needed: int | None = OPTIONS_NEEDED
    reads: str | None = None

    def matches(self, text: str, question: "Question") -> bool:
        """Whether `pattern` matches `text`, or what the rule reads instead, and the rule's other
        patterns match the question."""
        if self.reads:
            phrases = question.asked if self.reads == ASKED else question.topics
            if not any(self.pattern.match(phrase) for phrase in phrases):
                return False
        elif not self.pattern.search(text):
            return False
        if self.context_pattern and not self.context_pattern.search(question.whole):
            return False
        if self.options_pattern:
            needed = self.options_needed
            if needed is None:
                needed = max(len(question.options) - 1, OPTIONS_NEEDED)
            return self.n_options(self.options_pattern, question) >= needed
        return True

    @staticmethod
    def n_options(pattern: re.Pattern[str], question: "Question") -> int:
        """How many options match."""
        return sum(bool(pattern.search(option)) for option in question.folded_options)

    def points(self, question: "Question") -> int:
        """Pass 4: one for each option that matches, two for the stem or the end of the whole."""
        in_stem = self.context_pattern and self.context_pattern.search(
            question.stem or question.whole
        )
        return self.n_options(self.pattern, question) + STEM_POINTS * bool(in_stem)


@dataclass(frozen=True)
class Question:
    """What the rules read; texts are folded when a rule first needs them."""

    vignette: str | None
    question_stem: str | None
    options: list[str]

    @cached_property
    def stem(self) -> str:
        """The folded stem."""
        return rule_text(self.question_stem)

    @cached_property
    def asked(self) -> list[str]:
        """What the stem asks for, by its grammar."""
        return asked_phrases(self.stem)

    @cached_property
    def topics(self) -> list[str]:
        """What the statements to be judged are about."""
        return statement_topics(self.stem, self.asked, rule_text(self.vignette))

    @cached_property
    def folded_options(self) -> list[str]:
        """The options, folded."""
        return [rule_text(option) for option in self.options]

    @cached_property
    def whole(self) -> str:
        """The folded vignette and stem."""
        return f"{rule_text(self.vignette)} {self.stem}".strip()


def compile_rules(rows: Iterable[Mapping[str, Any]]) -> list[Rule]:
    """Rules in the order they are tried. Raises RuleError for a pattern that is not a regular
    expression and for a pass other than 1 to 4."""
    rules = []
    for row in sorted(rows, key=lambda r: (r["rule_pass"], r["priority"], r["rule_id"])):
        if row["rule_pass"] not in PASSES:
            raise RuleError(
                f"question_type_rules.csv, rule {row['rule_id']}: rule_pass is {row['rule_pass']}; "
                "use 1 (before all), 2 (the stem), 3 (the whole question) or 4 (the options)."
            )
        pattern, context_pattern, options_pattern = (
            _compiled(row, column) for column in ("pattern", "context_pattern", "options_pattern")
        )
        if pattern is None:
            raise RuleError(
                f"question_type_rules.csv, rule {row['rule_id']} has no pattern: add one."
            )
        rules.append(
            Rule(
                row["rule_id"],
                row["rule_pass"],
                row["question_type"] or None,
                pattern,
                context_pattern,
                options_pattern,
                None if row.get("options_needed") == ALL_BUT_ONE else OPTIONS_NEEDED,
                row.get("reads") or None,
            )
        )
    return rules


def _compiled(row: Mapping[str, Any], column: str) -> re.Pattern[str] | None:
    """The pattern in a column of a rule, None for an empty one. Raises RuleError."""
    try:
        return re.compile(row[column]) if row[column] else None
    except re.error as error:
        raise RuleError(
            f"question_type_rules.csv, rule {row['rule_id']}: {column} is not a regular "
            f"expression ({error}): correct it."
        ) from error


def type_question(rules: Iterable[Rule], question: Question) -> tuple[str, str | None, str | None]:
    """(type, rule, where it matched: 'stem', 'whole' or 'options'); ('other', None, None) if none
    matches."""
    statement = None
    by_options = []
    for rule in rules:
        if rule.rule_pass == 4:
            by_options.append(rule)
            continue
        on_whole = rule.rule_pass == 3 or (rule.rule_pass == 1 and not question.stem)
        if statement or not rule.matches(question.whole if on_whole else question.stem, question):
            continue
        if rule.question_type:
            return rule.question_type, rule.rule_id, "whole" if on_whole else "stem"
        statement = rule.rule_id
    return _by_options(by_options, question, statement)


def _by_options(
    rules: list[Rule], question: Question, statement: str | None
) -> tuple[str, str | None, str | None]:
    """The theme that most of the options share; 'other' where two share as many, and where
    `statement`, the rule that says that statements are judged, leaves them without one."""
    points = [(rule.points(question), rule) for rule in rules]
    fewest = FEWEST_STATEMENT_POINTS if statement else FEWEST_POINTS
    most = max((n for n, _ in points), default=0)
    if most < fewest:
        return UNDECIDED, statement, "stem" if statement else None
    level = {rule.question_type: rule for n, rule in points if n == most}
    if level.keys() == DRUGS_GIVEN:
        level = {TREATMENT: level[TREATMENT]}
    if len(level) > 1:
        return UNDECIDED, MIXED, "options"
    best = next(iter(level.values()))
    return best.question_type or UNDECIDED, best.rule_id, "options"


def type_questions(questions: pa.Table, rules: pa.Table) -> pa.Table:
    """TYPED_SCHEMA, one row per row of `questions` (question_id, vignette, question_stem and the
    list `options`). `rules`: the rows of question_type_rules, pass and priority as integers."""
    compiled = compile_rules(rules.to_pylist())
    # thousands of questions ask with the same words, and the second pass reads nothing else
    by_stem: dict[str, list[Rule]] = {}
    typed = []
    for row in questions.to_pylist():
        question = Question(row["vignette"], row["question_stem"], row["options"])
        asked = question.stem
        if asked not in by_stem:
            by_stem[asked] = [
                r for r in compiled if r.rule_pass != 2 or r.reads or r.pattern.search(asked)
            ]
        question_type, rule_id, matched_in = type_question(by_stem[asked], question)
        typed.append((row["question_id"], question_type, rule_id, matched_in))
    columns = list(zip(*typed, strict=True)) or [() for _ in TYPED_SCHEMA]
    return pa.Table.from_arrays(
        [pa.array(c, f.type) for c, f in zip(columns, TYPED_SCHEMA, strict=True)],
        schema=TYPED_SCHEMA,
    )
