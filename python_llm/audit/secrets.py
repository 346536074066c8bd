"""Takes keys and passwords out of texts, however they are written there.

A server repeats a key as it came, or as its log writes it: in base64, in hex, quoted for a URL,
escaped for JSON or HTML, in other case, broken into lines. So a text is compared twice, as it is
and with its escapes undone, and both times as its letters and digits alone, in lower case. What
separates them then makes no difference.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    import numpy as np

MARK = "[key]"
# The name of a variable that holds one; a longer one without an underscore is the key itself.
VARIABLE = r"^[A-Za-z_]([A-Za-z0-9]{0,18}|[A-Za-z0-9]*_[A-Za-z0-9_]*)$"
# A shorter one may be a word: local servers are given keys such as `none`.
SHORTEST = 12
# Letters and digits from which on no sentence has them by chance, and from which on half of them
# is a secret still.
SHORTEST_LOOSE, SHORTEST_WORDS, SHORTEST_HALVED = 10, 20, 20

# Variables that are named after what they hold.
_NAMED = re.compile(
    r"(?:^|_|^PG|SSL)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|WEBHOOK)"
    r"(?:_|\d|$)|^sig(nature)?$",
    re.I,
)
# What is a secret whoever's it is: tokens that an SDK fetched are in no variable.
_SHAPES = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?:\\[nr]|\s)*(?:[\w+/=]{4,}(?![ \w])|\[key\]))*"
    r"(?:(?:\\[nr]|\s)*-----END [A-Z ]*PRIVATE KEY-----)?"
    r"|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"  # JWT
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bya29\.[\w-]{20,}|\bAIza[\w-]{35}"
    r"|\bsk-(?=[A-Za-z0-9_-]{20})(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]+"
    r"|(?<=Bearer )[\w.~+/-]{20,}=*|(?<=Basic )[\w+/]{20,}=*"
)
_SHAPED = ("PRIVATE KEY", "eyJ", "AKIA", "ASIA", "ya29.", "AIza", "sk-", "Bearer ", "Basic ")
_OTHERS = bytes(set(range(256)) - set(b"abcdefghijklmnopqrstuvwxyz0123456789"))
_IS_LETTER = bytes(code not in _OTHERS for code in range(256))
# One character as some notation writes it, or what a terminal or a log put between two.
_WRITTEN = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|\\\\*(?:[uU]001[bB]|x1[bB]|033|e)\[[0-9;?]*[@-~]"
    r"|\\\\*[uU]\{?([0-9a-fA-F]{4})\}?|\\\\*[xX]([0-9a-fA-F]{2})|%(?:25)*([0-9a-fA-F]{2})"
    r"|\\\\*([0-7]{3})|(&(?:amp;)*#?\w{1,8};)|<[bB][rR] ?/?>|\\\\*[nrtbfv]"
)
_ESCAPING = ("\\", "%", "&", "\x1b", "<")


class Redactor:
    """Finds some secrets in texts. secrets: as whoever uses them has them."""

    def __init__(self, secrets: Iterable[str]) -> None:
        parts = {part for secret in secrets for part in _parts(secret)}
        self.exact = sorted((part for part in parts if len(part) >= SHORTEST), key=len)[::-1]
        loose = [secret for secret in self.exact if _is_loose(secret)]
        forms = {form for secret in self.exact for form in _encoded(secret)}
        forms = {form for form in forms if len(form) >= SHORTEST}
        forms |= {form for secret in loose for form in _as_it_is(secret)}
        self._forms = sorted(forms, key=len, reverse=True)
        # what has letters like a sentence's is looked for with its signs
        strict = [re.escape(secret) for secret in self.exact if secret not in loose]
        strict += [re.escape(secret[::-1]) for secret in self.exact if secret not in loose]
        self._strict = re.compile("|".join(strict), re.IGNORECASE) if strict else None
        # halves, each with the whole and where it stands there
        wholes = {_letters(secret) for secret in loose}
        self._halved = {
            half: (whole, at) for whole in wholes for at, half in _halves(whole) if half != whole
        }

    def redacted(self, text: str) -> str:
        """The text with every secret, in whatever form, replaced by a mark."""
        for secret in self.exact:
            text = text.replace(secret, MARK)
        if self._strict:
            text = self._strict.sub(MARK, text)
        if self._forms:
            for undo in (True, False):
                while spans := self._spans(text, undo=undo):
                    for start, end in reversed(spans):
                        text = text[:start] + MARK + text[end:]
        if any(shape in text for shape in _SHAPED):
            text = _SHAPES.sub(MARK, text)
        return text

    def _spans(self, text: str, *, undo: bool) -> list[tuple[int, int]]:
        """Where the text has a secret, from left to right and apart from one another. undo: compare
        with escapes undone."""
        if undo and not any(sign in text for sign in _ESCAPING):
            return []
        compared = _letters(_undone(text) if undo else text)
        forms = [form for form in self._forms if form in compared]
        if not forms:
            return []
        letters, places = _placed(text, undo=undo)
        spans: list[tuple[int, int]] = []
        for form in forms:
            end = 0
            while (start := letters.find(form, end)) >= 0:
                end = start + len(form)
                first, last = _widened(letters, start, end, self._halved.get(form))
                spans.append((places[first][0], places[last - 1][1]))
        return _apart(spans)


def redacted(text: str) -> str:
    """A text without the secrets that the environment of this process holds."""
    return of_environment().redacted(text)


_further_names: set[str] = set()


def look_in(names: Iterable[str | None]) -> None:
    """Count what is in these variables as secret, too: a registry may call them anything."""
    _further_names.update(name for name in names if name)


def of_environment() -> Redactor:
    return redactor(tuple(sorted(_held(os.environ))))


@lru_cache(maxsize=32)
def redactor(secrets: tuple[str, ...]) -> Redactor:
    return Redactor(secrets)


def _held(environment: Mapping[str, str]) -> Iterable[str]:
    for name, value in environment.items():
        if "://" in value:
            yield from _passwords(value)
        is_named = name in _further_names or _NAMED.search(name) is not None
        if is_named and len(value) >= SHORTEST and not os.path.exists(value):
            yield value


def _passwords(address: str) -> Iterable[str]:
    """The password in an address, and what its query says under the name of a secret."""
    try:
        parts = urlsplit(address.strip())
        yield parts.password or ""
    except ValueError:
        return
    for pair in parts.query.split("&"):
        name, _, value = pair.partition("=")
        if _NAMED.search(name.replace("-", "_")):
            yield value


def _parts(secret: str) -> Iterable[str]:
    """A secret, and what of it is one by itself: its lines, what a URL meant by it."""
    secret = secret.strip()
    yield secret
    yield unquote(secret)
    if "\n" in secret or "\\n" in secret:
        for line in re.split(r"\\n|\s+", secret):
            if len(line) >= SHORTEST_HALVED and not line.startswith("-----"):
                yield line


def _is_loose(secret: str) -> bool:
    """Whether no sentence has its letters and digits by chance."""
    letters = _letters(secret)
    has_digit = any(48 <= code <= 57 for code in letters)
    return len(letters) >= (SHORTEST_LOOSE if has_digit else SHORTEST_WORDS)


def _as_it_is(secret: str) -> Iterable[bytes]:
    """What is left of a secret, forwards, backwards and in half, once it is letters and digits
    alone."""
    plain = _letters(secret)
    yield plain
    yield plain[::-1]
    yield from (half for _, half in _halves(plain))


def _encoded(secret: str) -> Iterable[bytes]:
    """What is left of every way to encode a secret, once it is letters and digits alone."""
    data, wide = secret.encode("utf-8", "replace"), secret.encode("utf-16-le", "replace")
    yield data.hex().encode()
    yield wide.hex().encode()
    yield secret.encode("utf-16-be", "replace").hex().encode()
    yield "".join(f"u{ord(character):04x}" for character in secret).encode()
    for number in ("x{:02x}", "0x{:02x}", "{}", "{:03o}", "{:o}"):
        yield "".join(number.format(code) for code in data).encode()
    yield _letters(base64.b32encode(data).decode())
    for text in (data, wide, base64.b64encode(data)):
        for written in _base64(text):
            yield written
            yield written[::-1]
    for encode in (base64.b85encode, base64.a85encode):
        yield from _base85(data, encode)


def _base64(data: bytes) -> Iterable[bytes]:
    """The base64 of data at the three places where it may begin in a longer text."""
    for shift in range(3):
        written = base64.b64encode(bytes(shift) + data).decode()
        first = (shift * 8 + 5) // 6
        last = (shift + len(data)) * 8 // 6
        yield _letters(written[first:last])


def _base85(data: bytes, encode: Callable[[bytes], bytes]) -> Iterable[bytes]:
    """The base85 of data alone, and at the four places where it may begin in a longer text: five
    characters are four bytes, so that of a group which others share nothing is known."""
    yield _letters(encode(data).decode())
    for shift in range(4):
        whole = data[-shift % 4 :]
        yield _letters(encode(whole[: len(whole) // 4 * 4]).decode())


def _undone(text: str) -> str:
    simple = text
    for common in ("\\n", '\\"', "\\t", "\\r"):  # what most answers have, and no others
        simple = simple.replace(common, "")
    return _WRITTEN.sub(_meant, text) if any(sign in simple for sign in _ESCAPING) else simple


def _letters(text: str) -> bytes:
    return text.encode("ascii", "ignore").lower().translate(None, _OTHERS)


def _halves(plain: bytes) -> Iterable[tuple[int, bytes]]:
    """The halves of a long secret, which are secrets still, and where they begin."""
    if len(plain) >= SHORTEST_HALVED:
        middle = len(plain) // 2
        yield from ((0, plain[:middle]), (middle, plain[middle:]))


def _widened(
    letters: bytes, start: int, end: int, half: tuple[bytes, int] | None
) -> tuple[int, int]:
    """The span of half a secret with as much of the rest as stands beside it."""
    if half is None:
        return start, end
    whole, at = half
    left, right = whole[:at], whole[at + end - start :]
    while left and start and letters[start - 1] == left[-1]:
        start, left = start - 1, left[:-1]
    while right and end < len(letters) and letters[end] == right[0]:
        end, right = end + 1, right[1:]
    return start, end


class _Places:
    """Where in a text each of its letters and digits is written."""

    def __init__(self, starts: np.ndarray, ends: Mapping[int, int]) -> None:
        self._starts, self._ends = starts, ends

    def __getitem__(self, number: int) -> tuple[int, int]:
        start = int(self._starts[number])
        return start, self._ends.get(start, start + 1)


def _placed(text: str, *, undo: bool) -> tuple[bytes, _Places]:
    """The letters and digits of a text, and where in it each of them is written."""
    import numpy as np  # a command without a key needs none, and starts sooner

    codes = bytearray(text.encode("ascii", "replace").lower())  # one for each character
    ends: dict[int, int] = {}
    for match in _WRITTEN.finditer(text) if undo else ():
        start, end = match.span()
        codes[start:end] = bytes(end - start)
        if letter := _letters(_meant(match)[:1]):
            codes[start], ends[start] = letter[0], end
    written = bytes(codes)
    starts = np.flatnonzero(np.frombuffer(written.translate(_IS_LETTER), np.uint8))
    return written.translate(None, _OTHERS), _Places(starts, ends)


def _meant(match: re.Match[str]) -> str:
    """The character that an escape stands for; nothing for what only separates."""
    four, two, quoted, octal, entity = match.groups()
    if code := four or two or quoted:
        return chr(int(code, 16))
    if octal:
        return chr(int(octal, 8) & 0xFF)
    return (
        unescape(
            "&" + entity[1:].replace("amp;", "", entity.count("amp;") - (entity.lower() == "&amp;"))
        )
        if entity
        else ""
    )


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans from left to right, those that overlap as one."""
    apart: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if apart and start < apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart
