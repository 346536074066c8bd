"""Which case each answer is of: by the user's own ids, by our ids, by number, or by order.

Ids go first. Numbers and order are taken only where nothing else is there, and gold names have to
agree with them; whether numbers are counted from 0 or from 1, the golds say.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from python_llm.errors import FileError
from python_llm.imports.numbered_rows import numbered
from python_llm.imports.spoilt_ids import OF_DATES, entry_of, is_date
from python_llm.runs.cases import Case, KnownSets
from python_llm.runs.golds import Agreement
from python_llm.runs.reading import Reject
from python_llm.runs.store import RowGold

MOST_OTHER = 0.05  # share of golds that may be those of another case
MOST_ODD = 0.5  # share of golds that may read otherwise, whatever the reason
NAME_COLUMN = "name the column of the case with --column case=NAME"
NAME_FILES = (
    "name each file as its case and nothing else (C01.txt), those of each model in a folder of its "
    "own, or give a table with the columns case_id and answer"
)
# words before a number that are of a case of any set
ANY_CASE = frozenset(
    ("patient", "paciente", "case", "caso", "record", "row", "sample", "item", "id", "no", "n")
)
MOST_SHOWN = 10  # rows named in a message
# a whole number as a column of decimals holds it: 12.0, 12,00
_DECIMAL = re.compile(r"^(\d+)[.,]0+$")
_PADDED = re.compile(r"0\d+")


class How(StrEnum):
    """How the cases of a run were matched."""

    ID = "id"
    NUMBER_OF_ID = "number_of_id"
    POSITION = "position"
    POSITION_FROM_0 = "position_from_0"
    ORDER = "order"


DESCRIPTIONS = {
    How.ID: "case or record id",
    How.NUMBER_OF_ID: "the number in the record id",
    How.POSITION: "position, counted from 1",
    How.POSITION_FROM_0: "position, counted from 0",
    How.ORDER: "row order",
}
ASKED = {
    "ids": (How.ID, How.NUMBER_OF_ID),
    "positions": (How.POSITION,),
    "positions-from-0": (How.POSITION_FROM_0,),
    "order": (How.ORDER,),
}


@dataclass
class Match:
    """The case of each answer, by the answer's reference, and how it was found."""

    how: How
    cases: dict[str, Case] = field(default_factory=dict)
    agreement: dict[str, Agreement] = field(default_factory=dict)
    rejects: list[Reject] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def description(self) -> str:
        """How the cases were matched and what the golds say, in a few words."""
        counts = Counter(self.agreement.values())
        n_golds = counts.total() - counts[Agreement.NOT_GIVEN]
        if not n_golds:
            return f"{DESCRIPTIONS[self.how]} (no gold diagnoses to check it by)"
        parts = [f"{counts[Agreement.SAME]} of {n_golds} gold diagnoses agree"]
        for agreement, words in (
            (Agreement.OTHER, "are another case's"),
            (Agreement.UNLIKE, "read otherwise"),
            (Agreement.NOT_COMPARED, "cannot be compared"),
        ):
            if counts[agreement]:
                parts.append(f"{counts[agreement]} {words}")
        return f"{DESCRIPTIONS[self.how]} ({', '.join(parts)})"


