"""Text as it is compared: one function for each thing that is compared, and why it differs."""

import html
import re
import unicodedata
from functools import lru_cache
from html.entities import html5
from typing import Any

# letters of another alphabet that look Latin, as copied documents hold them
_LOOKALIKES = dict(zip("аеорсухіѕјАВЕКМНОРСТХІЅЈ", "aeopcyxisjABEKMHOPCTXISJ", strict=True))
# letters that are no other letter with a mark
_UNDIVIDED = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
    | {"đ": "d", "Đ": "D", "ð": "d", "þ": "th", "ı": "i"}
)
_IN_PLACE = (
    {
        code: unicodedata.normalize("NFKD", chr(code))[0]
        for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))
    }
    | {ord("’"): "'", ord("‘"): "'", ord("´"): "'", ord("–"): "-", ord("—"): "-", 0xA0: " "}
    | {ord(lookalike): latin for lookalike, latin in _LOOKALIKES.items()}
)

# of a page, with its semicolon: '&deg;', '&#39;'; 'R&D' and 'A&B;C' are none
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_LINE_ENDS = re.compile(r"[\r\n\x0b\x0c\x85\u2028\u2029]")


def without_entities(text: str) -> str:
    """`text` with the characters that whole entities of HTML stand for ('&nbsp;', '&#39;'); one for
    the end of a line is a blank, since no line begins where none was seen."""

    def sign(entity: re.Match[str]) -> str:
        is_known = entity[0][1] == "#" or entity[0][1:] in html5
        return _LINE_ENDS.sub(" ", html.unescape(entity[0])) if is_known else entity[0]

    return _ENTITY.sub(sign, text) if "&" in text else text


def without_accents(text: str) -> str:
    """Letters without their marks, ligatures and widths taken apart (NFKD)."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


@lru_cache(maxsize=10_000)
def column_key(name: Any) -> str:
    """A column name: lower case, no accents, runs of anything else one _. Cached, because a table
    has the same names in every row."""
    plain = without_accents(str(name)).lower()
    return "_".join("".join(c if c.isalnum() else " " for c in plain).split())


def registered_name(stem: str) -> str:
    """The name of a file as that of a test set or a prompt: letters without accents, digits and
    underscores."""
    plain = without_accents(stem.translate(_UNDIVIDED))
    return re.sub(r"[^A-Za-z0-9_]+", "_", plain).strip("_") or "unnamed"


def name_key(text: str) -> str:
    """The name of a diagnosis or a label: no case, accents, punctuation or possessives, as the SQL
    macro normalise_name has it, with whose output it is compared."""
    text = re.sub(r"['’`´]s\b", "", unicodedata.normalize("NFKD", text))
    return re.sub(r"[\W_]+", " ", without_accents(text).casefold()).strip()


def alias_key(name: str) -> str:
    """An alias: letters and digits alone, so that gpt-4o and GPT_4o are one. Accents count: no
    alias has any."""
    return re.sub(r"[\W_]", "", name.casefold())


def field_key(name: Any) -> str:
    """A field of a model's JSON: ASCII, spaces and hyphens one _. Other signs stay, for a model
    that writes `rank#` means no `rank`."""
    plain = unicodedata.normalize("NFKD", str(name)).encode("ascii", "ignore").decode()
    return re.sub(r"[\s\-]+", "_", plain.strip().lower())


def option_key(text: Any) -> str:
    """An answer option: no case, white space single. Accents and signs count, because two options
    of a question may differ in nothing else."""
    return " ".join(str(text).casefold().split())


def packet_key(text: str) -> str:
    """A name out of a packet: lower case, white space single. An answer has to repeat it letter by
    letter, so that ß is not ss here."""
    return " ".join(text.lower().split())


def rule_text(text: str | None) -> str:
    """A question as the patterns of typing rules are written: lower case, no accents, straight
    apostrophes, white space single. Punctuation stays, patterns use it."""
    plain = (text or "").lower()
    if not plain.isascii():
        plain = without_accents(plain.replace("’", "'"))
    return " ".join(plain.split())


@lru_cache(maxsize=256)  # the readers of a note fold it and its sentences a few times each
def fold_in_place(text: str) -> str:
    """A clinical note: lower case, accents off, and as long as before, so that places stay what
    they are. Expects `composed` text."""
    return text.translate(_IN_PLACE).lower()


def composed(note: str) -> str:
    """A note with every accented letter as one character, which fold_in_place() relies on."""
    return unicodedata.normalize("NFC", note)
