"""What a table of recorded answers would be mistaken for, by the columns that it leaves unread."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from python_llm.errors import FileError
from python_llm.imports.numbered_rows import Row
from python_llm.imports.tables import roles
from python_llm.parsing.envelopes import unwrapped
from python_llm.parsing.folding import column_key, name_key
from python_llm.parsing.leading import FIRST_KEY
from python_llm.parsing.records import LONGEST_NAME
from python_llm.runs.cases import Case
from python_llm.runs.golds import Agreement, Golds
from python_llm.runs.matching import Match, by_id
from python_llm.runs.reading import (
    ROLES,
    WIDE,
    Reading,
    Table,
    number_of_rank,
    unread_columns,
    value_of,
)

# Values of a column that tells the gold diagnosis of a case from a model's, folded.
GOLDS = {
    *("gold", "gold_standard", "goldstandard", "gold_diagnosis", "gold_label", "gt", "truth"),
    *("ground_truth", "groundtruth", "reference", "reference_standard", "reference_diagnosis"),
    *("target", "expected", "true_diagnosis", "correct_diagnosis", "human_gold", "referencia"),
    *("patron_oro", "diagnostico_real", "verdad", "referenz", "wahrheit", "verite"),
}
MOST_CLASSES = 3  # values of a column that only sorts answers: passed, failed, refused
MOST_SOURCES = 12  # values of a column that says whose a row is
MOSTLY = 0.9  # share of the rows in which an unread column has ids, or the golds, and no accident
FEWEST = 3  # cases by which a column of golds is recognised
# A token that may be an id: letters and digits, or at least four of either.
_TOKEN = re.compile(r"(?=\w*\d)\w*[^\W\d]\w*|\w{4,}|\w+(?:[-/]\w+)+")


def with_cases_named(source: Table, cases: Sequence[Case], test_set: str) -> Table:
    """A table without a column of cases, with the unread column that holds their ids as one.
    Raises FileError as `column_of_cases` does."""
    if "case" in source.columns:
        return source
    columns = [*unread_columns(source)]
    by_role = source.columns
    if "answer" in by_role and column_key(by_role.get("diagnosis", "")) == "name":
        # of a conversation, whose answer stands elsewhere
        columns.insert(0, by_role["diagnosis"])
        by_role = {role: name for role, name in by_role.items() if role != "diagnosis"}
    column = column_of_cases(source.name, source.rows, columns, cases, test_set)
    if column is None:
        return source
    note = f"The column '{column}' holds the ids of cases: it says whose each row is."
    return replace(source, columns={**by_role, "case": column}, notes=[*source.notes, note])


def column_of_cases(
    name: str, rows: Sequence[Row], columns: Iterable[str], cases: Sequence[Case], test_set: str
) -> str | None:
    """The one of some columns that holds the ids of cases; None if none does.

    Raises FileError if a column numbers the rows of the file `name` otherwise than they stand, or
    names the cases among other words: their order is then not that of the test set.
    """
    for column in columns:
        written = [value_of(row.values.get(column, "")) for row in rows]
        named = by_id([*dict.fromkeys(written)], test_set, list(cases))
        if len(named) > 1 and sum(text in named for text in written) >= MOSTLY * len(written):
            return column
        if _is_other_order(written) or _is_of_ids(written, cases, test_set):
            raise FileError(
                f"{name}: no column is known to say which case a row is of, and the column "
                f"'{column}' ('{written[0][:40]}', …) names them in another order than they stand: "
                f"say --column case='{column}' if it holds ids or numbers, write a column case_id, "
                "or say --match order if the rows are in the order of the test set."
            )
    return None


def _is_other_order(written: Sequence[str]) -> bool:
    """Whether the values are the numbers of the rows, from 0 or from 1 on, in another order."""
    if len(written) < 2 or not all(text.isdecimal() for text in written):
        return False
    numbers = [int(text) for text in written]
    return sorted(numbers) != numbers and sorted(numbers) in (
        [*range(len(numbers))],
        [*range(1, len(numbers) + 1)],
    )


def _is_of_ids(written: Sequence[str], cases: Sequence[Case], test_set: str) -> bool:
    """Whether nearly every value has the id of one case among its words, each of another case."""
    tokens = [set(_TOKEN.findall(text)) if len(text) <= LONGEST_NAME else set() for text in written]
    named = by_id([*dict.fromkeys(t for words in tokens for t in words)], test_set, list(cases))
    of_rows = [{named[token].case_id for token in words if token in named} for words in tokens]
    of_one = [next(iter(ids)) for ids in of_rows if len(ids) == 1]
    return len(of_one) >= max(2, MOSTLY * len(written)) and len(set(of_one)) == len(of_one)


def with_golds_apart(source: Table, assigned: Mapping[str, str]) -> Table:
    """A table of ranks whose column of diagnoses says the same at every rank of a case: that is
    the gold diagnosis, and the ranked names are in the one other column that differs by rank.
    Raises FileError if several do."""
    column = source.columns.get("diagnosis")
    is_by_rank = {"case", "rank"} <= source.columns.keys()
    if column is None or not is_by_rank or "diagnosis" in assigned:
        return source
    if not _is_of_cases(source, column):
        return source
    others = [*unread_columns(source), *filter(None, [source.columns.get("answer")])]
    ranked = [other for other in others if other != column and _is_of_ranks(source, other)]
    if not ranked:
        return source
    if len(ranked) > 1:
        raise FileError(
            f"{source.name}: the column '{column}' says the same at every rank of a case, so it is "
            f"the gold diagnosis, and {len(ranked)} other columns ({', '.join(ranked)}) differ by "
            f"rank: name the ranked one with --column diagnosis=NAME --column gold='{column}'."
        )
    columns = {role: name for role, name in source.columns.items() if name not in ranked}
    columns |= {"diagnosis": ranked[0], "gold": columns.get("gold", column)}
    note = (
        f"'{column}' says the same at every rank of a case: it is read as the gold diagnosis, and "
        f"'{ranked[0]}' as the ranked diagnoses."
    )
    return replace(source, columns=columns, notes=[*source.notes, note])


def without_golds(
    name: str, rows: Sequence[Row], assigned: Mapping[str, str]
) -> tuple[list[Row], list[str]]:
    """The rows of answers in a file called `name` whose column says of some rows that they are gold
    diagnoses, with the gold diagnosis beside them, and what to say of it. Others as they are."""
    present = {role: column for role, column in assigned.items() if column in rows[0].values}
    columns = {**roles(rows, ROLES, {}), **present}
    named = columns.get("diagnosis") or columns.get("answer")
    taken = {columns.get(role) for role in ("case", "diagnosis", "answer", "gold", "rank")}
    for column in rows[0].values:
        if column in taken or WIDE.fullmatch(column_key(column)):
            continue
        written = [column_key(value_of(row.values.get(column, ""))) for row in rows]
        marks = set(written) & GOLDS
        if not marks or marks == {*written} or len({*written}) > MOST_SOURCES:
            continue
        golds: dict[str, str] = {}
        case, header = columns.get("case"), columns.get("gold", "gold")
        kept = [row for row, text in zip(rows, written, strict=True) if text not in GOLDS]
        if case and named:
            for row, text in zip(rows, written, strict=True):
                if text in GOLDS and (gold := value_of(row.values.get(named, ""))):
                    golds.setdefault(value_of(row.values.get(case, "")), gold)
            kept = [_with_gold(row, header, golds, case) for row in kept]
        note = (
            f"{name}: {len(rows) - len(kept)} rows are '{sorted(marks)[0]}' in the column "
            f"'{column}': they are read as the gold diagnoses, not as answers."
        )
        return kept, [note]
    return list(rows), []


def _with_gold(row: Row, header: str, golds: Mapping[str, str], case: str) -> Row:
    gold = row.values.get(header) or golds.get(value_of(row.values.get(case, "")), "")
    return row._replace(values={**row.values, header: gold})


def check_no_gold_ranks(source: Table, assigned: Mapping[str, str]) -> None:
    """Raise FileError for a table with one diagnosis a case whose rank is not always 1: nobody
    lists a third diagnosis alone, so it has the gold diagnoses and where a model had them."""
    columns = source.columns
    if not {"case", "rank", "diagnosis"} <= columns.keys() or "diagnosis" in assigned:
        return
    if {"relation", "severity", "probability"} & columns.keys():
        return
    refs = [value_of(row.values.get(columns["case"], "")) for row in source.rows]
    if len(refs) < FEWEST or len({*refs}) < len(refs):
        return
    ranks = [number_of_rank(row.values.get(columns["rank"], "").strip()) for row in source.rows]
    n_others = sum(rank != 1 for rank in ranks)
    if n_others:
        raise FileError(
            f"{source.name}: each case has one row, and in {n_others} of {len(refs)} the column "
            f"'{columns['rank']}' is not 1: these look like gold diagnoses, each with its rank in "
            "a model's list, and not like answers. Bring ranks in with kernel29 labels import "
            f"FILE --column gold_rank='{columns['rank']}'; if these are the answers, write every "
            f"rank of a case, or say --column diagnosis='{columns['diagnosis']}'."
        )


def check_one_answer(source: Table, assigned: Mapping[str, str]) -> None:
    """Raise FileError if two columns may be the answer and say different things: one of them may be
    the gold diagnosis, in whatever language."""
    answer = source.columns.get("answer")
    if answer is None or "answer" in assigned or "rank" in source.columns:
        return
    read = [_words(row, answer) for row in source.rows]
    for other in unread_columns(source):
        if column_key(other) not in ROLES["answer"] or not _has_names(source, other):
            continue
        if all(_only_asks(row.values.get(other, "")) for row in source.rows):
            continue
        texts = [_words(row, other) for row in source.rows]
        pairs = [(text, own) for text, own in zip(texts, read, strict=True) if text and own]
        n_other = sum(text not in own and own not in text for text, own in pairs)
        if len({*texts}) > min(MOST_CLASSES, len(texts) / 2) and 2 * n_other > len(pairs):
            raise FileError(
                f"{source.name}: both '{answer}' and '{other}' may be the answer, and they say "
                f"different things in {n_other} of {len(pairs)} rows: say which one is with "
                f"--column answer=NAME, and with --column gold=NAME if the other one is the gold "
                "diagnosis."
            )


def _only_asks(written: str) -> bool:
    """Whether a cell has turns of a conversation of which none is the model's."""
    is_of_turns = written.startswith("[{") and '"role"' in written
    return is_of_turns and unwrapped(written) == written