def match(
    answers: Mapping[str, RowGold],
    is_by_order: bool,
    test_set: str,
    sets: KnownSets,
    name: str,
    asked: str | None = None,
    is_of_files: bool = False,
) -> Match:
    """Match the answers of a file called `name`; `asked` is a key of ASKED that settles how. Those
    of a folder (`is_of_files`) have their cases in the names of their files.

    Raises FileError for a test set that is not there, references that are of no case at all, and
    golds that contradict the match, unless it was asked for.
    """
    cases = sets.cases(test_set)
    golds = sets.golds(test_set)
    if not is_by_order:
        _check_entered_once(answers, test_set, cases, name)
    candidates = _candidates(answers, is_by_order, test_set, cases, asked)
    if not candidates:
        problem = _no_case(answers, test_set, cases, name, asked)
        raise FileError(
            f"{problem}: {NAME_FILES if is_of_files else NAME_COLUMN}, say --match order if the "
            f"rows are in the order of the test set, or check --test-set.{_of_dates(answers)}"
        )

    def compared(by_ref: Mapping[str, Case]) -> dict[str, Agreement]:
        pairs = [(answers[ref]["gold_written"], case.case_id) for ref, case in by_ref.items()]
        return dict(zip(by_ref, golds.compare(pairs), strict=True))

    rated = {how: compared(by_ref) for how, by_ref in candidates.items()}
    if not {How.ID, How.NUMBER_OF_ID}.isdisjoint(candidates) and len(candidates) > 1:
        _check_decided(rated, answers, test_set, name)
    how = _best(candidates, rated)
    matched = Match(how, dict(candidates[how]), rated[how])
    if Agreement.SAME not in matched.agreement.values() and asked is None:
        _check_without_golds(matched, answers, test_set, cases, name)
    _set_aside(matched, answers, test_set, cases, name)
    _check_golds(matched, answers, name, is_asked=asked is not None)
    return matched


def _check_entered_once(refs: Iterable[str], test_set: str, cases: list[Case], name: str) -> None:
    """Raise FileError for ids of the entries of records that two people entered (P001--1, P001--2)
    and of none that the set has: in no order would each row be a case of its own."""
    written = list(refs)
    records = {ref: record for ref in written if (record := entry_of(ref)[0])}
    if 2 * len(records) < len(written) or by_id(written, test_set, cases):
        return
    if by_id(list(dict.fromkeys(records.values())), test_set, cases):
        first = next(iter(records))
        raise FileError(
            f"{name}: ids such as '{first[:40]}' are those of the two entries of a record (double "
            "data entry), not of cases: keep one row for each case, under its id without what "
            "stands behind '--'. If they are the gradings of two people, write 1 or 2 into a "
            "column 'rater' instead."
        )


def _candidates(
    answers: Mapping[str, RowGold],
    is_by_order: bool,
    test_set: str,
    cases: list[Case],
    asked: str | None,
) -> dict[How, dict[str, Case]]:
    """The ways that can be meant: one, or numbers counted from 1 and from 0, or ids and these."""
    refs = list(answers)
    by_number = {case.number: case for case in cases}
    positions = {ref: position for position, ref in enumerate(refs, 1)}
    # an id that several cases share identifies none of them, and is an id all the same
    is_of_ids = asked in (None, "ids") and not is_by_order
    shared = shared_ids(refs, cases) if is_of_ids else {}
    numbers = {ref: int(ref) for ref in refs} if is_by_order else _numbers(refs)
    numbers = {ref: number for ref, number in numbers.items() if ref not in shared}
    order = {ref: int(ref) for ref in refs} if is_by_order else positions
    in_turn = by_number
    if asked and max(order.values(), default=0) <= len(cases):
        in_turn = dict(enumerate(sorted(cases, key=lambda case: case.number), 1))
    ways = {
        How.ID: lambda: by_id(refs, test_set, cases),
        How.NUMBER_OF_ID: lambda: _by_number_of_id(numbers, cases),
        How.POSITION: lambda: _at(numbers, by_number),
        How.POSITION_FROM_0: lambda: _at({r: n + 1 for r, n in numbers.items()}, by_number),
        How.ORDER: lambda: _at(order, in_turn),
    }
    if asked or is_by_order:
        choices = ASKED[asked] if asked else (How.ORDER,)
        candidates = {
            how: by_ref for how in choices if (by_ref := ways[how]()) or (shared and how is How.ID)
        }
        return dict([max(candidates.items(), key=lambda item: len(item[1]))]) if candidates else {}
    for how in (How.ID, How.NUMBER_OF_ID):
        by_ref = ways[how]()
        if 2 * (len(by_ref) + len(shared)) >= len(refs):
            # numbers of which one is no id, and each the position of a case
            are_ids = has_padded_ids(cases) and any(map(is_padded_id, refs))
            either = {
                other: of_position
                for other in (How.POSITION, How.POSITION_FROM_0)
                if not are_ids
                and (other is How.POSITION or 0 in numbers.values())
                and len(of_position := ways[other]()) == len(numbers) > len(by_ref)
            }
            return {how: by_ref, **either}
    return {how: by_ref for how in (How.POSITION, How.POSITION_FROM_0) if (by_ref := ways[how]())}


