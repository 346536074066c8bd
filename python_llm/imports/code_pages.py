"""What a text of one byte a letter may say: which encodings make words of a language of it.

The same byte is ñ in western and ń in central Europe. A reading is good if each word with a letter
beyond ASCII could be one of a language: it has letters of one alphabet, of one case, and no sign in
its middle. Rules on single letters are those of the languages' spelling: ñ stands before a vowel.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

# letters beyond a to z, by language
WESTERN = (
    *("áéíóúüñ", "áàâãçéêíóôõúü", "àâæçéèêëîïôœùûüÿ", "äöüß", "àèéìîòóù", "àçèéíïòóúü·"),
    *("éèëïöüáóíêä", "æøåéóòêâ", "åäöé", "áðéíóúýþæö", "éèëñ"),
)
CENTRAL = (
    *("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîşţ"),
    *("ăâîșț", "äöüß", "áéíóúý"),
)
TURKISH = ("çğıöşüiâîû",)
BALTIC = ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž", "ąćęłńóśźż")
RUSSIAN = ("абвгдежзийклмнопрстуфхцчшщъыьэюяё", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя")
GREEK = ("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ",)
WEST = ("cp1252", "mac_roman", "cp850", "iso8859-15")
# encodings that are named, the likeliest first, and the languages they are for
OF_LANGUAGES = {
    **dict.fromkeys(WEST, WESTERN),
    **dict.fromkeys(("cp1250", "iso8859-2", "cp852", "mac_latin2"), CENTRAL),
    **dict.fromkeys(("cp1254", "cp857"), TURKISH),
    "cp1257": BALTIC,
    **dict.fromkeys(("cp1251", "koi8-r", "cp866"), RUSSIAN),
    **dict.fromkeys(("cp1253", "cp737"), GREEK),
}
OF_SIGNS = ("cp932", "gb18030", "big5", "euc_kr", "euc_jp")  # of East Asia
MOST_READ = 2**18  # bytes that tell
_WORD = re.compile(r"[^\s!-&(-/:-@[-`{-~]*[^\x00-\x7f\s\xa0][^\s!-&(-/:-@[-`{-~]*")
_NAMES = re.compile(r"[-–—]")
_DASH = re.compile(r"[a-zà-ÿ][–—][a-zà-ÿ]")  # 'ni–o', and rarely 'dose–response'
_EDGES = "“”‘’'„‚«»‹›¿¡…•·€£§©®™°ºª±×÷µ²³¹½¼¾†‡‰¶–—0123456789"
_UNIT = re.compile(r"(?:\d|\b[mcdkµ]?m|\bl|\bkg|\bCO|\bO|\bH|\bx|\by)[²³¹]")
_RAISED = re.compile(r"[a-zà-ÿ][³¹¼¾]|(?<![\w.])[³¹¼¾£¥][a-z]|(?<![\w.])[ºª][a-zà-ÿ]{2}")
_APOSTROPHE = re.compile(
    r"’(?:s|t|d|m|ll|re|ve|em|n)?$"
    r"|^(?:[ldjmnstcođ]|qu|jusqu|lorsqu|puisqu|aujourd|[dansqu]\w*ll|un|gl|grand)’",
    re.IGNORECASE,
)
# spellings that no language of western Europe has, and two that Polish and Slovak have not
_NOT_WESTERN = re.compile(
    r"ñ(?![aeiouáéíóúü])|õ(?!e)|[eaè]è(?=\w)|è(?=[aeiouk])|[ìù](?=\w)|ã(?![oeszn]|$)"
    r"|[kwyjx]œ|œ(?![udtscnmlirbp])"
)
_NOT_CENTRAL = re.compile(r"ń(?=[aeiouyáéó])|ŕ(?=[aeiouyáéó]|$)|^ŕ|[ăşţ]ş|[äöüß]{2}")
_ICELANDIC, _SOUTHERN = re.compile(r"[ðþýÐÞÝ]"), re.compile(r"[çüößÇÜÖ]")
_OF_ICELAND = re.compile(r"[áíúæÁÍÚÆ]")
_ALLOWED_FAULTS = 0.02  # share of the words with letters beyond ASCII
_EASTERN = re.compile(r"[\u3001-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9e]")
_AT_LETTER = re.compile(r"[A-Za-z](?=[^\x00-\x7f])|[^\x00-\x7f](?=[A-Za-z])")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u04ff]")  # of Greek and Russian
_LATIN = re.compile(r"[A-Za-z]")


class Reading(NamedTuple):
    """A text as an encoding has it, and how many of its words with letters beyond ASCII cannot be
    words."""

    encoding: str
    text: str
    n_words: int
    n_faults: int

    @property
    def is_good(self) -> bool:
        """Whether (nearly) all words could be words, and there are some or only signs."""
        return self.n_faults <= _ALLOWED_FAULTS * self.n_words


def sample(content: bytes) -> bytes:
    """The lines of a text that have letters beyond ASCII, as many as tell."""
    lines = (line for line in content.split(b"\n") if not line.isascii())
    taken, n_bytes = [], 0
    for line in lines:
        taken.append(line)
        n_bytes += len(line)
        if n_bytes > MOST_READ:
            break
    return b"\n".join(taken)


def reading(content: bytes, encoding: str) -> Reading | None:
    """A text as one encoding has it; None if it has bytes the encoding has no letter for."""
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return None
    if any("\x7f" < sign < "\xa0" for sign in text):  # control signs, which no text has
        return None
    return _judged(encoding, text, OF_LANGUAGES[encoding])


def others(content: bytes, taken: str) -> Iterator[Reading]:
    """Good readings of a text that say something else than the one `taken`."""
    texts = {taken}
    for encoding in OF_LANGUAGES:
        other = reading(content, encoding)
        if other and other.n_words and other.is_good and other.text not in texts:
            texts.add(other.text)
            yield other
    for encoding in OF_SIGNS:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        beyond = [sign for sign in text if sign > "\x7f"]
        n_at_letters = len(_AT_LETTER.findall(text))
        is_eastern = all(map(_EASTERN.match, beyond)) and n_at_letters <= 0.3 * len(beyond)
        if beyond and text not in texts and is_eastern:
            texts.add(text)
            yield Reading(encoding, text, len(beyond), 0)


def _judged(encoding: str, text: str, alphabets: Iterable[str]) -> Reading:
    """How many words of a text are no words of the languages: of western Europe each word may be of
    another, elsewhere all are of one."""
    words = _WORD.findall(text)
    parts = [part for word in words for part in _NAMES.split(word)]
    bare = [part.strip(_EDGES) for part in parts]
    lettered = [word for word in bare if not word.isascii()]
    if encoding in WEST:
        n_faults = sum(_is_fault(word, alphabets) for word in lettered)
        n_faults += _of_turkey(lettered)
    else:
        n_faults = min(
            sum(_is_fault(word, (letters,), _NOT_CENTRAL) for word in lettered)
            for letters in alphabets
        )
    n_faults += _raised(text) + sum(_DASH.search(word) is not None for word in words)
    return Reading(encoding, text, len(words), n_faults)


def _is_fault(word: str, alphabets: Iterable[str], no: re.Pattern[str] = _NOT_WESTERN) -> bool:
    """Whether no language spells a word in this way."""
    if "’" in word:
        if not _APOSTROPHE.search(word):
            return True
        return any(_is_fault(part, alphabets, no) for part in word.split("’") if part)
    letters = {sign.lower()[0] for sign in word if sign > "\x7f"} - {"i"}  # of İ
    is_of_other_script = any(map(_OTHER_SCRIPT.match, letters))
    if is_of_other_script and _LATIN.search(word):
        return True
    if not any(letters <= set(alphabet) for alphabet in alphabets):
        return True
    return not _has_one_case(word) or no.search(word.lower()) is not None


def _has_one_case(word: str) -> bool:
    """Whether letters beyond ASCII are as small or as large as those beside them."""
    for before, letter in pairwise(word):
        if letter > "\x7f" and letter.isupper() and before.islower():
            return False
    is_shouted = len(word) > 2 and sum(sign.isupper() for sign in word) > 1
    small = [sign for sign in word if sign > "\x7f" and sign.islower() and sign not in "ßı"]
    plain = [sign for sign in word[1:] if sign.isascii() and sign.isalpha()]
    begins_large = word[0] > "\x7f" and word[0].isupper() and len(word) > 1
    if begins_large and plain and not (plain[0].islower() or is_shouted):
        return False
    return not (small and is_shouted and plain and all(sign.isupper() for sign in plain))


def _raised(text: str) -> int:
    """How many raised figures and signs stand at letters, other than those of units."""
    return len(_RAISED.findall(_UNIT.sub(" ", text))) + (
        len(re.findall(r"¿(?=\w)", text)) if "?" not in text else 0
    )


def _of_turkey(words: list[str]) -> int:
    """How many words have letters of Iceland in a text that is none of Iceland."""
    n_words = sum(_ICELANDIC.search(word) is not None for word in words)
    whole = " ".join(words)
    is_of_iceland = _OF_ICELAND.search(whole) and not _SOUTHERN.search(whole.replace("ö", ""))
    return 0 if is_of_iceland else n_words
