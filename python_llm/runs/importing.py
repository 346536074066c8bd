"""`kernel29 runs import`: a file of recorded answers becomes answers of a configuration."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from pathlib import Path
from typing import Literal

from python_llm import seeds
from python_llm.errors import FileError
from python_llm.imports.numbered_rows import HEADER_AGAIN, Row
from python_llm.imports.tables import LEAST_USABLE, read_table
from python_llm.imports.workbooks import FORMULA
from python_llm.parsing.folding import column_key
from python_llm.registries.label_spelling import registry, resolve_label, spellings_of
from python_llm.runs import event_logs, nested, objects, store
from python_llm.runs.answerers import ANSWERERS, of_answerer
from python_llm.runs.by_text import with_texts_named
from python_llm.runs.cases import Case, KnownSets
from python_llm.runs.matching import MOST_SHOWN, Match, match, of_several, shared_ids
from python_llm.runs.mistaken import (
    check_no_gold_ranks,
    check_no_golds,
    check_not_in_part,
    check_one_answer,
    with_cases_named,
    with_golds_apart,
    without_golds,
)
from python_llm.runs.of_run import PROMPTS, named_after, of_model, of_prompt
from python_llm.runs.reading import (
    MODELS,
    REMEDIES,
    ROLES,
    WIDE_KINDS,
    Reading,
    Reject,
    Table,
    in_order,
    read_answers,
    read_labels,
    table,
    unread_columns,
    value_of,
)
from python_llm.runs.sideways import upright
from python_llm.runs.store import Answer, Label, ReadAnswer, RowGold, StoredReject
from python_llm.runs.unreadable import about_unreadable
from python_llm.runs.weights import ranked

OF_RUNS = {*ANSWERERS, *PROMPTS}  # columns that say whose a row is
ALIAS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")


@dataclass
class Report:
    """What an import did: counts, and what the person should know, row by row."""

    configuration_id: str
    n_answers: int = 0
    n_new: int = 0
    n_unchanged: int = 0
    n_missing: int = 0
    n_labels: int = 0
    matched_by: str = ""
    rejects: list[Reject] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unknown_labels: list[str] = field(default_factory=list)  # those of the notes that are on labels
    unread: list[str] = field(default_factory=list)  # columns that play no role

    @property
    def line(self) -> str:
        """The import in one line."""
        return (
            f"{self.configuration_id}: {self.n_answers} answers, {self.n_new} new, "
            f"{self.n_unchanged} stored before; {self.n_missing} cases without one; "
            f"{self.n_labels} labels; {len(self.rejects)} set aside; cases matched by "
            f"{self.matched_by}."
        )


def check_judge(judge: str, whose: str) -> None:
    """Raise FileError if imported labels would be taken for those of a judge that runs here."""
    registered = {row["judge_id"] for row in seeds.read("seeds/experiments/judges.csv")}
    if judge == "judges" or judge in registered:
        raise FileError(
            f"--judge {judge} is a judge of seeds/experiments/judges.csv: {whose} labels need a "
            "name of their own."
        )


@dataclass(frozen=True)
class Run:
    """The configuration the answers are of, as named on the command line."""

    model: str
    prompt: str
    test_set: str
    output_format: str = "numbered_list"
    prompt_version: str = "recorded"
    family: str = ""
    judge: str = "recorded_labels"

    def __post_init__(self) -> None:
        for name, value in (
            ("--model", self.model),
            ("--prompt", self.prompt),
            ("--test-set", self.test_set),
            # a rater is named with the panel
            *(("--judge", part) for part in self.judge.split("/", 1)),
        ):
            if not ALIAS.fullmatch(value):
                raise FileError(
                    f"{name} '{value}' is not an alias: use letters, digits, '_', '-' and '.'."
                )
        check_judge(self.judge.split("/", 1)[0], "recorded")

    @property
    def configuration_id(self) -> str:
        return f"{self.model}/{self.prompt}/{self.test_set}"


@dataclass(frozen=True)
class Source:
    """Rows of answers or of labels, what they are called, and what of them could not be read."""

    name: str
    rows: list[Row]
    rejects: Sequence[Reject] = ()
    is_of_files: bool = False  # a file is a row, and its name the case
    notes: Sequence[str] = ()  # on cells that were read as empty


def read_source(file: Path, columns: Mapping[str, str]) -> Source:
    """The rows of a file; `columns` are names of columns that may be there too, by role."""
    wanted = [*columns.values(), *(name for names in ROLES.values() for name in names)]
    wanted += MODELS  # of a survey with a column for each case nothing else may be known
    wanted += [f"{kind}_{rank}" for kind in WIDE_KINDS for rank in range(1, 6)]
    rejects: list[Reject] = []

    def reject(number: int | None, _: str, reason: str) -> None:
        rejects.append(Reject(file.name, number or 0, None, "row_unreadable", reason))

    notes: list[str] = []
    rows = read_table(file, wanted, reject, notes.append)
    known = {column_key(role) for role in wanted}
    is_json = file.suffix.lower() == ".json"
    rows = nested.rows_within(rows) if is_json else event_logs.rows_of(rows)
    rows = objects.rows_of(rows, known, is_json=is_json, answer=columns.get("answer"))
    return Source(file.name, rows, rejects, notes=[n for n in notes if FORMULA in n])


def import_run(
    source: Source,
    run: Run,
    runs_dir: Path,
    sets: KnownSets,
    labels: Source | None = None,
    columns: Mapping[str, str] | None = None,
    replace: bool = False,
    asked: str | None = None,
) -> Report:
    """Match the answers of `source` with the cases of the run's test set, and store them.

    One row is a case with the raw answer, or one rank of a case. `columns` maps a role of ROLES to
    a column; `asked` says how cases are matched (matching.ASKED). What cannot be used is set aside
    with its reason; importing the same again changes nothing; an answer that differs from what is
    stored is an error unless `replace`. FileError, and nothing is written, if less than half can be
    used or the golds contradict the cases.
    """
    if not source.rows:
        raise _too_little(source.name, 0, len(source.rejects), "rows", list(source.rejects))
    columns_by_role = dict(columns or {})
    source, of_others = _upright_of_run(source, run, columns_by_role, sets)
    labels, others = _of_run(labels, run) if labels is not None else (None, [])
    of_others += others
    answers = _answers_of(source, columns_by_role, labels.rows if labels else (), asked, run, sets)
    reading = read_answers(answers, run.judge)
    matched, rejects = _matched(reading, source, run, sets, asked)
    check_no_golds(answers, columns_by_role, reading, matched, sets.golds(run.test_set))
    if labels is not None:
        file = _label_table(labels, columns_by_role, answers, reading, is_by_order=asked == "order")
        rejects += [*labels.rejects, *_add_labels(reading, file, matched, run, sets)]
    _check_labels(labels.name if labels else source.name, reading, rejects)
    kept, judged = _of_cases_matched(reading, matched, run)
    answered = store.answered(runs_dir, run.configuration_id)
    missing, about_missing = _missing(kept, answered, sets.cases(run.test_set))
    unknown_labels = _as_in_registry(judged)
    notes = [*answers.notes, *reading.notes, *matched.notes, *unknown_labels]
    notes += [*about_missing, *about_unreadable(kept, source.name), *of_others]
    n_new, n_unchanged = store.save(
        runs_dir,
        run.configuration_id,
        kept,
        judged,
        replace=replace,
        source=source.name,
        rejects=[_stored(reject, run) for reject in rejects],
    )
    return Report(
        run.configuration_id,
        n_answers=len(kept),
        n_new=n_new,
        n_unchanged=n_unchanged,
        n_missing=len(missing),
        n_labels=len({(row["judge_id"], row["case_id"], row["diagnosis_rank"]) for row in judged}),
        matched_by=matched.description,
        rejects=rejects,
        notes=notes,
        unknown_labels=unknown_labels,
        unread=[name for name in unread_columns(answers) if column_key(name) not in OF_RUNS],
    )


def _answers_of(
    source: Source,
    columns: Mapping[str, str],
    others: Iterable[Row],
    asked: str | None,
    run: Run,
    sets: KnownSets,
) -> Table:
    """The table of answers; in the order of the test set if nothing, or nothing that is to count,
    says which cases they are of."""
    is_by_order = asked == "order"
    cases = sets.cases(run.test_set)
    inside = nested.opened(source.rows, columns, cases, run.test_set, is_by_order=is_by_order)
    answers = table(source.name, inside.rows, {**inside.columns, **columns}, *others)
    answers.notes = [*inside.notes, *answers.notes]
    answers.odd_ids = {ref for case in cases if (ref := case.record_id) and not value_of(ref)}
    if not is_by_order:
        answers = with_cases_named(answers, cases, run.test_set)
        answers = with_texts_named(answers, sets.texts(run.test_set), cases, run.test_set)
    if is_by_order or "case" not in answers.columns:
        answers = in_order(answers, _lost(source))
    answers = with_golds_apart(ranked(answers), columns)
    check_not_in_part(answers, columns)
    check_one_answer(answers, columns)
    check_no_gold_ranks(answers, columns)
    return answers


def _matched(
    reading: Reading, source: Source, run: Run, sets: KnownSets, asked: str | None
) -> tuple[Match, list[Reject]]:
    """The cases of the answers, and what was set aside so far. Raises FileError for a file of which
    less than half can be used: it is another one than it is taken for."""
    rejects = [*source.rejects, *reading.rejects]
    n_rows = len(source.rows) + len(source.rejects)
    cases = sets.cases(run.test_set)
    shared = shared_ids(reading.answers, cases)
    rejects = [_of_shared(reject, shared, run.test_set, cases) for reject in rejects]
    if not reading.answers:
        raise _too_little(source.name, 0, n_rows, "rows", rejects)
    matched = match(
        reading.answers,
        reading.is_by_order,
        run.test_set,
        sets,
        source.name,
        asked,
        is_of_files=source.is_of_files,
    )
    rejects += [
        replace_fields(reject, source_row=number)
        for reject in matched.rejects
        for number in reading.rows_of[reject.case_ref or ""]
    ]
    n_used = sum(len(reading.rows_of[ref]) for ref in matched.cases)
    if n_used == 0 or n_used < LEAST_USABLE * n_rows:
        raise _too_little(source.name, n_used, n_rows, "rows", rejects)
    return matched, rejects


def _lost(source: Source) -> list[int]:
    """The numbers of rows of cases that could not be read; a header that comes again is no row."""
    return [reject.source_row for reject in source.rejects if reject.reason != HEADER_AGAIN]


def _of_shared(
    reject: Reject, shared: Mapping[str, int], test_set: str, cases: list[Case]
) -> Reject:
    """A second answer to an id that several cases have is the answer to another of them."""
    n_cases = shared.get(reject.case_ref or "", 0)
    if reject.rule != "case_twice" or not n_cases:
        return reject
    reason = of_several(n_cases, reject.case_ref or "", test_set, cases)
    return replace_fields(reject, rule="case_ambiguous", reason=reason)


def _label_table(
    labels: Source,
    columns: Mapping[str, str],
    answers: Table,
    reading: Reading,
    *,
    is_by_order: bool,
) -> Table:
    """The table of a file of labels; in the order of the answers if that is to count."""
    file = table(labels.name, labels.rows, columns, *answers.rows)
    return in_order(file) if is_by_order and len(file.rows) == len(reading.case_of_row) else file


def _add_labels(
    reading: Reading, file: Table, matched: Match, run: Run, sets: KnownSets
) -> list[Reject]:
    """Add the labels of a file of their own to what was read; those that cannot be used."""
    labels, rejects = read_labels(
        file,
        reading,
        lambda rater: _judge(run, rater),
        lambda refs, golds: _cases_of(refs, golds, matched, run, sets, file.name),
    )
    reading.labels += labels
    return rejects


def _of_cases_matched(
    reading: Reading, matched: Match, run: Run
) -> tuple[list[Answer], list[Label]]:
    """Answers and labels of the cases that were matched, as the store has them."""
    answers = [
        _answer(answer, matched, ref, run)
        for ref, answer in reading.answers.items()
        if ref in matched.cases
    ]
    labels: list[Label] = [
        {
            **label,
            "configuration_id": run.configuration_id,
            "case_id": matched.cases[label["case_ref"]].case_id,
        }
        for label in reading.labels
        if label["case_ref"] in matched.cases
    ]
    return answers, labels


def _upright_of_run(
    source: Source, run: Run, columns: Mapping[str, str], sets: KnownSets
) -> tuple[Source, list[str]]:
    """The rows of the run in a file of answers, and what to say of them and of the others; of a
    table that lies on its side a row for each case."""
    cases = sets.cases(run.test_set)
    rows, notes = upright(source.name, source.rows, columns, cases, run.test_set)
    source, of_others = _of_run(replace_fields(source, rows=rows), run, columns)
    return source, [*source.notes, *notes, *of_others]


def _of_run(
    source: Source, run: Run, answers: Mapping[str, str] | None = None
) -> tuple[Source, list[str]]:
    """The rows of the run's model and prompt, and what to say of the others. Of a file of `answers`
    (its columns by role), whose model may be called otherwise, without the rows of golds."""
    # first the prompt: its sheets are then none of models
    rows, others = of_prompt(source.name, source.rows, run.prompt)
    rows, notes = of_model(source.name, rows, run.model, may_differ=answers is not None)
    taken = {*(answers or {}).values()}
    rows, of_others = of_answerer(source.name, rows, run.model, taken)
    notes += [*others, *of_others]
    if answers is not None and rows:
        rows, of_golds = without_golds(source.name, rows, answers)
        rows, of_name = named_after(source.name, rows, run.model, answers)
        notes += [*of_golds, *of_name]
    return replace_fields(source, rows=rows), notes


def _check_labels(name: str, reading: Reading, rejects: list[Reject]) -> None:
    unusable = [reject for reject in rejects if reject.rule.startswith("label_")]
    n_given = len(reading.labels) + len(unusable)
    if unusable and len(reading.labels) < LEAST_USABLE * n_given:
        raise _too_little(name, len(reading.labels), n_given, "labels", unusable)


def _too_little(
    name: str, n_used: int, n_given: int, unit: str, rejects: list[Reject]
) -> FileError:
    if not rejects:
        return FileError(f"{name} holds no answer: check the path.")
    counts = Counter(reject.rule for reject in rejects)
    (rule, _), *_ = counts.most_common(1)
    example = next(reject for reject in rejects if reject.rule == rule)
    kinds = ", ".join(f"{kind}: {count}" for kind, count in counts.items())
    return FileError(
        f"{name}: {n_used} of {n_given} {unit} can be used, less than half ({kinds}): "
        f"{example.description}; {REMEDIES[rule]}."
    )


def _cases_of(
    refs: list[str],
    golds: list[str],
    matched: Match,
    run: Run,
    sets: KnownSets,
    name: str,
) -> dict[str, str]:
    """The answers' references of the cases that a file of labels calls otherwise."""
    rows: dict[str, RowGold] = {
        ref: {"gold_written": gold, "source_row": number}
        for number, (ref, gold) in enumerate(zip(refs, golds, strict=True), 1)
    }
    cases = match(rows, False, run.test_set, sets, name).cases
    ref_of = {case.case_id: ref for ref, case in matched.cases.items()}
    return {ref: ref_of[case.case_id] for ref, case in cases.items() if case.case_id in ref_of}


def _judge(run: Run, rater: str) -> str:
    """Whose a label is: the judge's, or a rater's of the panel that the judge then names."""
    if not rater:
        return run.judge
    if run.judge == Run.judge:
        raise FileError("The labels are of several raters: name their panel with --judge.")
    panel, name = run.judge.partition("/")[0], re.sub(r"[\s/]+", "_", rater)
    return f"{panel}/{name}"


def _answer(answer: ReadAnswer, matched: Match, ref: str, run: Run) -> Answer:
    return {
        **answer,
        "configuration_id": run.configuration_id,
        "model_alias": run.model,
        "model_family": run.family or run.model,
        "prompt_alias": run.prompt,
        "prompt_version": run.prompt_version,
        "output_format": run.output_format,
        "test_set": run.test_set,
        "case_id": matched.cases[ref].case_id,
        "matched_by": matched.how.value,
        "gold_agreement": matched.agreement[ref].value,
        "content_hash": _hash(answer),
    }


def _stored(reject: Reject, run: Run) -> StoredReject:
    return {
        "configuration_id": run.configuration_id,
        "source_file": reject.source_file,
        "source_row": reject.source_row,
        "case_ref": reject.case_ref,
        "rule": reject.rule,
        "reason": reject.reason,
        "remedy": REMEDIES[reject.rule],
    }


