"""Lists of names with a score each: 'Gout: 0.45; Influenza: 0.3', in one line or several."""

import re

# of a name and its score, up to the sign behind them; a name has no colon and no semicolon
_ENTRY = re.compile(
    r"\s*\"?(?P<name>[^:;|\n\"{}]{1,160}?)\"?\s*(?:[:=(]|\s[-–—]\s|\t)\s*"
    r"(?P<score>[01](?:[.,]\d+)?|[.]\d+|\d{1,3}(?:[.,]\d+)?\s?%)\s*\)?\s*(?:[;|\n]|,(?!\d)|\Z)\s*"
)
FEWEST = 2


def numbered_by_score(text: str) -> str | None:
    """The names as a numbered list, the highest score first and equal ones as they were written;
    None for a text that is anything else. Scores are shares or percentages, one kind for all."""
    body = text.strip().removeprefix("{").removesuffix("}").strip()
    entries: list[tuple[str, float]] = []
    kinds: set[bool] = set()
    position = 0
    while position < len(body):
        entry = _ENTRY.match(body, position)
        if not entry or not any(map(str.isalpha, entry["name"])):
            return None
        score = entry["score"].rstrip("% ").replace(",", ".")
        kinds.add(entry["score"].endswith("%"))
        entries.append((entry["name"].strip("'* "), float(score)))
        position = entry.end()
    if len(entries) < FEWEST or len(kinds) > 1 or any(score > 100 for _, score in entries):
        return None
    ranked = sorted(entries, key=lambda entry: -entry[1])
    return "\n".join(f"{rank}. {name}" for rank, (name, _) in enumerate(ranked, 1))
