"""Ranked diagnoses out of an answer in tags. A model's tags are seldom XML: no XML parser is used.

Read is every element of a known name, whole or cut off, in the order of the ranks that all have as
an attribute, otherwise in that of the text.
"""

import html
import re
from typing import Any

from python_llm.parsing.records import (
    Collector,
    ParsedDifferential,
    clean_name,
    flat,
    ranks_of,
)

_THINKING = re.compile(
    r"<(think|thinking|scratchpad|pensamiento|razonamiento)>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.I
)
_ELEMENT = re.compile(
    r"<(?P<tag>diagnos[ie]s|diagn[oó]stico|disease|enfermedad|candidate|condition|item|"
    r"diagnosis_?\d+|dx_?\d*)(?P<attributes>\s[^<>]*)?>(?P<inside>.*?)"
    r"(?:</(?P=tag)\s*>|(?=<(?P=tag)[\s>])|(?P<cut>\Z))",
    re.DOTALL | re.I,
)
# around all of them, not one of them
_WRAPPER = re.compile(r"</?diagnoses(?:\s[^<>]*)?>", re.I)
_WRAPPED = re.compile(r"<diagnoses(?:\s[^<>]*)?>\s*<(?:diagnosis|dx|item|candidate)", re.I)
_NAME_TAGS = "name|diagnosis_name|disease_name|disease|diagnosis|condition|title|nombre|enfermedad"
_NAME_ATTRIBUTE = re.compile(
    r"\b(?:name|nombre|diagnosis|disease)\s*=\s*(\"[^\"]*\"|'[^']*')", re.I
)
_RANK_ATTRIBUTE = re.compile(r"\b(?:rank|number|n|rango)\s*=\s*[\"']?(\d{1,3})\b", re.I)
_TAG = re.compile(r"</?[^\W\d]\w*[^<>]*>")


def _child(names: str) -> re.Pattern[str]:
    return re.compile(
        rf"<(?P<tag>{names})(?:\s[^<>]*)?>(?P<text>.*?)(?:</(?P=tag)\s*>|(?P<cut>\Z))",
        re.DOTALL | re.I,
    )


# A name ends at the next tag, whatever it is, unless that only marks a part of it up.
_NAME = re.compile(
    rf"<(?:{_NAME_TAGS})(?:\s[^<>]*)?>(?P<text>[^<]*(?:</?(?:b|i|em|strong)>[^<]*)*)(?P<cut>\Z)?",
    re.I,
)
_REASONING = _child(
    "reasoning|reason|why|explanation|description|rationale|justification|razonamiento|razones|"
    "razon|explicacion|descripcion|por_que"
)
_FAVOUR = _child(
    "in_favou?r|favou?r|for|symptoms_in_(?:common|favou?r)|supporting(?:_\\w+)?|"
    "a_favor|sintomas_a_favor|sintomas_comunes"
)
_AGAINST = _child(
    "against|symptoms_(?:not_in_common|against)|contradicting(?:_\\w+)?|en_contra|"
    "sintomas_en_contra|sintomas_no_comunes"
)
_RISK = _child("risk|risks|red_flags|urgency|riesgo|riesgos|senales_de_alarma|urgencia")


def parse_xml(text: str | None) -> ParsedDifferential:
    """Read <diagnosis> elements with a <name>, a name attribute or the name as their text."""
    answer = text or ""
    body = _THINKING.sub("", answer)
    if answer.strip() and not body.strip():
        return ParsedDifferential(status="only_thinking")
    if len(_WRAPPED.findall(body)) == 1:
        body = _WRAPPER.sub("", body)
    collector = Collector()
    elements = [
        element
        for element in _ELEMENT.finditer(body)
        if element["cut"] is None or element["inside"].strip()
    ]
    numbers = [
        int(attribute[1])
        if (attribute := _RANK_ATTRIBUTE.search(element["attributes"] or ""))
        else None
        for element in elements
    ]
    if None not in numbers and len(set(numbers)) == len(numbers):  # as they are ranked
        pairs = sorted(zip(numbers, elements, strict=True), key=lambda pair: pair[0] or 0)
        numbers, elements = [n for n, _ in pairs], [element for _, element in pairs]
    ranks, are_written = ranks_of(numbers)
    if not are_written and any(numbers):
        collector.note("renumbered", ", ".join(str(number or "-") for number in numbers))
    for rank, element in zip(ranks, elements, strict=True):
        _read(element, rank, collector)
    return collector.result("xml", "no_list" if body.strip() else "empty")


def _read(element: re.Match[str], rank: int, collector: Collector) -> None:
    inside = element["inside"]
    attribute = _NAME_ATTRIBUTE.search(element["attributes"] or "")
    child = _NAME.search(inside)
    is_cut = element["cut"] is not None
    if attribute:
        name, rest, written = attribute[1][1:-1], inside, attribute[0]
    elif child:
        if child["cut"] is not None and is_cut:
            collector.drop(child["text"], "cut_off", rank)
            return
        name, written = child["text"], child[0]
        rest = inside[: child.start()] + inside[child.end() :]
    else:
        if is_cut:
            collector.drop(inside, "cut_off", rank)
            return
        head, _, rest = inside.strip().partition("\n")
        if "<" in head:
            head, rest = head[: head.index("<")], head[head.index("<") :] + rest
        name, colon, reasoning = head.partition(": ")
        rest, written = reasoning + colon + rest, inside
    parts: dict[str, Any] = {
        key: flat(html.unescape(_TAG.sub(" ", match["text"])))
        for key, pattern in (
            ("reasoning", _REASONING),
            ("in_favour", _FAVOUR),
            ("against", _AGAINST),
            ("risk", _RISK),
        )
        if (match := pattern.search(rest))
    }
    if "reasoning" not in parts and "<" not in rest:
        parts["reasoning"] = flat(html.unescape(rest).strip(": "))
    collector.add(clean_name(html.unescape(_TAG.sub(" ", name))), written[:200], rank, **parts)
