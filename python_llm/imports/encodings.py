"""Text of a file whose encoding nobody named.

UTF-8 that decodes is UTF-8 for all practical purposes. Hospital exports that are not are mostly of
western Europe, where accented letters stand alone between plain ones; in the encodings of East Asia
bytes of letters follow each other.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice

from python_llm.errors import FileError
from python_llm.imports import code_pages

ENCODINGS = ("cp1252", "mac_roman", "cp850")  # of two that fit as well the first
OF_WORDS = "áàâäãåæçéèêëíìîïñóòôöõøœúùûüýÿß"
MOST_LETTERS_TRIED = 2_000
LEAST_IN_A_ROW = 4  # bytes beyond ASCII that tell an encoding of East Asia
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # no text has them
_HIGH = re.compile(rb"[\x80-\xff]")
_RUN = re.compile(rb"[\x80-\xff]{2,}")
# letters and signs of western Europe in UTF-8, hardly ever anything in another encoding
_UTF8 = re.compile(rb"([\xc2-\xc5][\x80-\xbf]|\xe2[\x80-\x82][\x80-\xbf])")
# 'Ã©' and 'â€™': UTF-8 that was read as Windows-1252 and written again
_TWICE = re.compile(
    r"[ÃÂ][\u0080-\u009f¡-¿€ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œŸ]\w|\wÃ[\u0080-¿]|â€[™œ“”˜¦\u009d]"
)
_HALF_WIDE = re.compile(r"[\uff61-\uff9f]")
_KANA, _HANGUL = re.compile(r"[\u3041-\u30ff]"), re.compile(r"[\uac00-\ud7a3]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_LEAST_KANA, _LEAST_HANGUL, _MOST = 0.1, 0.85, 0.6  # shares of what is not ASCII in a text
LEAST_REFUSED = 8  # such bytes that are no accident
# What the letters of central Europe and Turkey become in Windows-1252: signs inside words, and
# letters that no language of western Europe has beside each other.
_SIGN_IN_WORD = re.compile(r"[^\W\d_][¿³¹¼¾£¥±¶©®•™][^\W\d_]")
_CAPITAL_IN_WORD = re.compile(r"(?<=[a-zß-öø-ÿ])[À-ÖØ-ÞŠŽ]")
_MIXED = (
    (re.compile(r"[øØ]"), re.compile(r"[ìèùòÌÈÙÒ]")),  # Czech ř beside ě, č, ů, ň
    (re.compile(r"[þðÞÐ]"), re.compile(r"[çüÇÜ]")),  # Turkish ş and ğ beside ç and ü
    (re.compile(r"[õÕ](?![eE])|[ûÛ](?=\w*õ)"), re.compile(r"[áéíóúÁÉÍÓÚ]")),  # Hungarian ő, ű
)
_MOST_LETTERS = 0.95  # share of the bytes in rows that are letters
_AT_LETTER = re.compile(r"[a-z][\u4e00-\u9fff]|[\u4e00-\u9fff][a-z]")
_MOST_AT_LETTERS = 0.3  # share of Chinese signs that touch a small Latin letter
_LEAST_ODD, _SHARE_ODD = 3, 0.04  # of the signs beyond ASCII
UNKNOWN = (
    "{} is in an encoding that is not UTF-8 and that its content does not tell{}: name it with "
    "--encoding, or save it as UTF-8 (in Excel 'CSV UTF-8')."
)
_ESCAPES = {b"\x1b$B": "iso2022_jp_ext", b"\x1b$)C": "iso2022_kr"}
# what a file may be where its content makes words in no encoding that is told apart
_USUAL = (
    *("shift_jis", "euc_jp", "big5", "euc_kr", "gb18030", "cp1252", "cp1250", "cp1251", "cp1253"),
    *("cp1254", "cp1255", "cp1256"),
)
LEAST_OF_KOREA = 8  # signs that are no accident: those of Chinese fall among them, too
MOST_NAMED = 5  # encodings
_NAMED: ContextVar[str] = ContextVar("encoding", default="")
_NOTES: ContextVar[list[str] | None] = ContextVar("notes on encodings", default=None)


@contextmanager
def of_files(encoding: str) -> Iterator[list[str]]:
    """Within it files that are not UTF-8 are read in the `encoding` named ('': what their content
    tells); gives the list of notes on how files were read. Raises FileError for a name that Python
    does not know."""
    try:
        named = _NAMED.set(codecs.lookup(encoding).name if encoding else "")
        b"".decode(encoding or "utf-8")
    except LookupError:
        raise FileError(
            f"--encoding {encoding}: there is no such encoding; names are cp1250 (central Europe), "
            "cp1251 (Cyrillic), cp1252 (western Europe), cp1253 (Greek), cp1254 (Turkish), "
            "iso8859-15, mac_roman, shift_jis, gb18030, big5, euc_kr."
        ) from None
    notes: list[str] = []
    collecting = _NOTES.set(notes)
    try:
        yield notes
    finally:
        _NAMED.reset(named)
        _NOTES.reset(collecting)


def named_encoding() -> str:
    """The encoding somebody named for the files that are read now; '' for none."""
    return _NAMED.get()


def decode(content: bytes, name: str = "The file") -> str:
    """Text of a file: UTF-8 or UTF-16 with or without their marks, an encoding of East Asia, or
    what makes most letters of it: Windows-1252, or what an old Mac or DOS wrote; what that leaves
    undefined is read as Latin-1. In a file of which a part is UTF-8 each letter is read as its own.
    An encoding that is named (`of_files`) goes before all but UTF-8. Raises FileError, with the
    `name` of the file, for an encoding that is not told."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace")
    if wide := _wide_encoding(content[:1000]):
        return content.decode(wide, errors="replace")
    if escaped := _of_escapes(content):
        return escaped
    try:
        written = content.decode("utf-8-sig")
        if named_encoding() not in ("", "utf-8", "utf-8-sig") and not written.isascii():
            _note(f"{name} is UTF-8 and is read as such, not as {named_encoding()}.")
        if _TWICE.search(written):
            _note(
                f"{name} has letters that a program decoded wrongly (such as Ã© for é), which are "
                "read as they stand: export it again from its source."
            )
        return written
    except UnicodeDecodeError as error:
        if named_encoding():
            return _as_named(content, name)
        whole = content[: error.start]
        # a letter cut in half at the very end means a truncated file, not another encoding
        if error.reason == "unexpected end of data" and not whole.isascii():
            return whole.decode("utf-8-sig")
    rest = _UTF8.sub(b" ", content)
    is_text = _CONTROL.search(content) is None
    if is_text and _stand_in_rows(content) and _stand_in_rows(rest):
        if of_signs := _of_east_asia(content):
            return _settled(content, of_signs, name)
        in_rows = _RUN.findall(content)
        if sum(map(len, in_rows)) >= LEAST_REFUSED and not _are_of_names(in_rows, rest):
            raise _unknown(name, code_pages.others(code_pages.sample(content), ""), content)
    encoding = _western(rest)
    if rest != content and not _stand_in_rows(rest):
        return _of_two(content, encoding)
    return _of_one(content, encoding, name) if is_text else _of_latin(content, encoding)


def _of_escapes(content: bytes) -> str | None:
    """A text of Japan or Korea in an encoding of seven bits, which escapes tell; None for any
    other."""
    names = [name for escape, name in _ESCAPES.items() if escape in content]
    return _decoded(content, names[0]) if len(names) == 1 and content.isascii() else None


def _of_latin(content: bytes, encoding: str) -> str:
    written = _decoded(content, encoding)
    return content.decode("latin-1") if written is None else written


def _of_one(content: bytes, encoding: str, name: str) -> str:
    """A text in the `encoding` of western Europe that makes most letters of it, or in the only
    other one that makes words of it. Raises FileError if it makes none and others do; if others
    do, too, a note says so."""
    sample = code_pages.sample(content)
    as_usual = code_pages.reading(sample, "cp1252")
    if as_usual and as_usual.is_good:
        encoding = "cp1252"
    written = _of_latin(content, encoding)
    as_taken = code_pages.reading(sample, encoding)
    other = list(code_pages.others(sample, as_taken.text if as_taken else ""))
    if _is_of_elsewhere(written):
        raise _unknown(name, other, content)
    is_good = as_taken is not None and as_taken.is_good
    if not is_good and len(other) == 1 and other[0].encoding in code_pages.WEST:
        return content.decode(other[0].encoding)
    # of a Mac or of DOS are few files: what is as good in another encoding may be of it
    if other and (not is_good or encoding != "cp1252"):
        readings = [*filter(None, [as_taken if is_good else None]), *other]
        raise _unknown(name, readings, content)
    if other:
        _note(
            f"{name} is not UTF-8 and is read as {encoding} (western Europe); its content allows "
            f"{_listed(other)} as well: name the right one with --encoding."
        )
    return written