def _words(row: Row, column: str) -> str:
    """What a cell says, folded, out of what a provider wrapped it in."""
    return name_key(value_of(unwrapped(row.values.get(column, ""))))


def _values_by_case(source: Table, column: str) -> dict[str, list[str]]:
    """What a column says of each case that has several rows."""
    values: dict[str, list[str]] = defaultdict(list)
    for row in source.rows:
        values[row.values.get(source.columns["case"], "")].append(
            value_of(row.values.get(column, ""))
        )
    return {case: written for case, written in values.items() if len(written) > 1}


def _is_of_cases(source: Table, column: str) -> bool:
    values = _values_by_case(source, column)
    return len(values) > 1 and all(len(set(written)) == 1 for written in values.values())


def _is_of_ranks(source: Table, column: str) -> bool:
    """Whether most cases have names in a column that differ by rank."""
    values = _values_by_case(source, column).values()
    differ = [
        len(set(written)) == len(written) and any(c.isalpha() for c in "".join(written))
        for written in values
    ]
    return 2 * sum(differ) > len(differ)


def check_not_in_part(source: Table, assigned: Mapping[str, str]) -> None:
    """Raise FileError if the most likely diagnosis stands in a column beside that of the others."""
    answer = source.columns.get("answer")
    if answer is None or "answer" in assigned:
        return
    lead = [name for name in unread_columns(source) if FIRST_KEY.fullmatch(column_key(name))]
    named = source.columns.get("diagnosis")
    if named and not {"rank", "gold"} & source.columns.keys() and "differ" in column_key(answer):
        lead.append(named)
    if lead:
        raise FileError(
            f"{source.name}: '{lead[0]}' stands beside '{answer}', which would be read alone: "
            "write one list with the most likely diagnosis first (diagnosis_1, diagnosis_2, …), "
            f"or say --column gold='{lead[0]}' if it is the gold diagnosis, or --column "
            f"answer='{answer}' if that has all."
        )


