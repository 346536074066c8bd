"""The options of a published question: columns, a list, one cell, or the end of the question.

Options are lettered A to J in their order, whatever the file calls them: 1. 2. 3., a) b) c), or
nothing at all.
"""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from python_llm.parsing.json_text import repeated_in

LETTERS = "ABCDEFGHIJ"
MARKED_OPTION = re.compile(r"(?:^|(?<=\s))\(?([A-Ja-j]|[1-9])[).]-?\s+")
# at the head of a line: '1. ', '1.- ', '3 . ', 'a) ', '(B) ', 'C: ', '2 - '
LINE_MARK = re.compile(r"^[ \t]*[(\[]?([A-Ja-j]|[1-9])[ \t]?(?:[)\].:º]+-?|[-–][ \t])[ \t]*", re.M)
# within a line the sign must be followed by a space, or a decimal would be an option
INNER_MARK = re.compile(r"(?<=[\s:?.;])[(\[]?([A-Ja-j]|[1-9])(?:[)\]]|\.-?)[ \t]+(?=\S)")
# 'option1', 'Opción B' as the name of an option
NAMED_MARK = re.compile(r"(?i)^(?:option|opci[oó]n|choice|answer|respuesta|op|opt)[\s_.]*(?=\w$)")
# a mark in front of an option of a list: neither '1.5 mg' nor '1 - 2 weeks'
LIST_MARK = re.compile(r"^[ \t]*[(\[]?([A-Ja-j]|[1-9])[ \t]?(?:[)\]]+|[.:º]+(?!\d)|\.-)[ \t]*")
DECIMAL = re.compile(r"[1-9][.:]\d")  # '1.5 mg', '1:1000'
GENUS = re.compile(r"[A-J]\. ?[a-z]")  # 'E. coli'
SEPARATORS = ";/,|"  # what may be left at the end of an option
# what an object calls the letter of an option
LABELS = ("key", "label", "letter", "letra", "mark", "id")
ABSENT = {"n/a"}  # what fills up a list to its length
# what stands between a question and its options
CAPTION = re.compile(r"(?i)\s*\b(?:answer choices|options|opciones|choices|alternativas)\s?:\s*$")
# what a prompt ends with; looked for in its last characters only
ANSWER_ASKED = re.compile(
    r"(?i)\s(?:the\s)?(?:correct\s)?(?:answer|respuesta|la\srespuesta(?:\scorrecta)?\ses|output)"
    r"(?:\sis)?\s?:\s*$"
)
PROMPT_END = 40
ARRAY_END = re.compile(r",\s*dtype=[^\s()]{1,20}\)")
ESCAPED = re.compile(r"\\(?=['\"])")  # a stray sign of a program: Crohn\'s
ENDS_ASKING = re.compile(r"[?:…]\s*[:.]?\s*$")
FEWEST_MARKED = 2
FEWEST_INNER = 3  # within a line, where two marks in order may be chance
MOST_UNMARKED = 6


class NoOptions(ValueError):
    """Why the options of a question cannot be read; the text says it without quoting the file."""


def options_of(named: Mapping[str, Any]) -> list[str] | None:
    """The options that columns of a record hold, in the order of their letters; None if it has no
    such columns or they are empty. Raises NoOptions."""
    if flaw := repeated_in(str(named.get("options") or "").strip()):
        raise NoOptions(flaw)
    listed = as_value(named.get("options"))
    texts: Sequence[Any]
    if any(field.startswith("option_") and named[field] is not None for field in named):
        texts = [named.get(f"option_{letter}") for letter in LETTERS.lower()]
    elif isinstance(listed, dict):
        texts = _of_object(listed)
    elif isinstance(listed, (list, tuple)):
        texts = [_item_text(item) for item in _without_letters(listed)]
        if len(labels := _labels(listed, named.get("key"))) == len(texts):
            texts = _by_label(texts, labels)
    elif isinstance(listed, str):
        texts = _split_cell(listed)
    else:
        return None
    cleaned = [_cleaned(text) for text in texts]
    while cleaned and (not cleaned[-1] or (len(cleaned) > 2 and cleaned[-1].lower() in ABSENT)):
        cleaned.pop()
    return _checked(_without_marks(_without_separators(cleaned))) if cleaned else None


def split_text(text: str) -> tuple[str, list[str]] | None:
    """(question, options) of a text that ends with its options; None if it has none.

    The last run of marks in order, from 1 or A on, is the options: lists in the case come before.
    Lines without marks are options if they follow the line that asks. Raises NoOptions where a
    mark between two others is missing.
    """
    text = text[:-PROMPT_END] + ANSWER_ASKED.sub("", text[-PROMPT_END:])
    lacking: NoOptions | None = None
    for pattern, fewest in ((LINE_MARK, FEWEST_MARKED), (INNER_MARK, FEWEST_INNER)):
        try:
            run = _last_run(list(pattern.finditer(text)))
        except NoOptions as error:  # the options may stand two in a line
            lacking = error
            continue
        if len(run) >= fewest and run[0].start() > 0:
            ends = [mark.start() for mark in run[1:]] + [len(text)]
            options = [
                _cleaned(text[mark.end() : end]) for mark, end in zip(run, ends, strict=True)
            ]
            options = _checked(_without_separators(options))
            return CAPTION.sub("", text[: run[0].start()]).strip(), options
    if lacking:
        raise lacking
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    asking = [number for number, line in enumerate(lines) if ENDS_ASKING.search(line)]
    if asking and FEWEST_INNER <= len(lines) - asking[-1] - 1 <= MOST_UNMARKED:
        return "\n".join(lines[: asking[-1] + 1]), _checked(_without_marks(lines[asking[-1] + 1 :]))
    return None