def _settled(content: bytes, written: str, name: str) -> str:
    """A text of East Asia. Raises FileError if it may be a short one of elsewhere."""
    if len(content) > code_pages.MOST_READ:
        return written
    other = list(code_pages.others(content, written))
    of_letters = [reading for reading in other if reading.encoding in code_pages.OF_LANGUAGES]
    n_signs = len(_HANGUL.findall(written))
    if of_letters or (0 < n_signs < LEAST_OF_KOREA and other):
        raise _unknown(name, other, content)
    return written


def _as_named(content: bytes, name: str) -> str:
    """A text in the encoding somebody named. Raises FileError, with the line, if it is not."""
    encoding = named_encoding()
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileError(
            f"{name}, line {line}: not a letter of {encoding}: name the encoding of the file with "
            "--encoding, or save it as UTF-8."
        ) from error


def _unknown(name: str, other: Iterable[code_pages.Reading], content: bytes) -> FileError:
    names = [reading.encoding for reading in other]
    if not names:
        names = [encoding for encoding in _USUAL if _decoded(content, encoding) is not None]
        return FileError(UNKNOWN.format(name, f" (it may be {_or(names, len(names))})"))
    listed = _or(names)
    return FileError(UNKNOWN.format(name, f" (it may be {listed})" if listed else ""))


def _listed(readings: Iterable[code_pages.Reading]) -> str:
    return _or(reading.encoding for reading in readings)


def _or(encodings: Iterable[str], n_most: int = MOST_NAMED) -> str:
    """'cp1250, cp1254 or koi8-r'"""
    names = list(dict.fromkeys(encodings))[:n_most]
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _note(text: str) -> None:
    if (notes := _NOTES.get()) is not None and text not in notes:
        notes.append(text)


def _is_of_elsewhere(written: str) -> bool:
    """Whether a text read as one of western Europe has what only other languages leave in it."""
    n_odd = len(_SIGN_IN_WORD.findall(written)) + len(_CAPITAL_IN_WORD.findall(written))
    for odd, beside in _MIXED:
        n_both = min(len(odd.findall(written)), len(beside.findall(written)))
        n_odd += 2 * n_both if n_both > 1 else 0
    n_beyond = len(_BEYOND_ASCII.findall(written))
    return n_odd >= _LEAST_ODD and n_odd >= _SHARE_ODD * n_beyond


def _are_of_names(in_rows: list[bytes], content: bytes) -> bool:
    """Whether bytes beside each other are pairs of letters of western Europe: 'Núñez', 'ções'."""
    encoding = _western(content)
    odd = _odd(content)
    n_letters = sum(_is_in_word(part, encoding) for part in odd)
    return max(map(len, in_rows)) == 2 and n_letters >= _MOST_LETTERS * len(odd)


