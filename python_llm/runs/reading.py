"""What a table of recorded answers says: answers by case, labels, and what cannot be used."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from python_llm.errors import FileError
from python_llm.imports.cells import MISSING, texts
from python_llm.imports.headings import kind_of
from python_llm.imports.numbered_rows import Row, numbered, place, sheet_of
from python_llm.imports.tables import roles
from python_llm.parsing.envelopes import unwrapped
from python_llm.parsing.folding import column_key, name_key
from python_llm.parsing.ordinals import ORDINALS, RANK_NOUNS
from python_llm.registries.label_spelling import is_doubted
from python_llm.runs.store import Diagnosis, ReadAnswer, ReadLabel

# What a column may be called, accents, case and punctuation aside. The first that is there counts.
ROLES = {
    "case": (
        *("case_id", "case", "caseid", "case_number", "id_case", "caso", "id_caso", "custom_id"),
        *("recordid",),
        *("sample_id", "patient_id", "patient", "patient_number", "paciente", "id_paciente"),
        *("record_id", "note_id", "episodio_anonimizado", "episodio", "id_episodio"),
        *("numero_episodio", "n_episodio", "nhc", "subject_id", "identifier", "identificador"),
        *("numero_de_caso", "numero_del_caso", "numero_do_caso", "no_do_caso", "n_do_caso"),
        *("codigo_do_caso", "codigo_del_caso", "codigo_de_caso", "code_du_cas", "codice_caso"),
        *("codice_del_caso", "caso_no", "caso_n"),
        *("id_do_caso", "fall", "fall_id", "fall_nr", "fallnummer"),
        *("cas", "id_cas", "numero_du_cas", "no_du_cas", "id_anonimizado", "id"),
    ),
    "gold": (
        *("gt", "gold", "gold_diagnosis", "golden_diagnosis", "ground_truth", "truth", "target"),
        *("gold_name", "true_diagnosis", "diagnostico_real", "correct_diagnosis", "y_true"),
        *("diagnostico_correcto", "expected_diagnosis", "reference_diagnosis", "gold_standard"),
        *("goldstandard", "estandar_de_oro", "padrao_ouro", "diagnostico_correto"),
        *("richtige_diagnose", "diagnostic_correct", "diagnosi_corretta"),
    ),
    "answer": (
        *(
            "answer",
            "answer_text",
            "response",
            "replies",
            "reply",
            "raw_response",
            "raw_answer",
            "output",
        ),
        *("completion", "model_output", "diagnosis_1", "diagnoses", "differential", "prediction"),
        *("predictions", "predict_diagnosis", "generation", "respuesta", "solution", "solutions"),
        *("filtered_resps", "resps", "completions", "generated_text"),
        *("differential_diagnoses", "differential_diagnosis", "diagnosticos_diferenciales"),
        *("model_answer", "final_answer", "modeloutput", "y_pred", "pred", "actual_output"),
        *("actualoutput", "attributes_output_value", "ddx"),
        *("respuesta_del_modelo", "resposta", "resposta_do_modelo", "antwort"),
        *("antwort_des_modells", "modellantwort", "reponse", "reponse_du_modele", "risposta"),
        "risposta_del_modello",
        *(
            "messages",
            "chat_messages",
            "conversation",
            "conversations",
            "mapping",
            "result",
            "outputs",
            "message",
            "chat",
        ),  # wrap it
    ),
    "rank": (
        *("rank", "diagnosis_rank", "position", "rango", "posicion", "rang", "rangplatz", "platz"),
        *("puesto", "classement", "posizione", "posicao"),
    ),
    "diagnosis": (
        *("diagnosis", "predicted_diagnosis", "predicted", "diagnosis_name", "name", "diagnostico"),
        *("diagnose", "diagnostic", "diagnosi", "dx"),
    ),
    "reasoning": ("reasoning", "explanation", "justification", "razonamiento"),
    "in_favour": ("in_favour", "in_favor", "symptoms_in_common", "a_favor"),
    "against": ("against", "symptoms_not_in_common", "en_contra"),
    "risk": ("risk", "riesgo"),
    "relation": (
        *("semantic_relation", "relation", "relationship", "semantic_relationship", "semantic"),
    ),
    "severity": ("severity", "predicted_severity", "severity_level", "severidad", "gravedad"),
    "probability": (
        *("probability", "prob", "likelihood", "confidence", "certainty", "posterior"),
        *("probability_pct", "probabilidad", "confianza", "verosimilitud"),
        *("wahrscheinlichkeit", "probabilite"),
    ),
    "gold_rank": ("score", "gold_rank", "gt_rank", "rank_of_gold", "label", "predict_rank"),
    "rater": (
        *("rater", "grader", "annotator", "reviewer", "clinician", "physician", "doctor"),
        *("expert", "evaluator", "judge", "rater_id", "evaluador", "medico", "clinico"),
        *("gutachter", "gutachterin", "arzt", "evaluateur", "medecin", "valutatore", "revisor"),
        *("avaliador", "avaliadora", "evaluadora", "revisora", "relecteur", "relectrice"),
        *("evaluatrice", "arztin", "medica", "bewerter", "bewerterin"),
    ),
}
WIDE_KINDS = ("diagnosis", "diagnostico", "dx", "rank", "top", "prediction", "pred", "predicted")
WIDE = re.compile(rf"(?:{'|'.join(WIDE_KINDS)})_?(\d{{1,2}})")
MODELS = (  # a column of whose lists
    *("model", "model_name", "model_id", "modelo", "modell", "modele", "modello", "llm", "system"),
    *("sistema", "chatbot", "ki", "engine", "arm", "assistant", "asistente", "ki_modell"),
)
# what stands beside the score of an assertion, which says whether a test passed and not a rank
ASSERTION = {"success", "pass", "passed", "grading_result", "gradingresult", "assertion"}
ASSERTION |= {"grader_reason", "named_scores"}
A_GOLD_RANK = re.compile(r"[\"'\s]*[pP]\d{1,2}[\"'\s.]*")
GOLD_RANK = re.compile(r"[\"'\s]*[pP]?\s*(\d{1,2})(?:[.,]0+)?[\"'\s.]*")
RANK = re.compile(
    rf"{RANK_NOUNS}?[#\s:]*(\d{{1,3}})(?:[.,]0+)?\s*(?:st|nd|rd|th|\.?[ºª°])?[\s.)]*",
    re.IGNORECASE,
)
ROMAN = dict(zip(("I", "II", "III", "IV", "V", "VI", "VII", "VIII"), range(1, 9), strict=True))
COUNTED_FROM_0 = 0.5  # share of the cases with ranks that begin at 0 where ranks are counted from 0
FEWEST_NAMED = 3  # rows that all carry the same name: it names the log, not a diagnosis
MOST_WITHOUT_FIRST = 2  # cases without a rank 1 that may be an accident
# how programs and people write that no diagnosis is the gold one; the first is RareBench's
NOT_IN_LIST = {"否", "no", "not found", "not in list", "not in the list", "not on the list"}
NOT_IN_LIST |= {"no esta", "no esta en la lista", "no aparece", "no figura"}
MOST_DIFFERING = 0.05  # share of rows whose golds may differ between answers and labels

REMEDIES = {
    "file_unreadable": "give the file again, whole and as UTF-8",
    "row_unreadable": "write the row as the others are",
    "no_case": "fill the column of the case",
    "case_unknown": "name a case of the test set, or check --test-set",
    "case_ambiguous": (
        "name the case by its case_id (kernel29 cases list SET prints them), or say --match order "
        "if the rows are in the order of the test set"
    ),
    "case_twice": (
        "keep one answer a case, or put the others (of a second epoch, say) into a file of their "
        "own and import it under another --model or --prompt; where each row is one diagnosis of a "
        "list, say its rank or probability in a column"
    ),
    "rank_unusable": "number the ranks 1, 2, 3, …",
    "probability_unusable": "write a share (0.45), or a percentage with its sign (45 %)",
    "rank_twice": "give each rank of a case one diagnosis",
    "label_unusable": "write P1, P2, … for the rank of the gold diagnosis, or P0 for none",
    "label_without_rater": "fill the column of the rater",
    "label_of_no_answer": "bring the answer in as well, or check the case",
    "label_of_other_gold": "put the rows in one order, or name the cases in a column",
    "label_of_other_diagnosis": (
        "bring the labels of this run; if they are its own, and name the diagnoses in other words, "
        "leave out their column of diagnoses"
    ),
}


@dataclass(frozen=True)
class Reject:
    """Something of a file that was set aside: where it stands, the rule (a key of REMEDIES), and
    the reason in a sentence."""

    source_file: str
    source_row: int
    case_ref: str | None
    rule: str
    reason: str

    @property
    def description(self) -> str:
        return f"{place(self.source_file, self.source_row)}: {self.reason}"


@dataclass
class Table:
    """A table somebody brings: its rows, and what it is called in messages. is_in_order: whatever
    it calls its cases, they are those of the test set in turn, `lost` rows included."""

    name: str
    rows: list[Row]
    columns: dict[str, str]  # column by role
    is_in_order: bool = False
    lost: Sequence[int] = ()  # numbers of rows of cases that could not be read
    odd_ids: Collection[str] = ()  # ids of cases that elsewhere say that there is no value: NA
    notes: Sequence[str] = ()


@dataclass
class Reading:
    """What was read: answers and their labels by the case as the file names it."""

    answers: dict[str, ReadAnswer] = field(default_factory=dict)
    labels: list[ReadLabel] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    case_of_row: list[str] = field(default_factory=list)  # as the rows of a case each stand
    golds: list[str] = field(default_factory=list)  # likewise
    rows_of: dict[str, list[int]] = field(default_factory=dict)  # numbers of rows used, by case
    is_by_order: bool = False


def table(name: str, rows: list[Row], assigned: Mapping[str, str], *others: Row) -> Table:
    """Rows with the roles of their columns; `assigned` says which column plays a role, `others` are
    rows of another file whose columns may be meant instead. Raises FileError for a column that is
    nowhere, or has two roles."""
    rows, notes = _of_one_form(rows, assigned)
    named = _as_present(assigned, [*rows, *others])
    named = {**_case_by_heading(rows), **named}
    roles([*rows, *others], ROLES, named)
    present = {column for row in rows for column in row.values}
    own = {role: column for role, column in named.items() if column in present}
    twice = [role for role, column in own.items() if list(own.values()).count(column) > 1]
    if twice:
        raise FileError(
            f"--column: '{own[twice[0]]}' of {name} is given as {' and '.join(sorted(twice))}: "
            "a column has one role; leave one of them out."
        )
    columns = {
        role: column
        for role, column in roles(rows, ROLES, own).items()
        if role in own or column not in own.values()
    }
    if {"answer", "diagnosis"}.isdisjoint(own) and _is_of_a_rank(rows, columns):
        columns["diagnosis"] = columns.pop("answer")
    if "diagnosis" not in own and is_name_of_call(rows, columns.get("diagnosis", "")):
        del columns["diagnosis"]
    if "gold_rank" not in own and _is_of_assertion(columns.get("gold_rank"), present):
        notes.append(
            f"'{columns.pop('gold_rank')}' says whether an assertion passed, not the rank of the "
            "gold diagnosis: no label was read from it."
        )
    elif "gold_rank" not in own and _is_right_or_wrong(rows, columns.get("gold_rank")):
        score = columns.pop("gold_rank")
        notes.append(
            f"'{score}' has only 1 and 0, which may say right and wrong as well as first and "
            f"absent: no label was read from it. If it has ranks, say --column gold_rank='{score}'."
        )
    if "gold_rank" not in own and "gold" not in columns and _has_golds(rows, columns):
        columns["gold"] = columns.pop("gold_rank")
        notes.append(f"'{columns['gold']}' has names: it is read as the gold diagnosis.")
    return Table(name, rows, columns, notes=notes)


def _of_one_form(rows: list[Row], assigned: Mapping[str, str]) -> tuple[list[Row], list[str]]:
    """The rows with one column for the case and one for the answer where each row has it under one
    of several usual names, as lines of several programs in one file do; and what to say of it."""
    notes = []
    for role in ("case", "answer"):
        present = {name: column_key(name) for row in rows for name in row.values}
        names = sorted(
            (name for name, key in present.items() if key in ROLES[role]),
            key=lambda name: ROLES[role].index(present[name]),
        )
        filled = [[n for n in names if value_of(row.values.get(n, ""))] for row in rows]
        used = [name for name in names if [name] in filled]
        is_taken = role in assigned or any(map(WIDE.fullmatch, present.values()))
        if is_taken or len(used) < 2 or max(map(len, filled)) > 1:
            continue
        rows = [
            row._replace(
                values={
                    **{n: text for n, text in row.values.items() if n not in names},
                    used[0]: row.values[own[0]] if own else "",
                }
            )
            for row, own in zip(rows, filled, strict=True)
        ]
        listed = ", ".join(f"'{name}'" for name in used)
        notes.append(f"Each row has the {role} under one of several names: {listed}.")
    return rows, notes


def _is_of_a_rank(rows: Sequence[Row], columns: Mapping[str, str]) -> bool:
    """Whether a column called an answer has one diagnosis of a list, by ranks that each case has
    once."""
    if "diagnosis" in columns or not {"case", "rank", "answer"} <= columns.keys():
        return False
    pairs = [tuple(row.values.get(columns[r], "") for r in ("case", "rank")) for row in rows]
    return len({*pairs}) == len(pairs) >= 2 * len({case for case, _ in pairs})


def is_name_of_call(rows: Sequence[Row], column: str) -> bool:
    """Whether a column 'name' says the same in all rows, as the name of a call does ('chat')."""
    written = {row.values.get(column, "") for row in rows}
    return column_key(column) == "name" and len(rows) >= FEWEST_NAMED and len(written) == 1


def _is_right_or_wrong(rows: list[Row], column: str | None) -> bool:
    """Whether a column called score has bare 1 and 0 alone."""
    written = {value_of(row.values.get(column or "", "")) for row in rows} - {""}
    is_bare = {text.removesuffix(".0").removesuffix(".00") for text in written} == {"0", "1"}
    return column_key(column or "") == "score" and is_bare


def _has_golds(rows: list[Row], columns: Mapping[str, str]) -> bool:
    """Whether a column 'label' beside answers has names of diagnoses and no ranks or marks."""
    column = columns.get("gold_rank", "")
    if column_key(column) != "label" or not {"answer", "diagnosis"} & columns.keys():
        return False
    written = [text for row in rows if (text := value_of(row.values.get(column, "")))]
    names = [text for text in written if sum(map(str.isalpha, text)) > 3]
    return len({*names}) > 3 and len(names) == len(written)


def _is_of_assertion(column: str | None, present: Collection[str]) -> bool:
    return column_key(column or "") == "score" and any(
        column_key(name) in ASSERTION for name in present
    )


def unread_columns(source: Table) -> list[str]:
    """The columns of a table that play no role."""
    taken = {*source.columns.values(), *(_wide(source.rows) if source.rows else ())}
    present = dict.fromkeys(name for row in source.rows for name in row.values if name)
    return [name for name in present if name not in taken]


def in_order(source: Table, lost: Sequence[int] = ()) -> Table:
    """A table whose rows are the cases of the test set in turn, by whatever name it calls them;
    `lost` are the numbers of rows that could not be read."""
    return replace(source, is_in_order=True, lost=lost)


def _case_by_heading(rows: list[Row]) -> dict[str, str]:
    """The column of the case, by the words of its heading, where none has a usual name."""
    names = list(dict.fromkeys(name for row in rows[:1] for name in row.values))
    if any(column_key(name) in ROLES["case"] for name in names):
        return {}
    cases = [name for name in names if (kind_of(name) or ("",))[0] == "record_id"]
    return {"case": cases[0]} if cases else {}


def _as_present(assigned: Mapping[str, str], rows: Iterable[Row]) -> dict[str, str]:
    """Columns as their files write them: headers come with trailing blanks and other capitals."""
    present = {name for row in rows for name in row.values}
    folded = {column_key(name): name for name in sorted(present, reverse=True)}
    return {
        role: column if column in present else folded.get(column_key(column), column)
        for role, column in assigned.items()
    }


def value_of(text: str) -> str:
    """A cell without blanks; '' for what stands for nothing."""
    stripped = text.strip()
    return "" if stripped.strip("\"'").strip().casefold() in MISSING else stripped


def gold_of(text: str) -> str:
    """A gold name as written; "['A', 'B']" is a list of names of one disease."""
    written = value_of(text)
    return " / ".join(texts(written, None) or []) if written.startswith("[") else written


def read_answers(source: Table, judge: str) -> Reading:
    """One answer a case, from rows of a case each or of a rank each, and the labels beside them."""
    reading = Reading()
    wide = _wide(source.rows)
    if len(wide) >= 2:
        _read_wide(source, wide, judge, reading)
    elif _is_by_rank(source.columns):
        _read_ranks(source, judge, reading)
    else:
        _read_texts(source, judge, reading)
    return reading


def _is_by_rank(columns: Mapping[str, str]) -> bool:
    return "rank" in columns and ("diagnosis" in columns or _is_nameless(columns))


def _is_nameless(columns: Mapping[str, str]) -> bool:
    """Labels of lists whose diagnoses nobody kept: the scores need no names."""
    return not {"diagnosis", "answer"} & columns.keys() and bool(
        {"relation", "severity"} & columns.keys()
    )


def _wide(rows: list[Row]) -> dict[str, int]:
    """The rank of each column of a table with diagnosis_1, diagnosis_2, …"""
    return {
        name: int(match[1])
        for name in rows[0].values
        if (match := WIDE.fullmatch(column_key(name)))
    }


class _Rows:
    """The rows of a table in turn, each with its values by role and the case it is of."""

    def __init__(self, source: Table, reading: Reading) -> None:
        self._source, self._reading = source, reading
        reading.is_by_order = source.is_in_order or "case" not in source.columns

    def __iter__(self) -> Iterator[tuple[Row, dict[str, str], str]]:
        places = (
            _positions(self._source) if self._reading.is_by_order else [0] * len(self._source.rows)
        )
        for position, row in zip(places, self._source.rows, strict=True):
            value = {
                role: value_of(row.values.get(column, ""))
                for role, column in self._source.columns.items()
            }
            if "case" in value and not value["case"]:
                written = row.values.get(self._source.columns["case"], "").strip()
                value["case"] = written if written in self._source.odd_ids else ""
            ref = str(position) if self._reading.is_by_order else value["case"]
            self._reading.case_of_row.append(ref)
            self._reading.golds.append(gold_of(value.get("gold", "")))
            if ref:
                yield row, value, ref
            else:
                self.reject(
                    row, None, "no_case", f"the column '{self._source.columns['case']}' is empty"
                )

    def reject(self, row: Row, ref: str | None, rule: str, reason: str) -> None:
        told = f"{reason}{sheet_of(row.values)}"
        self._reading.rejects.append(Reject(self._source.name, row.number, ref, rule, told))

    def answer(self, row: Row, value: Mapping[str, str], ref: str) -> ReadAnswer:
        """The answer of a case, a new one if the case is new."""
        answer = self._reading.answers.setdefault(
            ref,
            {
                "case_ref": ref,
                "gold_written": "",
                "answer_text": None,
                "diagnoses": [],
                "source_file": self._source.name,
                "source_row": row.number,
            },
        )
        self._reading.rows_of.setdefault(ref, []).append(row.number)
        answer["gold_written"] = answer["gold_written"] or gold_of(value.get("gold", ""))
        return answer


def _positions(source: Table) -> list[int]:
    """The place of each row among the cases of its file, from 1 on; a row that could not be read
    has its place too. Rows of a rank each share that of their case: a new one begins where the case
    is called otherwise or a rank comes again."""
    if not _is_by_rank(source.columns) or "case" not in source.columns:
        lost = sorted(source.lost)
        return [
            position + bisect_left(lost, row.number) for position, row in enumerate(source.rows, 1)
        ]
    case, rank = source.columns["case"], source.columns["rank"]
    keys = [
        (row.values.get(case, "").strip(), row.values.get(rank, "").strip()) for row in source.rows
    ]
    if len(set(keys)) == len(keys):  # wherever its ranks stand, a case has each of them once
        firsts = {ref: n for n, ref in enumerate(dict.fromkeys(ref for ref, _ in keys), 1)}
        return [firsts[ref] for ref, _ in keys]
    positions: list[int] = []
    before: tuple[str, set[str]] = ("", set())
    for ref, written in keys:
        if not positions or ref != before[0] or written in before[1]:
            positions.append(positions[-1] + 1 if positions else 1)
            before = (ref, {written})
        else:
            positions.append(positions[-1])
            before[1].add(written)
    return positions


def _read_texts(source: Table, judge: str, reading: Reading) -> None:
    columns = source.columns
    if "answer" not in columns:
        if "diagnosis" not in columns:
            raise FileError(_no_answer(source))
        columns["answer"] = columns.pop("diagnosis")
    rows = _Rows(source, reading)
    for row, value, ref in rows:
        if ref in reading.answers:
            first = numbered(source.name, reading.answers[ref]["source_row"])
            rows.reject(row, ref, "case_twice", f"case '{ref}' is already in {first}")
            continue
        text = row.values.get(columns["answer"], "")
        rows.answer(row, value, ref)["answer_text"] = unwrapped(text)
        _take_gold_rank(value.get("gold_rank", ""), ref, row, judge, source.name, reading)


def _no_answer(source: Table) -> str:
    """What to say of a table in which no column is known to have the answers."""
    columns = source.columns
    present = ", ".join(repr(name) for name in source.rows[0].values)
    known = f"{source.name} has no column for the answer (found {present}): "
    refs = [row.values.get(columns.get("case", ""), "") for row in source.rows]
    if "rank" in columns:
        return f"{known}name that of the diagnosis at each rank with --column diagnosis=NAME."
    if "case" in columns and 2 * len({*refs}) <= len(refs):
        return (
            f"{known}each case has several rows. If each is one diagnosis of a list, name the "
            "columns with --column diagnosis=NAME --column rank=NAME."
        )
    return (
        f"{known}name it with --column answer=NAME; diagnoses of one rank each are read from "
        "columns called diagnosis_1, diagnosis_2, …, or rank and diagnosis."
    )


def _read_ranks(source: Table, judge: str, reading: Reading) -> None:
    if "case" not in source.columns:
        raise FileError(
            f"{source.name} has one row a rank and no column that says which case it is: name it "
            "with --column case=NAME."
        )
    if not source.is_in_order:
        _check_ranks(source)
    is_nameless = _is_nameless(source.columns)
    rows = _Rows(source, reading)
    taken: set[tuple[str, int]] = set()
    for row, value, ref in rows:
        rank = rank_of(value["rank"])
        if rank is None:
            role = "probability" if "probability" in source.columns else "rank"
            rows.reject(row, ref, f"{role}_unusable", f"case '{ref}': no {role} can be read")
            continue
        if (ref, rank) in taken:
            rows.reject(row, ref, "rank_twice", f"case '{ref}' has rank {rank} twice")
            continue
        taken.add((ref, rank))
        answer = rows.answer(row, value, ref)
        diagnosis = f"Unnamed diagnosis {rank}" if is_nameless else value["diagnosis"]
        if diagnosis:
            answer["diagnoses"].append(_item(rank, diagnosis, value))
        if value.get("relation") or value.get("severity"):
            reading.labels.append(label(value, ref, rank, place(source.name, row.number), judge))
    for answer in reading.answers.values():
        answer["diagnoses"].sort(key=lambda item: item["rank"] or 0)
    reading.case_of_row = list(reading.answers)
    reading.golds = [answer["gold_written"] for answer in reading.answers.values()]
    if is_nameless:
        reading.notes.append(
            "The rows name no diagnoses: their labels are scored, and whoever judges names, the "
            "terminology judge too, finds them unrelated."
        )


def _check_ranks(source: Table) -> None:
    """Raise FileError for ranks that are counted from 0: a rank is never another number than the
    file says."""
    columns = source.columns
    first: dict[str, int] = {}
    for row in source.rows:
        ref, written = (row.values.get(columns[role], "").strip() for role in ("case", "rank"))
        if ref and (rank := number_of_rank(written)) is not None:
            first[ref] = min(rank, first.get(ref, rank))
    n_from_0 = list(first.values()).count(0)
    if n_from_0 and n_from_0 >= COUNTED_FROM_0 * len(first):
        raise FileError(
            f"{source.name}: in {n_from_0} of {len(first)} cases the column '{columns['rank']}' "
            "counts the ranks from 0: add 1 to each, so that the first diagnosis has rank 1."
        )
    if len(first) > MOST_WITHOUT_FIRST and min(first.values()) > 1:
        raise FileError(
            f"{source.name}: the column '{columns['rank']}' has no rank 1 in any of {len(first)} "
            f"cases, and begins with {min(first.values())}: number the diagnoses of a case 1, 2, 3."
        )


def _read_wide(source: Table, wide: Mapping[str, int], judge: str, reading: Reading) -> None:
    if 0 in wide.values():
        column = next(name for name, rank in wide.items() if not rank)
        raise FileError(
            f"{source.name}: the columns of the ranks begin with '{column}', so they count from 0: "
            f"name them from 1 on ('{re.sub('0$', '1', column)}', …)."
        )
    rows = _Rows(source, reading)
    for row, value, ref in rows:
        if ref in reading.answers:
            first = numbered(source.name, reading.answers[ref]["source_row"])
            rows.reject(row, ref, "case_twice", f"case '{ref}' is already in {first}")
            continue
        named = sorted((rank, value_of(row.values.get(name, ""))) for name, rank in wide.items())
        rows.answer(row, value, ref)["diagnoses"] = [
            _item(rank, diagnosis, {}) for rank, diagnosis in named if diagnosis
        ]
        _take_gold_rank(value.get("gold_rank", ""), ref, row, judge, source.name, reading)


def _item(rank: int, diagnosis: str, value: Mapping[str, str]) -> Diagnosis:
    return {
        "rank": rank,
        "diagnosis": diagnosis,
        "reasoning": value.get("reasoning") or None,
        "in_favour": value.get("in_favour") or None,
        "against": value.get("against") or None,
        "risk": value.get("risk") or None,
    }


def _take_gold_rank(
    written: str, ref: str, row: Row, judge: str, name: str, reading: Reading
) -> None:
    if not written:
        return
    rank = gold_rank_of(written)
    if rank is None:
        reading.rejects.append(_no_gold_rank(name, row, ref, written))
    else:
        where = place(name, row.number)
        reading.labels.append(gold_rank_label(rank, written, ref, where, judge))


def _no_gold_rank(name: str, row: Row, ref: str, written: str) -> Reject:
    return Reject(
        name,
        row.number,
        ref,
        "label_unusable",
        f"'{written[:40]}' is not a rank of the gold diagnosis",
    )


def rank_of(written: str) -> int | None:
    """A rank from 1 on ('2', '2.', '#2', '2nd', '2º', 'Top 2'); None for anything else."""
    return number_of_rank(written) or None


def number_of_rank(written: str) -> int | None:
    """The number that a rank is written as, 0 too: 'IV' and '④' are 4, 'second' is 2; None for
    anything else."""
    if match := RANK.fullmatch(written):
        return int(match[1])
    bare = written.strip(" .)")
    in_circle = unicodedata.numeric(bare, None) if len(bare) == 1 and not bare.isalpha() else None
    circled = int(in_circle) if in_circle and in_circle.is_integer() else None
    return ROMAN.get(bare) or ORDINALS.get(bare.casefold()) or circled


def gold_rank_of(written: str) -> int | None:
    """'P2', '2', '"P2"': the second diagnosis is the gold one; 'P0', '0', '否': none is. None: it
    cannot be read."""
    if not is_doubted(written) and name_key(written) in NOT_IN_LIST:
        return 0
    match = GOLD_RANK.fullmatch(written)
    return int(match[1]) if match else None


def label(value: Mapping[str, str], ref: str, rank: int, where: str, judge: str) -> ReadLabel:
    """The label of one rank, in the layout of store.LABELS."""
    return {
        "case_ref": ref,
        "diagnosis_rank": rank,
        "judge_id": judge,
        "semantic_relation": value.get("relation") or None,
        "severity": value.get("severity") or None,
        "is_gold_rank": False,
        "label_written": value.get("relation") or value.get("severity"),
        "source": where,
    }


def gold_rank_label(rank: int, written: str, ref: str, where: str, judge: str) -> ReadLabel:
    """What the rank of the gold diagnosis says, in the layout of store.LABELS."""
    return {
        "case_ref": ref,
        "diagnosis_rank": rank,
        "judge_id": judge,
        "semantic_relation": "Exact Synonym" if rank else None,
        "severity": None,
        "is_gold_rank": True,
        "label_written": written,
        "source": where,
    }


def read_labels(
    source: Table,
    answers: Reading,
    judge_of: Callable[[str], str],
    case_of: Callable[[list[str], list[str]], dict[str, str]],
) -> tuple[list[ReadLabel], list[Reject]]:
    """Labels from a file of their own: by case and rank, or the gold diagnosis' rank by case.

    Of several raters, in a column that names them or with a column of ranks each, whom `judge_of`
    makes judges. Without a column of the case the rows are those of the answers; `case_of` finds
    the answers' cases for references that are written otherwise, with their golds.
    """
    columns = source.columns
    by_rank = "rank" in columns and ("relation" in columns or "severity" in columns)
    ranks = _columns_of_gold_ranks(source, by_rank=by_rank)
    if by_rank and "case" in columns:
        _check_ranks(source)
    reading = Reading()
    rows = _Rows(source, reading)
    if reading.is_by_order and (
        by_rank or "rater" in columns or len(source.rows) != len(answers.case_of_row)
    ):
        raise FileError(
            f"{source.name} has {len(source.rows)} rows for {len(answers.case_of_row)} answers and "
            "no column that says which case each is: name it with --column case=NAME."
        )
    taken = list(_of_answers(rows, source, reading, answers, case_of))
    # what is the same at every rank of a case is its gold diagnosis
    named = {(ref, value.get("diagnosis", "")) for _, value, ref in taken}
    has_list = len(named) > len({ref for ref, _ in named})
    for row, value, ref in taken:
        if "rater" in columns and not value["rater"]:
            rows.reject(row, ref, "label_without_rater", "no rater")
            continue
        for rater, column in ranks.items():
            judge = judge_of(value.get("rater", "") or (rater if len(ranks) > 1 else ""))
            other = _other_diagnosis(value, answers.answers[ref]) if by_rank and has_list else ""
            if other:
                rows.reject(row, ref, "label_of_other_diagnosis", other)
            elif by_rank:
                _take_rank_label(rows, row, value, ref, judge, source.name, reading)
            else:
                written = value_of(row.values.get(column, ""))
                _take_gold_rank(written, ref, row, judge, source.name, reading)
    return reading.labels, reading.rejects


def _columns_of_gold_ranks(source: Table, *, by_rank: bool) -> dict[str, str]:
    """By rater ('' for the only one) the column with the rank of the gold diagnosis. Raises
    FileError where labels are neither there nor by rank."""
    if by_rank or "gold_rank" in source.columns:
        return {"": source.columns.get("gold_rank", "")}
    ranks = {name: name for name in source.rows[0].values if _holds_gold_ranks(source, name)}
    if not ranks:
        raise FileError(
            f"{source.name} has no labels: give the columns rank and semantic_relation (or "
            "severity), or gold_rank (P1, P2, … for the rank of the gold diagnosis, P0 for none)."
        )
    return ranks


def _of_answers(
    rows: _Rows, source: Table, reading: Reading, answers: Reading, case_of: Callable[..., Any]
) -> Iterator[tuple[Row, dict[str, str], str]]:
    """The rows of labels whose answer is there, each with its values and the reference of the
    answer. The others are set aside."""
    values = list(rows)
    refs = _answers_of(values, reading, answers, case_of)
    if reading.is_by_order:
        _check_order(source, reading, answers)
    # of a case that is there twice, the first row is the answer
    first = {ref: position for position, ref in reversed(list(enumerate(answers.case_of_row)))}
    in_order = [
        ref if first[ref] == position else "" for position, ref in enumerate(answers.case_of_row)
    ]
    for number, (row, value, written_ref) in enumerate(values):
        ref = in_order[number] if reading.is_by_order else refs.get(written_ref, "")
        if ref not in answers.answers:
            if not reading.is_by_order:
                reason = f"case '{written_ref}' is not among the answers"
                rows.reject(row, written_ref, "label_of_no_answer", reason)
        elif reading.is_by_order and _differ(reading.golds[number], answers.golds[number]):
            reason = "another gold diagnosis than the answer in the same place"
            rows.reject(row, ref, "label_of_other_gold", reason)
        else:
            yield row, value, ref


def _other_diagnosis(value: Mapping[str, str], answer: ReadAnswer) -> str:
    """The reason why a label is not of the diagnosis at its rank of an answer that is recorded by
    rank: it names one without a word in common. Names may be shortened or written otherwise."""
    labelled = value.get("diagnosis", "")
    at_rank = [
        item["diagnosis"] for item in answer["diagnoses"] if item["rank"] == rank_of(value["rank"])
    ]
    words = [set(name_key(name).split()) for name in (labelled, *at_rank)]
    if len(at_rank) != 1 or not all(words) or words[0] & words[1]:
        return ""
    return f"the label is of '{labelled}', and rank {value['rank']} of the answer '{at_rank[0]}'"


def _take_rank_label(
    rows: _Rows,
    row: Row,
    value: Mapping[str, str],
    ref: str,
    judge: str,
    name: str,
    reading: Reading,
) -> None:
    rank = rank_of(value["rank"])
    if rank is None:
        rows.reject(row, ref, "rank_unusable", f"case '{ref}': no rank can be read")
    elif value.get("relation") or value.get("severity"):
        reading.labels.append(label(value, ref, rank, place(name, row.number), judge))


def _holds_gold_ranks(source: Table, name: str) -> bool:
    """Whether everything a column says is a rank of the gold diagnosis, written P2."""
    written = [text for row in source.rows if (text := value_of(row.values.get(name, "")))]
    return bool(written) and all(map(A_GOLD_RANK.fullmatch, written))


def _answers_of(
    taken: list[tuple[Any, ...]], reading: Reading, answers: Reading, case_of: Callable[..., Any]
) -> dict[str, str]:
    """The reference of the answers' file for each of the labels' file."""
    golds = {ref: gold_of(value.get("gold", "")) for _, value, ref in taken}
    same = [ref for ref in golds if ref in answers.answers]
    if reading.is_by_order or 2 * len(same) >= len(golds):
        return {ref: ref for ref in same}
    return case_of(list(golds), list(golds.values()))


def _differ(gold: str, other: str) -> bool:
    return bool(gold and other) and name_key(gold) != name_key(other)


def _check_order(source: Table, reading: Reading, answers: Reading) -> None:
    """Rows of two files are paired by their order only if their golds are the same."""
    pairs = list(zip(source.rows, reading.golds, answers.golds, strict=True))
    odd = [pair for pair in pairs if _differ(pair[1], pair[2])]
    n_given = sum(bool(gold and other) for _, gold, other in pairs)
    if len(odd) > MOST_DIFFERING * n_given:
        row, _, _ = odd[0]
        raise FileError(
            f"{place(source.name, row.number)}: another gold diagnosis than the answer in "
            f"the same place ({len(odd)} such rows): the rows of the two files do not correspond; "
            "name the cases of both in a column."
        )