def shared_ids(refs: Iterable[str], cases: list[Case]) -> dict[str, int]:
    """The references that are ids of several cases, each with how many have it."""
    n_of_record = Counter(plain_id(case.record_id) for case in cases if case.record_id)
    n_of_folded = Counter({name.casefold(): 0 for name in n_of_record})
    for name, n_cases in n_of_record.items():
        n_of_folded[name.casefold()] += n_cases
    n_of_ref = {
        ref: n_of_record[plain_id(ref)]
        or n_of_folded[plain_id(ref).casefold()]
        or n_of_record[_whole(ref)]
        for ref in refs
    } | _without_zeros(refs, n_of_record)
    return {ref: n_cases for ref, n_cases in n_of_ref.items() if n_cases > 1}


def _without_zeros(refs: Iterable[str], n_of_record: Mapping[str, int]) -> dict[str, int]:
    """The numbers that are ids as they are and with zeros before them (7 beside 007), in a file
    without any such zero: a spreadsheet may have taken them away."""
    if any(map(is_padded_id, refs)):
        return {}
    n_of_number: Counter[str] = Counter()
    for name, n_cases in n_of_record.items():
        if name.isdecimal():
            n_of_number[name.lstrip("0")] += n_cases
    wholes = {ref: whole for ref in refs if (whole := _whole(ref)).isdecimal()}
    return {ref: n_of_number[whole.lstrip("0")] for ref, whole in wholes.items()}


def plain_id(ref: str) -> str:
    """An id as it compares: accents composed, each blank of whatever kind a plain one."""
    return " ".join(unicodedata.normalize("NFC", ref).split())


def _whole(ref: str) -> str:
    """A reference without the decimals of a whole number: 12.0 is 12."""
    return _DECIMAL.sub(r"\1", ref.strip())


def of_several(n_cases: int, ref: str, test_set: str, cases: Iterable[Case]) -> str:
    """Why an answer to an id that several cases have is that of none."""
    same = (plain_id(ref).casefold(), _whole(ref))
    n_same = sum(plain_id(case.record_id or "").casefold() in same for case in cases)
    zeros = "" if n_same == n_cases else ", with zeros before it or without"
    return f"{n_cases} cases of '{test_set}' have the id '{ref[:40]}'{zeros}"


def _numbers(refs: list[str]) -> dict[str, int]:
    """The number of each reference that is a number, or a word and a number (patient_7): the word
    that most have, if at least half have it."""
    parts_of = {ref: re.fullmatch(r"(\D*?)0*(\d{1,9})", _whole(ref)) for ref in refs}
    words = Counter(parts[1].casefold() for parts in parts_of.values() if parts)
    word, count = max(words.items(), key=lambda item: item[1], default=("", 0))
    if 2 * count < len(refs):
        return {}
    return {
        ref: int(parts[2])
        for ref, parts in parts_of.items()
        if parts and parts[1].casefold() == word
    }