def check_no_golds(
    source: Table, assigned: Mapping[str, str], reading: Reading, matched: Match, golds: Golds
) -> None:
    """Raise FileError if what was read as answers are the gold diagnoses: one name each, nearly
    always that of the case, beside columns of other texts that were not read."""
    if {"gold"} & source.columns.keys() or {"answer", "diagnosis"} & assigned.keys():
        return
    column = source.columns.get("answer") or source.columns.get("diagnosis")
    others = [
        name for name in unread_columns(source) if name != column and _has_names(source, name)
    ]
    names = {ref: _only_name(reading, ref) for ref in matched.cases}
    if column is None or not others or len(names) < FEWEST or not all(names.values()):
        return
    pairs = [(name, matched.cases[ref].case_id) for ref, name in names.items()]
    n_same = golds.compare(pairs).count(Agreement.SAME)
    if n_same >= MOSTLY * len(pairs):
        raise FileError(
            f"{source.name}: '{column}' has the gold diagnosis in {n_same} of {len(pairs)} cases, "
            f"and {', '.join(others[:3])} would not be read: name the answers with --column "
            "answer=NAME (a diagnosis a column: call them diagnosis_1, diagnosis_2, …) and this "
            f"one with --column gold='{column}', or say --column answer='{column}' if these are "
            "the answers."
        )


def _has_names(source: Table, column: str) -> bool:
    """Whether most rows have words in a column, and not all the same."""
    written = [value_of(row.values.get(column, "")) for row in source.rows]
    has_words = [any(letter.isalpha() for letter in text) for text in written]
    return 2 * sum(has_words) > len(written) and len(set(written)) > 1


def _only_name(reading: Reading, ref: str) -> str:
    """The answer of a case where it is one name; '' otherwise."""
    answer = reading.answers[ref]
    if answer["diagnoses"]:
        return answer["diagnoses"][0]["diagnosis"] if len(answer["diagnoses"]) == 1 else ""
    text = (answer["answer_text"] or "").strip()
    is_name = len(text) <= LONGEST_NAME and "\n" not in text and not text.startswith(("{", "["))
    return text if is_name else ""