def _stand_in_rows(content: bytes) -> bool:
    """Whether most bytes beyond ASCII stand beside another one."""
    n_in_rows = sum(map(len, _RUN.findall(content)))
    return n_in_rows >= LEAST_IN_A_ROW and 2 * n_in_rows > len(_HIGH.findall(content))


def _western(content: bytes) -> str:
    """The encoding that makes most letters of the bytes beyond ASCII."""
    odd = _odd(content)
    return max(ENCODINGS, key=lambda name: sum(_is_in_word(part, name) for part in odd))


def _odd(content: bytes) -> list[bytes]:
    """The first bytes beyond ASCII, each between its neighbours."""
    padded = b" " + content + b" "
    places = islice(_HIGH.finditer(padded), MOST_LETTERS_TRIED)
    return [padded[match.start() - 1 : match.end() + 1] for match in places]


def _of_two(content: bytes, encoding: str) -> str:
    """A text of which some parts are UTF-8 and others of `encoding`."""
    own = encoding if _decoded(content, encoding) else "latin-1"
    parts = enumerate(_UTF8.split(content.removeprefix(codecs.BOM_UTF8)))
    return "".join(part.decode("utf-8" if at % 2 else own) for at, part in parts)


def _of_east_asia(content: bytes) -> str | None:
    """A text of China, Japan or Korea; None for one that is none of them, or may be two."""
    for encoding in ("cp932", "euc_jp"):
        if (written := _decoded(content, encoding)) and _share(_KANA, written) >= _LEAST_KANA:
            return written if _share(_HALF_WIDE, written) < _LEAST_KANA else None
    if (written := _decoded(content, "euc_kr")) and _share(_HANGUL, written) >= _MOST:
        # a few words of Chinese may be as many signs of Korea
        return written if _share(_HANGUL, written) >= _LEAST_HANGUL else None
    # 'ciężka' of Windows-1250 decodes as well, with signs of China in its words
    chinese = [
        written
        for encoding in ("gb2312", "big5", "gb18030", "cp932")
        if (written := _decoded(content, encoding))
        and _share(_HAN, written) >= _MOST
        and len(_AT_LETTER.findall(written)) <= _MOST_AT_LETTERS * len(_HAN.findall(written))
    ]
    # GB 18030 decodes nearly anything: it comes last, and what may be Japanese is not guessed
    is_of_japan = _decoded(content, "cp932") in chinese
    return chinese[0] if chinese and not is_of_japan else None


def _decoded(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def _share(pattern: re.Pattern[str], written: str) -> float:
    """The share of signs beyond ASCII that are of a pattern, 0 to 1."""
    return len(pattern.findall(written)) / max(1, len(_BEYOND_ASCII.findall(written)))


def _wide_encoding(start: bytes) -> str | None:
    """UTF-16 without its mark, where every other byte is none."""
    n_units = len(start) // 2
    if n_units < 4 or b"\x00" not in start:
        return None
    for encoding, zeros in (("utf-16-le", start[1::2]), ("utf-16-be", start[::2])):
        if zeros.count(0) > 0.8 * n_units and start.count(0) < 0.6 * len(start):
            return encoding
    return None


def _is_in_word(part: bytes, encoding: str) -> bool:
    """Whether a byte between two others makes a letter of western Europe, as small as its word, or
    a sign that stands at a word."""
    try:
        written = part.decode(encoding)
    except UnicodeDecodeError:
        return False
    before, letter, after = written[0], written[1], written[2]
    if letter in "“‘":
        return after.isalpha() and not before.isalpha()
    if letter in "’”…":
        return before.isalpha() and (letter == "’" or not after.isalpha())
    if before.isalpha():
        is_small = before.islower() or after.islower()
        return letter in (OF_WORDS if is_small else OF_WORDS.upper())
    return after.isalpha() and letter in OF_WORDS + OF_WORDS.upper()
