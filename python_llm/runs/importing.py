"""`kernel29 runs import`: a file of recorded answers becomes answers of a configuration."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa
from rapidfuzz import fuzz

from python_llm.errors import FileError
from python_llm.labels.spelling import meant, registry, spellings_of
from python_llm.runs import store
from python_llm.tables import Row, fold, read_table, roles, texts

# What a column may be called, accents, case and punctuation aside. The first that is there counts.
ROLES = {
    "case": (
        *("case_id", "case", "caseid", "case_number", "id_case", "caso", "id_caso", "custom_id"),
        *("sample_id", "patient_id", "patient", "patient_number", "paciente", "id_paciente"),
        *("record_id", "id"),
    ),
    "gold": (
        *("gt", "gold", "gold_diagnosis", "golden_diagnosis", "ground_truth", "truth", "target"),
        *("gold_name", "true_diagnosis", "diagnostico_real"),
    ),
    "answer": (
        *(
            "answer",
            "answer_text",
            "response",
            "raw_response",
            "raw_answer",
            "output",
            "completion",
        ),
        *("model_output", "diagnosis_1", "diagnoses", "differential", "prediction", "predictions"),
        *("generation", "respuesta"),
    ),
    "rank": ("rank", "diagnosis_rank", "position", "rango", "posicion"),
    "diagnosis": (
        *("diagnosis", "predicted_diagnosis", "predicted", "diagnosis_name", "name", "diagnostico"),
    ),
    "reasoning": ("reasoning", "explanation", "justification", "razonamiento"),
    "in_favour": ("in_favour", "in_favor", "symptoms_in_common", "a_favor"),
    "against": ("against", "symptoms_not_in_common", "en_contra"),
    "risk": ("risk", "riesgo"),
    "relation": (
        *("semantic_relation", "relation", "relationship", "semantic_relationship", "semantic"),
    ),
    "severity": ("severity", "predicted_severity", "severity_level", "severidad", "gravedad"),
    "gold_rank": ("score", "gold_rank", "gt_rank", "rank_of_gold", "label"),
    "rater": (
        *("rater", "grader", "annotator", "reviewer", "clinician", "physician", "doctor"),
        *("expert", "evaluator", "judge", "rater_id", "evaluador", "medico", "clinico"),
    ),
}
A_GOLD_RANK = re.compile(r"[\"'\s]*[pP]\d{1,2}[\"'\s.]*")
WIDE_KINDS = ("diagnosis", "diagnostico", "dx", "rank", "top", "prediction")
WIDE = re.compile(rf"(?:{'|'.join(WIDE_KINDS)})_?(\d{{1,2}})")
ALIAS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")
MODELS = ("model", "model_name", "model_id", "modelo", "llm", "system")  # a column of whose lists
LEAST_ALIKE = 60  # rapidfuzz token_set_ratio, 0 to 100, from which two names may be one disease
MOST_SHOWN = 10  # rows named in a report


@dataclass
class Report:
    """What an import did: counts, and what the person should know, row by row."""

    n_answers: int = 0
    n_new: int = 0
    n_unchanged: int = 0
    n_labels: int = 0
    matched_by: str = ""
    notes: list[str] = field(default_factory=list)


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
                    f"{name} '{value}' is no alias: use letters, digits, '_', '-' and '.'."
                )

    @property
    def configuration_id(self) -> str:
        return f"{self.model}/{self.prompt}/{self.test_set}"


def import_run(
    path: Path,
    run: Run,
    runs_dir: Path,
    served: Path | None = None,
    labels: Path | None = None,
    columns: Mapping[str, str] | None = None,
    replace: bool = False,
) -> Report:
    """Read `path` (and `labels`), check it against the served cases, and store it.

    One row of `path` is a case with the raw answer, or one rank of a case. Cases are matched by
    case id or number, without one by row order. `columns` maps a role of ROLES to a column.
    Importing the same again changes nothing; an answer that differs from what is stored is an
    error unless `replace`. Nothing is written unless everything is right: FileError says why.
    """
    given = dict(columns or {})
    wanted = [*given.values(), *(name for names in ROLES.values() for name in names)]
    wanted += [f"{kind}_{rank}" for kind in WIDE_KINDS for rank in range(1, 6)]
    rows = _long(read_table(path, wanted))
    label_rows = read_table(labels, wanted) if labels else []
    roles([*rows, *label_rows], ROLES, given)  # a column of either file
    names = roles(rows, ROLES, _of_columns(given, rows))
    report = Report()
    answers, judged = _records(rows, names, run, path, report.notes)
    report.n_answers = len(answers)
    report.matched_by = "case" if "case" in names else "row order"
    if labels is not None:
        label_names = roles(label_rows, ROLES, _of_columns(given, label_rows))
        judged += _label_records(labels, label_rows, label_names, run, answers)
    _check_cases(answers, run, path, served, report)
    report.notes += _as_in_registry(judged)
    places = ("judge_id", "case_ref", "diagnosis_rank")
    report.n_labels = len({tuple(row[name] for name in places) for row in judged})
    report.n_new, report.n_unchanged = store.save(
        runs_dir, run.configuration_id, answers, judged, replace=replace, source=path.name
    )
    return report


def _of_columns(given: Mapping[str, str], rows: list[Row]) -> dict[str, str]:
    """What was given about the columns of one file."""
    present = {name for row in rows for name in row.values}
    return {role: column for role, column in given.items() if column in present}


def _long(rows: list[Row]) -> list[Row]:
    """One row a rank of a table with columns diagnosis_1, diagnosis_2, …; others as they are."""
    wide = {name: int(found[1]) for name in rows[0].values if (found := WIDE.fullmatch(fold(name)))}
    if len(wide) < 2:
        return rows
    return [
        Row(
            row.number,
            {
                **{name: value for name, value in row.values.items() if name not in wide},
                "rank": str(rank),
                "diagnosis": row.values.get(column, ""),
                "case_id": next(
                    (
                        value
                        for name, value in row.values.items()
                        if fold(name) in ROLES["case"] and value.strip()
                    ),
                    str(position),
                ),
            },
        )
        for position, row in enumerate(rows, 1)
        for column, rank in wide.items()
    ]


def _records(
    rows: list[Row], names: dict[str, str], run: Run, path: Path, notes: list[str]
) -> tuple[list[dict], list[dict]]:
    """Answers, one a case, and the labels that stand beside ranks."""
    # labels of lists whose diagnoses nobody kept: the scores need no names
    is_nameless = not {"diagnosis", "answer"} & names.keys() and bool(
        {"relation", "severity"} & names.keys()
    )
    by_rank = "rank" in names and ("diagnosis" in names or is_nameless)
    if not by_rank and "answer" not in names:
        if "diagnosis" not in names:
            present = ", ".join(repr(name) for name in rows[0].values)
            raise FileError(
                f"{path.name} has no column for the answer (found {present}): name it with "
                "--column answer=NAME, or give the columns rank and diagnosis."
            )
        names["answer"] = names.pop("diagnosis")
    if by_rank and "case" not in names:
        raise FileError(
            f"{path.name} has one row a rank and no column that says which case it is: name it "
            "with --column case=NAME."
        )
    answers: dict[str, dict] = {}
    judged: list[dict] = []
    for position, row in enumerate(rows, 1):
        value = {role: row.values.get(column, "").strip() for role, column in names.items()}
        case_ref = value["case"] if "case" in names else str(position)
        where = f"{path.name}, row {row.number}"
        if not case_ref:
            raise FileError(f"{where}: no case: fill the column '{names['case']}'.")
        answer = answers.setdefault(
            case_ref,
            {
                "case_ref": case_ref,
                "is_by_order": "case" not in names,
                "gold_written": _gold(value.get("gold", "")),
                "answer_text": None,
                "diagnoses": [],
                "source_file": path.name,
                "source_row": row.number,
                **_of(run),
            },
        )
        if not by_rank:
            if answer["source_row"] != row.number:
                raise FileError(
                    f"{where}: case '{case_ref}' is already in row {answer['source_row']}: keep "
                    "one answer a case."
                )
            answer["answer_text"] = row.values.get(names["answer"], "")
            if value.get("gold_rank"):
                judged.append(_gold_rank(value["gold_rank"], case_ref, where, run, run.judge))
            continue
        rank = _rank(value["rank"], where)
        if any(item["rank"] == rank for item in answer["diagnoses"]):
            raise FileError(
                f"{where}: case '{case_ref}' has rank {rank} twice: number the ranks 1, 2, 3, …"
                + _of_models(rows)
            )
        diagnosis = f"Unnamed diagnosis {rank}" if is_nameless else value["diagnosis"]
        if diagnosis:
            answer["diagnoses"].append(
                {
                    "rank": rank,
                    "diagnosis": diagnosis,
                    **{
                        role: value.get(role) or None
                        for role in ("reasoning", "in_favour", "against", "risk")
                    },
                }
            )
        if value.get("relation") or value.get("severity"):
            judged.append(_label(value, case_ref, rank, where, run, run.judge))
    if is_nameless and by_rank:
        notes.append(
            "The rows name no diagnoses: their labels are scored, and whoever judges names, the "
            "terminology judge too, finds them unrelated."
        )
    for answer in answers.values():
        answer["diagnoses"].sort(key=lambda item: item["rank"])
        answer["content_hash"] = _hash(answer)
    return list(answers.values()), judged


def _of_models(rows: list[Row]) -> str:
    """What to do if the lists are of several models."""
    models = {row.values[name] for row in rows for name in row.values if fold(name) in MODELS}
    if len(models) < 2:
        return ""
    return (
        f" The lists are of {len(models)} models: keep those of one, or bring judged lists in all "
        "at once with kernel29 labels import."
    )


def _label_records(
    path: Path, rows: list[Row], names: dict[str, str], run: Run, answers: list[dict]
) -> list[dict]:
    """Labels from a file of their own: by case and rank, or the gold diagnosis' rank by case.

    Of several raters, in a column that names them or with a column of ranks each.
    """
    by_rank = "rank" in names and ("relation" in names or "severity" in names)
    columns = {"": names.get("gold_rank", "")}
    if not by_rank and "gold_rank" not in names:
        columns = {name: name for name in rows[0].values if _holds_gold_ranks(rows, name)}
    if not columns:
        raise FileError(
            f"{path.name} has no labels: give the columns rank and semantic_relation (or "
            "severity), or gold_rank (P1, P2, … for the rank of the gold diagnosis, P0 for none)."
        )
    if "case" not in names and (by_rank or "rater" in names or len(rows) != len(answers)):
        raise FileError(
            f"{path.name} has {len(rows)} rows for {len(answers)} answers and no column that says "
            "which case each is: name it with --column case=NAME."
        )
    known = {answer["case_ref"] for answer in answers}
    judged = []
    for row, answer in zip(rows, answers if "case" not in names else rows, strict=False):
        value = {role: row.values.get(column, "").strip() for role, column in names.items()}
        where = f"{path.name}, row {row.number}"
        case_ref = value["case"] if "case" in names else answer["case_ref"]
        if case_ref not in known:
            raise FileError(f"{where}: case '{case_ref}' is not among the answers.")
        if "rater" in names and not value["rater"]:
            raise FileError(f"{where}: no rater: fill the column '{names['rater']}'.")
        for rater, column in columns.items():
            judge = _judge(run, value.get("rater", "") or (rater if len(columns) > 1 else ""))
            if by_rank:
                rank = _rank(value["rank"], where)
                judged.append(_label(value, case_ref, rank, where, run, judge))
            elif written := row.values.get(column, "").strip():
                gold = _gold(value.get("gold", ""))
                if "case" not in names and gold and answer["gold_written"] not in ("", gold):
                    raise FileError(
                        f"{where}: gold diagnosis '{gold}' where the answer has "
                        f"'{answer['gold_written']}': the rows of the two files do not correspond."
                    )
                judged.append(_gold_rank(written, case_ref, where, run, judge))
    return judged


def _holds_gold_ranks(rows: list[Row], name: str) -> bool:
    """Whether everything a column says is a rank of the gold diagnosis, written P2."""
    written = [text for row in rows if (text := row.values.get(name, "").strip())]
    return bool(written) and all(map(A_GOLD_RANK.fullmatch, written))


def _judge(run: Run, rater: str) -> str:
    """Whose a label is: the judge's, or a rater's of the panel that the judge then names."""
    if not rater:
        return run.judge
    if run.judge == Run.judge:
        raise FileError("The labels are of several raters: name their panel with --judge.")
    panel, name = run.judge.partition("/")[0], re.sub(r"[\s/]+", "_", rater)
    return f"{panel}/{name}"


def _of(run: Run) -> dict[str, str]:
    return {
        "configuration_id": run.configuration_id,
        "model_alias": run.model,
        "prompt_alias": run.prompt,
        "test_set": run.test_set,
        "prompt_version": run.prompt_version,
        "output_format": run.output_format,
        "model_family": run.family or run.model,
    }


def _label(
    value: dict[str, str], case_ref: str, rank: int, where: str, run: Run, judge: str
) -> dict:
    return {
        "configuration_id": run.configuration_id,
        "case_ref": case_ref,
        "diagnosis_rank": rank,
        "judge_id": judge,
        "semantic_relation": value.get("relation") or None,
        "severity": value.get("severity") or None,
        "is_gold_rank": False,
        "source": where,
    }


def _as_in_registry(judged: list[dict]) -> list[str]:
    """Labels as the registry has them, where it is clear which is meant; a note on the others."""
    notes = []
    for column, (scale, known) in zip(
        ("semantic_relation", "severity"), spellings_of(()).items(), strict=True
    ):
        unknown = []
        for label in judged:
            written = label[column]
            if written and (label_meant := meant(written, known)):
                label[column] = label_meant
            elif written:
                unknown.append(f"{label['source']}: '{written[:40]}'")
        if unknown:
            notes.append(
                f"{len(unknown)} labels of the scale {scale} are none that is known and count as "
                f"unlabelled; write one of {', '.join(registry(scale))}: "
                f"{'; '.join(unknown[:MOST_SHOWN])}{'; …' if len(unknown) > MOST_SHOWN else ''}"
            )
    return notes


def _gold_rank(text: str, case_ref: str, where: str, run: Run, judge: str) -> dict:
    """'P2': the second diagnosis is the gold one; 'P0': none is."""
    found = re.fullmatch(r"[\"'\s]*P?\s*(\d{1,2})[\"'\s.]*", text, re.IGNORECASE)
    if not found:
        raise FileError(
            f"{where}: '{text[:40]}' is no rank of the gold diagnosis: write P1, P2, … or P0."
        )
    rank = int(found[1])
    return {
        "configuration_id": run.configuration_id,
        "case_ref": case_ref,
        "diagnosis_rank": rank,
        "judge_id": judge,
        "semantic_relation": "Exact Synonym" if rank else None,
        "severity": None,
        "is_gold_rank": True,
        "source": where,
    }


def _rank(text: str, where: str) -> int:
    if not re.fullmatch(r"\d{1,3}", text) or int(text) == 0:
        raise FileError(f"{where}: '{text[:20]}' is no rank: number the ranks 1, 2, 3, …")
    return int(text)


def _gold(text: str) -> str:
    """A gold name as written; "['A', 'B']" is a list of names of one disease."""
    return " / ".join(texts(text, None) or []) if text.strip().startswith("[") else text.strip()


def _hash(answer: dict) -> str:
    """sha256 of what was answered, for telling the same answer from another one."""
    said = repr((answer["answer_text"], [tuple(item.values()) for item in answer["diagnoses"]]))
    return hashlib.sha256(said.encode()).hexdigest()


def _check_cases(
    answers: list[dict], run: Run, path: Path, served: Path | None, report: Report
) -> None:
    """Compare with the served cases, if the test set is served already."""
    cases = _served_cases(served, run.test_set)
    if not cases:
        report.notes.append(
            f"Test set '{run.test_set}' is not served yet: the cases are matched at the next "
            "build, and rpt_recorded_run then says what is missing."
        )
        return
    known = {str(case["case_number"]): case for case in cases}
    if not answers[0]["is_by_order"]:  # an id goes before the number of another case
        known |= {case["record_id"]: case for case in cases if case.get("record_id")}
        known |= {case["case_id"].removeprefix(run.test_set + "/"): case for case in cases}
        known |= {case["case_id"]: case for case in cases}
    matched: dict[str, dict] = {}
    strangers = []
    for answer in answers:
        case = known.get(answer["case_ref"])
        if case is None:
            strangers.append(answer)
        elif case["case_id"] in matched:
            raise FileError(
                f"{path.name}, row {answer['source_row']}: case '{case['case_id']}' is also in row "
                f"{matched[case['case_id']]['source_row']}: keep one."
            )
        else:
            matched[case["case_id"]] = answer
    if strangers:
        listed = ", ".join(
            f"row {answer['source_row']} ('{answer['case_ref'][:40]}')"
            for answer in strangers[:MOST_SHOWN]
        )
        raise FileError(
            f"{path.name}: {len(strangers)} of {len(answers)} answers are of no case of "
            f"'{run.test_set}' ({len(cases)} cases): {listed}. Name the column of the case with "
            "--column case=NAME, or check --test-set."
        )
    missing = [case["case_id"] for case in cases if case["case_id"] not in matched]
    if missing and answers[0]["is_by_order"]:
        golds = sum(bool(answer["gold_written"]) for answer in answers)
        if not golds:
            raise FileError(
                f"{path.name} has {len(answers)} rows for {len(cases)} cases of '{run.test_set}' "
                "and neither a case nor a gold diagnosis in them: which are missing cannot be "
                "told. Add a column case_id."
            )
    if missing:
        report.notes.append(
            f"{len(missing)} of {len(cases)} cases have no answer (status missing_from_run): "
            + ", ".join(missing[:MOST_SHOWN])
            + (", …" if len(missing) > MOST_SHOWN else "")
        )
    _check_gold(matched, {case["case_id"]: case for case in cases}, path, report)


def _check_gold(
    matched: dict[str, dict], cases: dict[str, dict], path: Path, report: Report
) -> None:
    """Gold names are written in many ways; a file in another order agrees almost nowhere."""
    compared = {key: answer for key, answer in matched.items() if answer["gold_written"]}
    odd = [
        (answer, cases[key])
        for key, answer in compared.items()
        if fuzz.token_set_ratio(
            fold(answer["gold_written"]).replace("_", " "),
            fold(cases[key]["gold_diagnosis"]).replace("_", " "),
        )
        < LEAST_ALIKE
    ]
    listed = "; ".join(
        f"row {answer['source_row']} has '{answer['gold_written'][:50]}', case "
        f"{case['case_id']} '{case['gold_diagnosis'][:50]}'"
        for answer, case in odd[:MOST_SHOWN]
    )
    by_order = any(answer["is_by_order"] for answer in compared.values())
    if by_order and compared and len(odd) > len(compared) / 2:
        raise FileError(
            f"{path.name}: {len(odd)} of {len(compared)} gold diagnoses are not those of the case "
            f"in the same place: {listed}. The order differs or rows are missing: add a column "
            "case_id."
        )
    if odd:
        report.notes.append(
            f"{len(odd)} of {len(compared)} gold diagnoses are worded differently: {listed}"
        )


def _served_cases(served: Path | None, test_set: str) -> list[dict]:
    if served is None or not served.is_file():
        return []
    with duckdb.connect(str(served), read_only=True) as database:
        table: pa.Table = database.execute(
            # record_id is not there in what an older build served
            "select columns('^(case_id|record_id|case_number|gold_diagnosis)$') from dim_case "
            "where test_set = ? order by case_number",
            [test_set],
        ).to_arrow_table()
    return table.to_pylist()
