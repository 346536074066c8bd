"""Lists in HTML and in tables, as text with an item a line.

HTML becomes what a browser shows of it, its list items with their numbers; the rows of a table of
diagnoses are numbered.
"""

import html
import re

# What makes a text HTML. '<think>', '<5 mg' and the elements of an answer in tags do not.
_IS_HTML = re.compile(r"<(?:li|ol|ul|p|div|h[1-6]|tr|table|body|html)(?:\s[^<>]*)?>", re.I)
_UNSEEN = re.compile(r"<(script|style|head|title)\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.I)
_TAG = re.compile(
    r"(?:(?<!\s)\s+)?<(?P<end>/?)(?P<block>ol|ul|li|p|div|h[1-6]|table|tbody|thead|tr|td|th|section|article|"
    r"body|html|dl|dt|dd|blockquote|!doctype)(?P<attributes>\s[^<>]*)?/?>\s*"
    r"|</?(?P<bold>b|strong)>|</?(?:i|em|u|span|font|small|a|code)(?:\s[^<>]*)?>",
    re.I,
)
_NUMBER = re.compile(r"\b(?:start|value)\s*=\s*[\"']?(\d{1,3})\b", re.I)
# What stands behind the number a browser gives an item, if the writer numbered it as well.
_NUMBERED_TWICE = re.compile(r"^([ ]*)\d{1,3}\. (?=\**\d{1,3}[.)]\s)", re.MULTILINE)
_INDENT, _DEEPEST = 4, 8


def without_html(text: str) -> str:
    """`text` itself, or if it has elements of HTML, what they show: blocks and list items begin a
    line, lists inside items are indented, cells of a table stand between bars."""
    if not _IS_HTML.search(text):
        return text
    lists: list[int | None] = []  # the last number of each open list; None: it has bullets

    def shown(tag: re.Match[str]) -> str:
        if tag["bold"]:
            return "**"
        name = (tag["block"] or "").lower()
        if name in ("ol", "ul"):
            if tag["end"]:
                del lists[-1:]
            else:
                first = _NUMBER.search(tag["attributes"] or "")
                lists.append((int(first[1]) if first else 1) - 1 if name == "ol" else None)
            return "\n"
        if name == "li" and not tag["end"]:
            return (
                "\n"
                + " " * _INDENT * (min(len(lists), _DEEPEST) - 1)
                + _marker(lists, tag["attributes"])
            )
        if name in ("td", "th"):
            return " |" if tag["end"] else " "
        if name == "tr" and not tag["end"]:
            return "\n|"
        return "\n" if name else ""

    body = _TAG.sub(shown, _UNSEEN.sub("", text))
    body = re.sub(r"^([ ]*(?:\d{1,3}\.|-)) *\n\s*", r"\1 ", body, flags=re.MULTILINE)
    return html.unescape(_NUMBERED_TWICE.sub(r"\1", body))


_LATEX = re.compile(
    r"[ \t]*\\(?P<edge>begin|end)\{(?P<kind>enumerate|itemize|description)\}(?:\[[^\]\n]*\])?[ \t]*"
    r"|[ \t]*\\item\b[ \t]*(?:\[(?P<label>[^\]\n]*)\])?[ \t]*"
)
_COMMAND = re.compile(r"\\(?P<name>[a-zA-Z]+)\*?\{(?P<text>[^{}]*)\}")
_BOLD = {"textbf", "emph", "underline", "textit"}
_SECTION = re.compile(r"(?:sub)*section|paragraph")


def without_latex(text: str) -> str:
    """`text` itself, or if it has a list of LaTeX, that list with its items a line each, those of
    `enumerate` with their numbers, and its headings and bold names as Markdown writes them."""
    if "\\item" not in text:
        return text
    lists: list[int | None] = []  # as in `without_html`

    def shown(sign: re.Match[str]) -> str:
        if sign["edge"] == "begin":
            lists.append(0 if sign["kind"] == "enumerate" else None)
        elif sign["edge"]:
            del lists[-1:]
        else:
            indent = " " * _INDENT * (min(len(lists), _DEEPEST) - 1)
            label = f"**{sign['label']}**: " if sign["label"] else ""
            return f"\n{indent}{_marker(lists, '')}{label}"
        return "\n"

    def plain(command: re.Match[str]) -> str:
        if _SECTION.fullmatch(command["name"]):
            return f"\n# {command['text']}\n"
        return f"**{command['text']}**" if command["name"] in _BOLD else command["text"]

    body = _LATEX.sub(shown, text)
    body = _COMMAND.sub(plain, body)
    return re.sub(r"\\([&%$#_{}])", r"\1", _NUMBERED_TWICE.sub(r"\1", body))


_TABLE = re.compile(
    r"^[ \t]*\|(?P<head>[^\n]+)\|[ \t]*\n[ \t]*\|[ \t:|-]+\|[ \t]*\n"
    r"(?P<rows>(?:[ \t]*\|[^\n]+(?:\n|\Z))+)",
    re.MULTILINE,
)
_OF_DIAGNOSES = re.compile(r"diagn|disease|condition|differential|enfermedad", re.IGNORECASE)
_OF_RANKS = re.compile(r"\s*(?:#|no\.?|n[ºo°]|rank\w*|number|rango|posici[oó]n)\s*", re.IGNORECASE)
_OF_CHANCES = re.compile(r"prob|likelihood|confiden|chance|confianza", re.IGNORECASE)
_SHARE = re.compile(r"[~≈]?\s*(\d{1,3}(?:[.,]\d+)?)\s*%?")


def with_numbered_rows(text: str) -> str:
    """`text` with the rows of a Markdown table that has a column of diagnoses as a numbered list:
    by a column of ranks, or in the order of one of probabilities if there is one."""

    def listed(table: re.Match[str]) -> str:
        head = table["head"].split("|")
        named = next(
            (column for column, cell in enumerate(head) if _OF_DIAGNOSES.search(cell)), None
        )
        of_ranks = [column for column, cell in enumerate(head) if _OF_RANKS.fullmatch(cell)]
        if named is None or (of_ranks and named == of_ranks[0] + 1):
            return table[0]
        rows = [
            [cell.strip() for cell in row.strip().strip("|").split("|")]
            for row in table["rows"].strip().splitlines()
        ]
        lines = []
        for position, cells in enumerate(rows if of_ranks else _by_chance(head, rows), 1):
            number = cells[of_ranks[0]].strip(" .)*#") if of_ranks else position
            name = cells[named] if named < len(cells) else ""
            apart = {named, *of_ranks}
            rest = "; ".join(c for column, c in enumerate(cells) if column not in apart and c)
            lines.append(f"{number}. {name}: {rest}")
        return "\n".join(lines) + "\n"

    return _TABLE.sub(listed, text)


def _by_chance(head: list[str], rows: list[list[str]]) -> list[list[str]]:
    """The rows of a table, the greatest share first and equal ones as they stand, if a column has
    one of each."""
    of_chances = [column for column, cell in enumerate(head) if _OF_CHANCES.search(cell)]
    for column in of_chances[:1]:
        chances = [_SHARE.fullmatch(row[column]) if column < len(row) else None for row in rows]
        shares = [float(chance[1].replace(",", ".")) for chance in chances if chance]
        if len(shares) == len(rows):
            order = sorted(range(len(rows)), key=lambda number: -shares[number])
            return [rows[number] for number in order]
    return rows


def _marker(lists: list[int | None], attributes: str | None) -> str:
    """What a browser writes before an item of the innermost open list."""
    if not lists or lists[-1] is None:
        return "- "
    own = _NUMBER.search(attributes or "")
    lists[-1] = int(own[1]) if own else lists[-1] + 1
    return f"{lists[-1]}. "