def by_id(refs: list[str], test_set: str, cases: list[Case]) -> dict[str, Case]:
    """By case id, then by what its source calls the case, then by the case id without its set;
    12.0 is 12 where no case is called 12.0 and no other reference is 12. Capitals are told apart
    where the ids of the set are."""
    # '7' may be any number; '0007' is written as in our ids, unless the set has such ids itself
    is_padded = not has_padded_ids(cases) and any(re.fullmatch(r"0\d{3,}", ref) for ref in refs)
    by_case_id = {case.case_id: case for case in cases}
    by_record = _unambiguous((case.record_id, case) for case in cases if case.record_id)
    by_short = _unambiguous((case.case_id.partition("/")[2], case) for case in cases)
    by_plain = _unambiguous((plain_id(name), case) for name, case in by_record.items())
    folded = {name.casefold(): case for name, case in by_case_id.items()}
    if len({name.casefold() for name in by_plain}) == len(by_plain):
        folded |= {name.casefold(): case for name, case in by_plain.items()}
    shared = shared_ids(refs, cases)

    def called(ref: str) -> Case | None:
        plain = plain_id(ref)
        case = (
            by_case_id.get(ref)
            or by_record.get(ref)
            or by_plain.get(plain)
            or folded.get(plain.casefold())
        )
        short = ref.removeprefix(test_set + "/")
        if case is None and (is_padded or short != ref or not ref.isdigit()):
            case = by_short.get(short)
        return case

    written = set(refs)
    cases_by_ref = {}
    for ref in refs:
        case = None if ref in shared else called(ref)
        if case is None and (whole := _whole(ref)) not in written:
            case = called(whole)
        if case is not None:
            cases_by_ref[ref] = case
    return cases_by_ref | _written_otherwise(refs, cases_by_ref, shared, cases)


def _written_otherwise(
    refs: Iterable[str],
    matched_by_id: Mapping[str, Case],
    shared: Collection[str],
    cases: Iterable[Case],
) -> dict[str, Case]:
    """The other references that are the id of one case without its marks (neu01 for NEU-01), behind
    the word that all such have in front (dx-NEU-01), of letters and numbers. None is of a case that
    is in `matched_by_id` or that two of them name."""
    listed = [case for case in cases if case.record_id]
    of_bare = _unambiguous((_bare(case.record_id or ""), case) for case in listed)
    taken = {case.case_id for case in matched_by_id.values()}
    matched: dict[str, tuple[str, Case]] = {}
    for ref in refs:
        if ref in matched_by_id or ref in shared:
            continue
        for start in (0, *(mark.end() for mark in re.finditer(r"[\W_]+", ref))):
            word, bare = ref[:start], _bare(ref[start:])
            case = of_bare.get(bare)
            is_id = re.search(r"[^\W\d_]", bare) and re.search(r"\d", bare)
            if case and is_id and not re.search(r"\d", word) and case.case_id not in taken:
                matched[ref] = (_bare(word), case)
                break
    n_of_case = Counter(case.case_id for _, case in matched.values())
    if len({word for word, _ in matched.values()}) > 1:
        return {}
    return {ref: case for ref, (_, case) in matched.items() if n_of_case[case.case_id] == 1}


def _bare(written: str) -> str:
    """An id without capitals and marks, but for those between two numbers: 1-23 is not 12-3."""
    id_ = plain_id(written).casefold()
    return re.sub(r"[\W_]+", ".", re.sub(r"(?<!\d)[\W_]+|[\W_]+(?!\d)", "", id_))


def has_padded_ids(cases: Iterable[Case]) -> bool:
    """Whether the source of a set writes ids with zeros before them (0042), so that such a number
    is one of these ids or none."""
    return any(_PADDED.fullmatch((case.record_id or "").strip()) for case in cases)


def is_padded_id(ref: str) -> bool:
    """Whether a reference is a number with zeros before it."""
    return _PADDED.fullmatch(ref.strip()) is not None


def _unambiguous(pairs: Any) -> dict[str, Case]:
    """By name, without the names that several cases have."""
    listed = list(pairs)
    counts = Counter(name for name, _ in listed)
    return {name: case for name, case in listed if counts[name] == 1}


def _by_number_of_id(numbers: Mapping[str, int], cases: list[Case]) -> dict[str, Case]:
    """By the number alone, where record ids are one word and a number as well."""
    of_record = _numbers([case.record_id for case in cases if case.record_id])
    by_number = _unambiguous(
        (of_record[case.record_id], case) for case in cases if case.record_id in of_record
    )
    return _at(numbers, by_number)


def _at(numbers: Mapping[str, int], by_number: Mapping[Any, Case]) -> dict[str, Case]:
    return {ref: by_number[number] for ref, number in numbers.items() if number in by_number}


