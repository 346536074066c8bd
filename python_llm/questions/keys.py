"""The key of a published question: a letter, a number, the option's text, or none.

A question is scored if it has one key, which is one of its options. Why it is not is a word:
no_key, voided, two_keys or key_is_no_option.
"""

import ast
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from python_llm.parsing.folding import option_key, without_accents
from python_llm.questions.options import LETTERS

NOTHING = {"", "null", "none", "nan", "-", "--", "n/a", "na", "?", "-1"}
VOIDED = re.compile(
    r"(?i)^\s*\(?(?:anul\w*|annul\w*|void\w*|impugnad\w*|nula|nulo|invalid\w*)\b"
    r"|^\s*(?:\*+|x)\s*$"
)
TWO = re.compile(
    r"(?i)^\W*([a-j]|[1-9])\W*(?:,|/|;|\by\b|\bo\b|\band\b|\bor\b|\s)\W*([a-j]|[1-9])\W*$"
)
# 'A, C, D', 'a c e', '1;3;4'
SEVERAL = re.compile(
    r"(?i)^\W*(?:[a-j]|[1-9])(?:\W*(?:,|/|;|\by\b|\be\b|\bet\b|\bund\b|\band\b|\+|\s)\W*(?:[a-j]|[1-9])){1,9}\W*$"
)
BARE = re.compile(
    r"(?i)^(?:(?:the|la|el) )?(?:opci[oó]n|option|respuesta|answer|letra|letter|clave|key|choice"
    r"|alternativa|antwort(?:option)?|r[eé]ponse|resposta|risposta|opç[aã]o|opzione|resp|op|la|el)?"
    r"(?: correct[ao]?)?(?: (?:is|es))?(?: la)?"
    r"[\s:_.]*[(\[]?([a-j]|[0-9])(?:\.0)?[)\].:ªº]*$"
)
LEADING = re.compile(r"(?i)^[(\[]?([a-j]|[1-9])[)\].:\-–]+\s*(?=\S)")
# a letter and what is said of it: 'C (anulada)', 'B (cardiología)'
REMARK = re.compile(
    r"^[(\[]?([A-Ja-j]|[1-9])[)\].:]*[\s\-–:,;]*[(\[]?\s*([^()\[\]]{1,60}?)[)\].]*$"
)
VOID_WORD = re.compile(r"(?i)\b(?:anul(?:ad[ao]s?|[ée]e?)|annulled|void(?:ed)?|impugnad[ao]s?)\b")
LONE_SIGN = re.compile(r"(?<![^\W_])(?:[A-J]|[1-9]|(?<=[(\[])[a-j](?=[)\]]))(?![^\W_])")
# 'The answer is (B) Aspirin.', 'la b porque …', 'option2'
STATED = re.compile(
    r"(?i)^(?:(?:the|la)\s+)?(?:(?:correct|right|best)\s+)?(?:answer|option|respuesta|opci[oó]n)"
    r"(?:\s+correcta)?(?:\s+is|\s+es)?\s*:?\s*(?:la\s+)?[(\[*]*([a-j]|[1-9])(?:[)\].*:,]+(?:\s|$)|$)"
    r"|^(?:la\s+)?[(\[]?([a-j]|[1-9])[)\].,;]?\s+(?:porque|ya\s+que|puesto\s+que|because|since)\b"
)
_ORDINALS = (
    "primer primera primero first, segunda segundo second, tercer tercera tercero third, cuarta"
    " cuarto fourth, quinta quinto fifth, sexta sexto sixth"
)
_CARDINALS = "una uno one, dos two, tres three, cuatro four, cinco five, seis six"
PLACES = {
    word: index
    for words in (_ORDINALS, _CARDINALS)
    for index, listed in enumerate(words.split(","))
    for word in listed.split()
}
_OPTION = r"(?:opci[oó]n|respuesta|alternativa|afirmaci[oó]n|option|answer|choice)"
# 'la tercera', '3.ª opción', 'the second one is correct', 'option two'
ORDINAL = re.compile(
    rf"(?i)^\W*(?:(?:es|is|la|el|the)\s+){{0,3}}(?:{_OPTION}\s+)?"
    rf"(?:({'|'.join(_ORDINALS.replace(',', '').split())})\b|([1-9])(?:\.?[ªº°]|(?:st|nd|rd|th)\b))"
    rf"(?:\s+(?:{_OPTION}|one))?(?:\s+(?:es|is)(?:\s+(?:la|the))?\s+(?:correct[ao]?|right|verdadera|cierta))?"
    r"\W*$"
)
CARDINAL = re.compile(
    rf"(?i)^\W*(?:(?:la|the)\s+)?{_OPTION}\s+({'|'.join(_CARDINALS.replace(',', '').split())})\W*$"
)
# 'nº 3', 'la número 2', 'No. 4'
NUMBERED = re.compile(
    r"(?i)^\W*(?:(?:la|the)\s+)?(?:n\.?[ºo°]\.?|n[uú]m(?:ero)?\.?|number|#)\s*([1-9])\W*$"
)
# '2 (B)', 'B = 2'
BOTH = re.compile(r"^\W*(?:([1-9])\W{1,4}([A-Ja-j])|([A-Ja-j])\W{1,4}([1-9]))\W*$")
TRUE = {
    "s",
    "y",
    "1",
    "1.0",
    "si",
    "yes",
    "true",
    "x",
    "verdadero",
    "anulada",
    "anulado",
    "voided",
    "void",
}