def _missing(
    answers: list[Answer], before: set[str], cases: list[Case]
) -> tuple[list[str], list[str]]:
    """The cases that have no answer, now or of a file `before`, and a sentence on them: they stay
    in every denominator."""
    answered = before | {answer["case_id"] for answer in answers}
    missing = [case.case_id for case in cases if case.case_id not in answered]
    if not missing:
        return [], []
    listed = ", ".join(missing[:MOST_SHOWN]) + (", …" if len(missing) > MOST_SHOWN else "")
    return missing, [
        f"{len(missing)} of {len(cases)} cases have no answer and count as failures (status "
        f"missing_from_run): {listed}. If they were never asked, import the answers for a test set "
        "of the asked cases only (docs/recorded-runs.md)."
    ]


def _as_in_registry(judged: list[Label]) -> list[str]:
    """Labels as the registry has them, where it is clear which is meant; a note on the others."""
    notes = []
    columns: tuple[Literal["semantic_relation", "severity"], ...] = (
        "semantic_relation",
        "severity",
    )
    for column, (scale, known) in zip(columns, spellings_of(()).items(), strict=True):
        unknown: dict[str, list[str]] = {}
        for label in judged:
            written = label[column]
            if written and (resolved := resolve_label(written, known)):
                label[column] = resolved
            elif written:
                unknown.setdefault(written, []).append(label["source"])
        if unknown:
            wordings = [
                f"'{written[:40]}' ({len(places):,}, first in {places[0]})"
                for written, places in unknown.items()
            ]
            more = "; …" if len(wordings) > MOST_SHOWN else ""
            notes.append(
                f"Not on the {scale} scale, and counted as unlabelled: "
                f"{'; '.join(wordings[:MOST_SHOWN])}{more}. Write one of "
                f"{', '.join(registry(scale))}."
            )
    return notes


def _hash(answer: ReadAnswer) -> str:
    """sha256 of what was answered, for telling the same answer from another one."""
    content = repr((answer["answer_text"], [tuple(item.values()) for item in answer["diagnoses"]]))
    return hashlib.sha256(content.encode()).hexdigest()