def _best(
    candidates: Mapping[How, Mapping[str, Case]],
    rated: Mapping[How, Mapping[str, Agreement]],
) -> How:
    """Of numbers from 1 and from 0, what agrees with more golds; then what leaves fewer answers
    without a case; then from 1."""
    return max(
        candidates,
        key=lambda how: (
            list(rated[how].values()).count(Agreement.SAME),
            len(candidates[how]),
            how is not How.POSITION_FROM_0,
        ),
    )


def _check_decided(
    rated: Mapping[How, Mapping[str, Agreement]],
    answers: Mapping[str, RowGold],
    test_set: str,
    name: str,
) -> None:
    """Raise FileError if the golds do not say whether numbers are ids or positions."""
    n_same = [list(agreement.values()).count(Agreement.SAME) for agreement in rated.values()]
    if n_same.count(max(n_same)) > 1:
        raise FileError(
            f"{name}: not all numbers of its {len(answers)} cases are ids of '{test_set}', so they "
            "may be positions or the numbers of the ids, and no gold diagnosis says which: name "
            "the cases by their ids, or say which with --match positions, --match positions-from-0 "
            "or --match ids."
        )


def _set_aside(
    matched: Match,
    answers: Mapping[str, RowGold],
    test_set: str,
    cases: list[Case],
    name: str,
) -> None:
    """Answers of no case or of one of several, and all but the first of a case's."""
    first: dict[str, str] = {}
    shared = shared_ids(answers, cases) if matched.how is not How.ORDER else {}
    for ref, answer in answers.items():
        case = matched.cases.get(ref)
        if case is None and ref in shared:
            rule, reason = "case_ambiguous", of_several(shared[ref], ref, test_set, cases)
        elif case is None:
            rule, reason = "case_unknown", f"there is no case '{ref[:40]}' in '{test_set}'"
        elif case.case_id in first:
            first_place = numbered(name, answers[first[case.case_id]]["source_row"])
            rule, reason = "case_twice", f"case '{case.case_id}' is already in {first_place}"
            del matched.cases[ref], matched.agreement[ref]
        else:
            first[case.case_id] = ref
            continue
        matched.rejects.append(Reject(name, answer["source_row"], ref, rule, reason))


def _check_without_golds(
    matched: Match,
    answers: Mapping[str, RowGold],
    test_set: str,
    cases: list[Case],
    name: str,
) -> None:
    """What is not taken for granted where no gold diagnosis confirms it."""
    if matched.how is How.ORDER and len(answers) != len(cases):
        raise FileError(
            f"{name} has {len(answers)} rows for {len(cases)} cases of '{test_set}', and no column "
            "of cases nor a gold diagnosis that agrees says which they are: add a column case_id."
        )
    _check_letters(matched, answers, test_set, cases, name)
    _check_places(matched, answers, test_set, cases, name)
    ids = by_id(list(answers), test_set, cases)
    if ids and matched.how in (How.POSITION, How.POSITION_FROM_0):
        raise FileError(
            f"{name}: {len(ids)} of {len(answers)} numbers are ids of '{test_set}' and the others "
            "are not, and no gold diagnosis says whether they are positions: name the cases by "
            "their case_id, or say which with --match ids or --match positions."
        )


def _check_letters(
    matched: Match, answers: Mapping[str, RowGold], test_set: str, cases: list[Case], name: str
) -> None:
    """Raise FileError if answers have numbers as the set's ids have, behind other letters (Q007 and
    C007): ids of another set, unless the letters are a word for any case or begin alike."""
    if matched.how in (How.ID, How.ORDER):
        return
    of_set = {_letters(case.record_id) for case in cases if case.record_id} - {""}
    others = [
        ref
        for ref in answers
        if ref in matched.cases
        and (letters := _letters(ref))
        and letters not in ANY_CASE
        and not any(own.startswith(letters) or letters.startswith(own) for own in of_set)
    ]
    if of_set and others:
        raise FileError(
            f"{name}: '{others[0][:40]}' and {len(others) - 1:,} others have other letters before "
            f"their numbers than the ids of '{test_set}', and no gold diagnosis says that they are "
            "the same cases: check --test-set, or say --match ids if the numbers alone count."
        )


def _letters(ref: str) -> str:
    """The letters before the number of a reference, 'k' of 'K-07'; none if it is no such."""
    parts = re.fullmatch(r"(\D*?)\d+", ref.strip())
    return "".join(filter(str.isalpha, parts[1])).casefold() if parts else ""


def _check_places(
    matched: Match, answers: Mapping[str, RowGold], test_set: str, cases: list[Case], name: str
) -> None:
    """Raise FileError if numbers can be those of the rows of the file of a set that lost some, and
    those of the cases that were kept."""
    if matched.how not in (How.POSITION, How.POSITION_FROM_0, How.ORDER):
        return
    numbers = {case.number for case in cases}
    lost = sorted({*range(1, max(numbers) + 1)} - numbers)
    from_0 = matched.how is How.POSITION_FROM_0
    places = {number + from_0 for number in _numbers(list(answers)).values()}
    if places.isdisjoint(lost) or max(places) > len(cases):
        return
    raise FileError(
        f"{name}: its {len(answers)} answers are counted, and '{test_set}' ({len(cases)} cases) "
        f"lost row {', '.join(map(str, lost[:MOST_SHOWN]))} of its file, so a number can be that "
        "of a row of the file or of a case that was kept: add a column case_id (kernel29 cases "
        f"list {test_set} prints them), or say --match order if the rows are the kept cases in "
        "turn."
    )


def _check_golds(
    matched: Match,
    answers: Mapping[str, RowGold],
    name: str,
    is_asked: bool,
) -> None:
    counts = Counter(matched.agreement.values())
    odd = [
        ref
        for ref, agreement in matched.agreement.items()
        if agreement in (Agreement.OTHER, Agreement.UNLIKE)
    ]
    if not odd:
        return
    n_compared = counts[Agreement.SAME] + len(odd)
    listed = "; ".join(
        _difference(name, answers[ref], matched.cases[ref]) for ref in odd[:MOST_SHOWN]
    )
    explanation = (
        f"{len(odd)} of {n_compared} gold diagnoses are not those of the cases matched by "
        f"{DESCRIPTIONS[matched.how]}: {listed}{'; …' if len(odd) > MOST_SHOWN else ''}"
    )
    # a name that reads otherwise may be another name of the same disease; a case's own id does not
    # match by accident
    is_wrong = len(odd) > MOST_ODD * n_compared or (
        counts[Agreement.OTHER] > MOST_OTHER * n_compared
        and not (matched.how is How.ID and not any(ref.isdigit() for ref in matched.cases))
    )
    if is_wrong and not is_asked:
        raise FileError(
            f"{name}: {explanation}. The order differs, rows are missing or the numbers are "
            f"others: add a column case_id, check --test-set, or say how to match with --match "
            f"{', '.join(ASKED)}."
        )
    matched.notes.append(f"{explanation}.")


def _difference(name: str, answer: RowGold, case: Case) -> str:
    row = numbered(name, answer["source_row"])
    if case.contains_phi:  # no text of a patient's record in a message
        return f"{row} (case {case.case_id})"
    gold = " / ".join(case.gold_names or case.gold_codes)
    return f"{row} has '{answer['gold_written'][:50]}', case {case.case_id} '{gold[:50]}'"


def _no_case(
    answers: Mapping[str, RowGold],
    test_set: str,
    cases: list[Case],
    name: str,
    asked: str | None,
) -> str:
    refs = ", ".join(f"'{ref[:40]}'" for ref in list(answers)[:3])
    known = ", ".join(
        f"'{case_name}'"
        for case in cases[:2]
        for case_name in (case.case_id, case.record_id)
        if case_name
    )
    n_known = len(by_id(list(answers), test_set, cases))
    which = f"only {n_known}" if n_known else "none"
    return (
        f"{name}: {which} of its {len(answers)} cases ({refs}, …) is one of '{test_set}' "
        f"({len(cases)} cases: {known}, …){f' by {asked}' if asked else ''}"
    )


def _of_dates(refs: Iterable[str]) -> str:
    """A sentence on ids that are dates."""
    return f" Its ids are dates, {OF_DATES}." if any(map(is_date, refs)) else ""