WHOLE = re.compile(r"(?<=^\d)[.,]0+$")  # 2,0 as a spreadsheet writes 2
# keys of which none is the last of four options, if they count from 1, once in 100 files
FEWEST_TELLING = 16


class Key(NamedTuple):
    """The letter of the right option, or why there is none."""

    letter: str | None
    reason: str | None = None


class Base(NamedTuple):
    """What the numbers of a file's keys count from, and whether a number that is the text of an
    option, too, is a place all the same."""

    first: int
    are_places: bool = False


def is_true(value: Any) -> bool:
    """Whether a cell says yes, as in a column of voided questions."""
    return without_accents(str(value or "")).strip().lower() in TRUE


def place_of(written: str, base: "Base") -> int | None:
    """The place from 0 on of the option that a text names in other ways than by one sign: by its
    order ('la tercera'), as a number (`nº 3`), or by number and letter that agree ('2 (B)')."""
    if ordinal := ORDINAL.match(written):
        return PLACES[ordinal[1].lower()] if ordinal[1] else int(ordinal[2]) - 1
    if cardinal := CARDINAL.match(written):
        return PLACES[cardinal[1].lower()]
    if numbered := NUMBERED.match(written):
        return int(numbered[1]) - base.first
    if both := BOTH.match(written):
        index = LETTERS.find((both[2] or both[3]).upper())
        return index if int(both[1] or both[4]) - base.first == index else None
    return None


def base_of(
    keys: Iterable[tuple[Any, int]], *, is_index: bool = False, from_one: bool = False
) -> Base | None:
    """What numeric keys count from, given (key, number of options) of every question: from 0 if
    some are 0 and none is the number of options.

    `is_index`: their column is called an index. `from_one`: the options are numbered from 1 in the
    file, and a 0 may mean none of them. None where too few keys tell which it is.
    """
    numbers = [(int(number), n) for key, n in keys if (number := _number(key)) is not None]
    n_zeros = sum(number == 0 for number, _ in numbers)
    if any(number >= n for number, n in numbers) or not numbers:
        return Base(1)
    is_told = len(numbers) - n_zeros >= FEWEST_TELLING
    if (from_one and n_zeros and not is_index and not is_told) or (
        is_index and not n_zeros and not is_told
    ):
        return None
    return Base(0 if n_zeros else 1)


def is_either(key: Any, options: list[str], first: int) -> bool:
    """Whether a key is a number that is the text of one option and the place of another, counted
    from `first`."""
    number = _number(key)
    index = int(number) - first if number is not None else -1
    text = letter_of_text(number or "", options)
    return 0 <= index < len(options) and text not in (None, LETTERS[index])


def are_places(keys: Iterable[tuple[Any, list[str]]], first: int) -> bool | None:
    """Whether the numbers among the keys of a file, given with their options, are places, rather
    than texts of options. None where a key may be either, and the others do not tell which."""
    n_places = n_texts = n_either = 0
    for key, options in keys:
        number = _number(key)
        is_place = number is not None and 0 <= int(number) - first < len(options)
        is_text = letter_of_text(number or key or "", options) is not None
        n_places += is_place and not is_text
        n_texts += is_text and not is_place
        n_either += is_either(key, options, first)
    if not n_either:
        return False
    return None if bool(n_places) == bool(n_texts) else bool(n_places)


def key_of(key: Any, answer: Any, options: list[str], base: Base) -> Key:
    """The key of a question from its column of letters or numbers and that of the answer's text.

    Two columns that contradict each other are key_is_no_option: nobody can say which is right.
    """
    by_key = _one(key, options, base)
    of_answer = base if key is None else base._replace(are_places=False)
    by_answer = _one(answer, options, of_answer)
    if by_key.letter and by_answer.letter and by_key.letter != by_answer.letter:
        texts = {option_key(options[LETTERS.index(k.letter or "")]) for k in (by_key, by_answer)}
        # a question may have the same option twice
        return by_key if len(texts) == 1 else Key(None, "keys_contradict")
    if by_key.letter or by_key.reason == "voided":
        return by_key
    if by_answer.letter or by_key.reason == "no_key":
        return by_answer
    return by_key