def without_options(text: str, options: Sequence[str]) -> str:
    """A question without the options that its text repeats."""
    try:
        split = split_text(text)
    except NoOptions:
        return text
    if split is None or [_bare(option) for option in split[1]] != [*map(_bare, options)]:
        return text
    return CAPTION.sub("", split[0]).strip()


def _bare(option: str) -> str:
    return option.strip(" .;").casefold()


def _last_run(marks: list[re.Match[str]]) -> list[re.Match[str]]:
    """The last marks of a kind that count up from 1 or A; a mark of another kind between them, as
    in 'grade 1. ', does not end them. Raises NoOptions if one between them is missing."""
    runs: dict[tuple[bool, bool], list[re.Match[str]]] = {}
    for mark in marks:
        run = runs.setdefault(_kind(mark), [])
        value = _value(mark)
        missing = value - len(run)
        if value == 0:
            run[:] = [mark]
        elif run and missing == 0:
            run.append(mark)
        elif run and missing == 1 and mark.re is LINE_MARK:
            lost = chr(ord(run[-1][1]) + 1)
            raise NoOptions(f"option {lost} is missing between two others: add it")
    return max(
        runs.values(), key=lambda run: (len(run) > 1, run[-1].start() if run else -1), default=[]
    )


def _value(mark: re.Match[str]) -> int:
    """0 for 1, A and a."""
    sign = mark[1]
    return int(sign) - 1 if sign.isdigit() else ord(sign.upper()) - ord("A")


def _kind(mark: re.Match[str]) -> tuple[bool, bool]:
    return mark[1].isdigit(), mark[1].isupper()


def _form(mark: re.Match[str]) -> tuple[bool, bool, str]:
    return *_kind(mark), mark[0].replace(mark[1], "", 1).strip()


def _of_object(listed: Mapping[Any, Any]) -> list[Any]:
    """The options of an object: by letter or number, or as two lists, texts and labels."""
    lists = next((listed[n] for n in ("text", "atext", "value", "content") if n in listed), None)
    if isinstance(lists, (list, tuple)):
        return _by_label(lists, next((listed[n] for n in ("label", "labels") if n in listed), None))
    listed = {mark: text for mark, text in listed.items() if text is not None}
    kept = {NAMED_MARK.sub("", str(mark).strip()).upper(): text for mark, text in listed.items()}
    marks = sorted(kept)
    expected = (
        list(LETTERS[: len(marks)]),
        [str(number + 1) for number in range(len(marks))],
        [str(number) for number in range(len(marks))],
    )
    if marks not in expected:
        raise NoOptions(f"the options are labelled {', '.join(marks)}: label them A, B, C, …")
    return [kept[mark] for mark in marks]


def _by_label(texts: Sequence[Any], labels: Any) -> list[Any]:
    """Options in the order of their labels, which need not be that of the list; other labels than
    letters and numbers say nothing."""
    marks = [str(label).strip().upper() for label in labels or ()]
    counted = [str(n) for n in range(1, len(texts) + 1)]
    if sorted(marks) not in (list(LETTERS[: len(texts)]), counted):
        if len({*marks}) == len(texts) and {*marks} <= {*LETTERS}:
            _raise_if_lost(sorted(ord(mark) - ord("A") for mark in marks), "A")
        return list(texts)
    return [text for _, text in sorted(zip(marks, texts, strict=True), key=lambda pair: pair[0])]


def _without_letters(listed: Sequence[Any]) -> Sequence[Any]:
    """The texts of pairs of a letter and a text; any other list as it is."""
    pairs = [tuple(item) for item in listed if isinstance(item, (list, tuple)) and len(item) == 2]
    marks = [str(mark).strip(" ().").upper() for mark, _ in pairs]
    if len(pairs) == len(listed) == len({*marks}) and {*marks} <= {*LETTERS}:
        return _by_label([text for _, text in pairs], marks)
    return listed


def _labels(listed: Sequence[Any], key: Any) -> list[str]:
    """The letters that options have as objects, {"key": "C", "value": "three"}, or the numbers, as
    in {"id": 3, "text": "three"}. A key that is a letter says nothing of numbers."""
    items = [item for item in listed if isinstance(item, dict)]
    counted = [str(number) for number in range(1, len(items) + 1)]
    has_letter = str(key).strip(" ().").upper() in LETTERS
    for name in LABELS:
        marks = [str(item.get(name, "")).strip(" ().").upper() for item in items]
        if marks and all(mark and mark in LETTERS for mark in marks):
            return marks
        if sorted(marks) == counted and not has_letter:
            return marks
    return []


