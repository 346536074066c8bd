"""Text of a file whose encoding nobody named.

UTF-8 that decodes is UTF-8 for all practical purposes. Hospital exports that are not are mostly of
western Europe, where accented letters stand alone between plain ones; in the encodings of East Asia
bytes of letters follow each other.
"""

import codecs
import re
from itertools import islice

from python_llm.errors import FileError

ENCODINGS = ("cp1252", "mac_roman", "cp850")  # of two that fit as well the first
OF_WORDS = "áàâäãåæçéèêëíìîïñóòôöõøœúùûüýÿß"
MOST_LETTERS_TRIED = 2_000
LEAST_IN_A_ROW = 4  # bytes beyond ASCII that tell an encoding of East Asia
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # no text has them
_HIGH = re.compile(rb"[\x80-\xff]")
_RUN = re.compile(rb"[\x80-\xff]{2,}")
# letters and signs of western Europe in UTF-8, hardly ever anything in another encoding
_UTF8 = re.compile(rb"([\xc2-\xc5][\x80-\xbf]|\xe2[\x80-\x82][\x80-\xbf])")
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
    "{} is in an encoding that is not UTF-8 and not told from others (those of western Europe and, "
    "mostly, of China, Japan and Korea are): save it as UTF-8 (in Excel 'CSV UTF-8')."
)


def decode(content: bytes, name: str = "The file") -> str:
    """Text of a file: UTF-8 or UTF-16 with or without their marks, an encoding of East Asia, or
    what makes most letters of it: Windows-1252, or what an old Mac or DOS wrote; what that leaves
    undefined is read as Latin-1. In a file of which a part is UTF-8 each letter is read as its own.
    Raises FileError, with the `name` of the file, for an encoding that is not told."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace")
    if wide := _wide_encoding(content[:1000]):
        return content.decode(wide, errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        whole = content[: error.start]
        # a letter cut in half at the very end means a truncated file, not another encoding
        if error.reason == "unexpected end of data" and not whole.isascii():
            return whole.decode("utf-8-sig")
    rest = _UTF8.sub(b" ", content)
    is_text = _CONTROL.search(content) is None
    if is_text and _stand_in_rows(content) and _stand_in_rows(rest):
        if written := _of_east_asia(content):
            return written
        in_rows = _RUN.findall(content)
        if sum(map(len, in_rows)) >= LEAST_REFUSED and not _are_of_names(in_rows, rest):
            raise FileError(UNKNOWN.format(name))
    encoding = _western(rest)
    if rest != content and not _stand_in_rows(rest):
        return _of_two(content, encoding)
    written = _decoded(content, encoding)
    written = content.decode("latin-1") if written is None else written
    if is_text and _is_of_elsewhere(written):
        raise FileError(UNKNOWN.format(name))
    return written


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
