"""Whatever a command prints, without what a terminal would obey.

Texts of models, records and files reach the screen. A control character in them could move the
cursor, rename the window or write over what stands there, and a mark of direction could show a
sentence in another order than it is stored in. All are printed as \\uXXXX, which is also what JSON
means by it.
"""

import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from python_llm.audit import secrets

# C0 but tab and line feed, DEL, C1, marks of direction, separators of lines, invisible tags
CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
    "|[\U000e0000-\U000e007f]|[\ud800-\udfff]"
)
# what tqdm moves its bars with, each in a call of its own
BAR = re.compile(r"\n*(?:\x1b\[A)*|\r")


def plain(text: str) -> str:
    """A text with every character that a terminal obeys written out."""
    return CONTROLS.sub(_written_out, text.replace("\r\n", "\n"))


def shown(text: str) -> str:
    """What is printed of a text: plain, and without a key that this process was given."""
    return plain(secrets.redacted(text))


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code > 0xFFFF:
        high, low = divmod(code - 0x10000, 0x400)
        return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
    return f"\\u{code:04x}"


class _Plain:
    """A stream that takes everything and passes it on plain. has_bars: bars may move on it."""

    def __init__(self, stream: TextIO, *, has_bars: bool) -> None:
        self._stream, self._has_bars = stream, has_bars

    def write(self, text: str) -> int:
        if self._has_bars and BAR.fullmatch(text):
            return self._stream.write(text)
        if self._has_bars and text.startswith("\r"):
            return self._stream.write("\r" + shown(text[1:]))
        return self._stream.write(shown(text))

    def writelines(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def printing_plainly() -> Iterator[None]:
    """Standard output and error take nothing that a terminal obeys."""
    streams: Any = sys.stdout, sys.stderr
    sys.stdout = _Plain(streams[0], has_bars=False)
    sys.stderr = _Plain(streams[1], has_bars=True)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def fail_plainly() -> None:
    """A traceback, which Python prints when everything else has ended, holds to it, too."""

    def print_failure(kind: Any, error: Any, trace: Any) -> None:
        sys.stderr.write(shown("".join(traceback.format_exception(kind, error, trace))))

    sys.excepthook = print_failure