def _item_text(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    names = ("value", "text", "atext", "texto", "option", "content", "answer", "answerText")
    texts = [item[name] for name in names if name in item]
    if texts:  # a letter beside a text is its name
        return next((text for text in texts if len(str(text)) > 1), texts[0])
    raise NoOptions("an option is an object without value or text: correct it")


def as_value(listed: Any) -> Any:
    """A list or an object that a table holds as text, as JSON or Python write it."""
    if isinstance(listed, str) and listed.strip()[:1] in ("[", "{"):
        # as pandas writes a cell of arrays: array(['a', 'b'], dtype=object)
        plain = ARRAY_END.sub(")", listed.strip().replace("array(", "("))
        for read in (json.loads, ast.literal_eval):
            try:
                value = read(plain)
            except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
                continue
            if not (isinstance(value, list) and len(value) == 1):
                return value
        # as numpy prints a list: no commas, so that Python would join the texts
        quoted = re.findall(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"", listed)
        if len(quoted) >= 2:
            return [single or double for single, double in quoted]
    return listed


def _split_cell(text: str) -> list[str]:
    """The options in one cell: one a line, between |, or after A) B) C) … or 1. 2. 3. …"""
    breaks = r"[\r\n]+|\s*\|+\s*|\s+//\s+|\s*<br\s?/?>\s*"
    parts = [part for part in re.split(breaks, text.strip()) if part.strip()]
    if len(parts) >= 2:
        return _with_lines_joined(parts)
    marks: list[re.Match[str]] = []
    lost: list[re.Match[str]] = []
    for mark in MARKED_OPTION.finditer(text):  # 'tipo 1. ' within an option is no mark
        if marks and _form(mark) != _form(marks[0]):
            continue
        if _value(mark) == len(marks):
            marks.append(mark)
        elif len(marks) > 1 and _value(mark) == len(marks) + 1 and ")" in mark[0]:
            lost.append(mark)
    if lost and lost[-1].start() > marks[-1].start():
        _raise_if_lost([*range(len(marks)), _value(lost[-1])], lost[-1][1])
    if len(marks) < 2:
        return text.split(";") if text.count(";") >= 2 else parts
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [text[mark.end() : end] for mark, end in zip(marks, ends, strict=True)]


def _with_lines_joined(parts: list[str]) -> list[str]:
    """The lines of a cell with those that have no mark behind the option that they go on with."""
    marks = [LIST_MARK.match(part) for part in parts]
    if not marks[0] or sum(mark is not None for mark in marks) < FEWEST_MARKED:
        return parts
    joined: list[str] = []
    for part, mark in zip(parts, marks, strict=True):
        if mark:
            joined.append(part)
        else:
            joined[-1] += f" {part}"
    return joined


def _without_separators(options: list[str]) -> list[str]:
    """Options without the sign that stands behind all but the last: 'Phenytoin;'."""
    for sign in SEPARATORS:
        if len(options) > 1 and all(option.endswith(sign) for option in options[:-1]):
            return [option.rstrip(f"{sign} ") for option in options]
    return options


def _cleaned(text: Any) -> str:
    return "" if text is None else re.sub(r"\s+", " ", ESCAPED.sub("", str(text))).strip()


def _without_marks(options: list[str]) -> list[str]:
    """Options without the marks in front of them, if all have theirs. The letter beside an option
    is its letter: raises NoOptions where one is missing or they are not in order, because the key
    would be read by place."""
    marks = [mark for option in options if (mark := LINE_MARK.match(option))]
    values = [_value(mark) for mark in marks]
    if len(marks) < len(options) or all(map(DECIMAL.match, options)):
        return options
    if values == [*range(len(options))]:
        return [option[mark.end() :] for option, mark in zip(options, marks, strict=True)]
    are_names = all(map(GENUS.match, options)) and values != sorted({*values})
    if len({*map(_kind, marks)}) == 1 and all(map(LIST_MARK.match, options)) and not are_names:
        _raise_if_lost(values, marks[0][1])
    return options


def _raise_if_lost(values: list[int], sign: str) -> None:
    """Raise NoOptions for marks, 0 for 1, A and a, that do not count up from 0; `sign` tells in
    what they are written."""
    first = "1" if sign.isdigit() else "a" if sign.islower() else "A"
    if values != sorted({*values}):
        raise NoOptions(f"the options are not in the order of their marks: sort them from {first}")
    lost = next(n for n in range(len(LETTERS)) if n not in values)
    where = "between two" if lost else "before the"
    raise NoOptions(f"option {chr(ord(first) + lost)} is missing {where} others: add it")


def _checked(options: list[str]) -> list[str]:
    """The options if they can be those of a question. Raises NoOptions."""
    if len(options) < 2:
        raise NoOptions("fewer than two options: add them or delete the row")
    if len(options) > len(LETTERS):
        raise NoOptions(f"more than {len(LETTERS)} options: correct the row")
    if "" in options:
        raise NoOptions(f"option {LETTERS[options.index('')]} is empty before others: fill it in")
    return options
