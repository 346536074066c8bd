"""Whether a text has any of many others in it, however many they are."""

from collections import defaultdict
from collections.abc import Callable, Iterable

FEW = 40  # from here on it is faster to look at every position of the text once
LENGTH = 16


def finder(pieces: Iterable[str]) -> Callable[[str], bool]:
    """A function that says whether one of `pieces` is in a text."""
    wanted = sorted({piece for piece in pieces if piece})
    if len(wanted) <= FEW:
        return lambda text: any(piece in text for piece in wanted)
    by_length: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for piece in wanted:
        beginning = piece[:LENGTH]
        by_length[len(beginning)][beginning].append(piece)

    def has_any(text: str) -> bool:
        for length, starts in by_length.items():
            for at in range(len(text) - length + 1):
                if (beginning := text[at : at + length]) in starts and any(
                    text.startswith(piece, at) for piece in starts[beginning]
                ):
                    return True
        return False

    return has_any