def _one(value: Any, options: list[str], base: Base) -> Key:
    letters = LETTERS[: len(options)]
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError):
            value = value.strip("[] '\"")
    if (marks := _marks(value)) and len(marks) == len(options) and "1" in marks:
        right = [letter for letter, mark in zip(letters, marks, strict=True) if mark == "1"]
        return Key(right[0]) if len(right) == 1 else Key(None, "two_keys")
    if isinstance(value, (list, tuple)):
        read = [_one(item, options, base).letter for item in value]
        if len(value) == 2 and read[0] and read[0] == read[1]:  # its letter and its text
            return Key(read[0])
        if len(value) > 1:
            return Key(None, "two_keys")
        value = value[0] if value else None
    written = "" if value is None else WHOLE.sub("", str(value).strip())
    if re.search(r"\w", written):  # bold, as in Markdown
        written = written.strip("*_` ")
    by_text = letter_of_text(written, options)
    if by_text and not (base.are_places and _number(written)):
        return Key(by_text)
    if written.lower() in NOTHING:
        return Key(None, "no_key")
    if (index := place_of(written, base)) is not None:
        return Key(letters[index]) if 0 <= index < len(letters) else Key(None, "key_is_no_option")
    if bare := BARE.match(written):
        sign = bare[1].upper()
        if sign.isdigit():
            index = int(sign) - base.first
            if 0 <= index < len(options):
                return Key(letters[index])
            return Key(None, "no_key" if sign == "0" else "key_is_no_option")
        return Key(sign) if sign in letters else Key(None, "key_is_no_option")
    if VOIDED.match(written):
        return Key(None, "voided")
    if TWO.match(written) or SEVERAL.match(written) or _is_letters(written.upper(), letters):
        return Key(None, "two_keys")
    if (remark := REMARK.match(written)) and VOID_WORD.search(remark[2]):
        return Key(None, "voided")
    if leading := LEADING.match(written) or STATED.match(written):
        return _one(next(filter(None, leading.groups())), options, base)
    if remark and re.match(r"^\W*\w\W*[(\[]", written) and not LONE_SIGN.search(remark[2]):
        return _one(remark[1], options, base)
    if _are_texts(written, options):
        return Key(None, "two_keys")
    return Key(None, "key_is_no_option")


def _are_texts(written: str, options: list[str]) -> bool:
    """Whether a key is the texts of several options: 'Uno; Tres'."""
    parts = [part for part in re.split(r"\s*[;|\n]\s*", written) if part]
    parts = parts if len(parts) > 1 else [p for p in re.split(r",\s+", written) if p]
    return len(parts) > 1 and all(letter_of_text(part, options) for part in parts)


def _is_letters(written: str, letters: str) -> bool:
    """Whether a key is several letters of options run together: 'BC'."""
    return 1 < len({*written}) == len(written) and {*written} <= {*letters}


def _marks(value: Any) -> list[str]:
    """A 1 or 0 for each option, as '0010', '0,0,1,0' or a list; empty for anything else."""
    items = value if isinstance(value, (list, tuple)) else re.findall(r"[^\s,;]", str(value or ""))
    marks = [str(int(item)) if isinstance(item, bool) else str(item) for item in items]
    return marks if len(marks) > 2 and {*marks} <= {"0", "1"} else []


def letter_of_text(text: Any, options: list[str]) -> str | None:
    """The letter of the option that is this text, apart from case and spaces."""
    folded = [option_key(option).rstrip(".") for option in options]
    wanted = option_key(text).rstrip(".")
    return LETTERS[folded.index(wanted)] if wanted and wanted in folded else None


def _number(key: Any) -> str | None:
    if isinstance(key, bool):
        return None
    written = WHOLE.sub("", str(key).strip())
    return written if re.fullmatch(r"\d", written) else None


def is_zero(key: Any) -> bool:
    """Whether a key is a 0, which counts no option of those that are numbered from 1."""
    return re.fullmatch(r"0(?:[.,]0+)?", str("" if key is None else key).strip()) is not None


def number_of(value: Any) -> str | None:
    """A question's number or id as it is compared: '7' for 7.0, '007' and 'Pregunta 7'."""
    written = re.sub(r"\.0$", "", str("" if value is None else value).strip())
    if match := re.fullmatch(
        r"(?i)(?:pregunta|question|q|p|n[ºo°.]*)?[\s.:#]*0*(\d+)[.)\-]*", written
    ):
        return match[1]
    return written or None
