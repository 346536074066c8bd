"""Lists of names with a score each: 'Gout: 0.45; Influenza: 0.3', in one line or several."""

import re

# of a name and its score, up to the sign behind them; a name has no colon and no semicolon
_ENTRY = re.compile(
    r"\s*\"?(?P<name>[^:;|\n\"{}]{1,160}?)\"?\s*(?:[:=(]|\s[-–—]\s|\t)\s*"
    r"(?P<score>[01](?:[.,]\d+)?|[.]\d+|\d{1,3}(?:[.,]\d+)?\s?%)\s*\)?\s*(?:[;|\n]|,(?!\d)|\Z)\s*"
)
# as Python prints a pair
_PAIR = re.compile(
    r"\s*\(\s*(?P<sign>[\"'])(?P<name>[^\n]{1,160}?)(?P=sign)\s*,\s*"
    r"(?P<score>[01](?:[.]\d+)?|\d{1,3}(?:[.]\d+)?\s?%)\s*\)\s*(?:[;,\n]|\Z)\s*"
)
FEWEST = 2


def numbered_by_score(text: str) -> str | None:
    """The names as a numbered list, the highest score first and equal ones as they were written;
    None for a text that is anything else. Scores are shares or percentages, one kind for all."""
    body = text.strip().removeprefix("{").removesuffix("}").strip()
    entries: list[tuple[str, str]] = []
    position = 0
    while position < len(body):
        entry = _PAIR.match(body, position) or _ENTRY.match(body, position)
        if not entry or not any(map(str.isalpha, entry["name"])):
            return None
        entries.append((entry["name"].strip("'* "), entry["score"]))
        position = entry.end()
    are_shares = {not score.endswith("%") for _, score in entries}
    scores = [float(score.rstrip("% ").replace(",", ".")) for _, score in entries]
    if len(entries) < FEWEST or len(are_shares) > 1 or any(score > 100 for score in scores):
        return None
    order = sorted(range(len(entries)), key=lambda number: -scores[number])
    return "\n".join(f"{rank}. {entries[at][0]}" for rank, at in enumerate(order, 1))
