"""Ranked diagnoses out of a list in running text: '1. Name: why', however it is numbered.

What is read is a substring of the answer, markup aside; what is left out is kept with its reason.
"""

import re
from collections.abc import Callable
from itertools import pairwise

from python_llm.parsing.folding import without_entities
from python_llm.parsing.leading import closing_line, leading_line, without_references
from python_llm.parsing.list_forms import (
    INTRODUCTION,
    MARKUP,
    NAME_LABEL,
    OTHER_HEADING,
    Item,
    bullets,
    counted,
    heading,
    lettered,
    missing_between,
    names_alone,
)
from python_llm.parsing.markup import with_numbered_rows, without_html, without_latex
from python_llm.parsing.ordinals import with_numbers_for_ordinals
from python_llm.parsing.records import (
    CODE_FIRST,
    HIGHEST_NUMBER,
    Collector,
    ParsedDifferential,
    clean_name,
    flat,
    ranks_of,
    with_codes_told,
    with_plain_punctuation,
)

_QUOTE = "[\"'‘’“”`]"
# A number where a list item begins: '1.', '2)', '+3.', '**4.**', '### 5:', '(6)', '#7', '- 8.',
# '1.-', '2º', 'Diagnosis 3:', '4 - ', a keycap, and, quoted or not, '+9'. 3-methyl… and 1.5 mg are
# none, '7.3-methyl…' is.
_ITEM = re.compile(
    rf"""^(?P<indent>[ \t]*)(?:[>\#]+[ \t]+)*(?:[-*•][ \t]+|-(?=\d))?{MARKUP}
    (?:(?:rank|ranking|diagnos[ie]s|differential|disease|condition|possibility|option|diagn[oó]stico|
       posibilidad|opci[oó]n|enfermedad|number|n[uú]mero|no\.|n[ºo°])[ \t]+)?
    (?P<quote>{_QUOTE}{MARKUP})?(?P<open>[(\[\#]?)(?P<plus>\+[ \t]?)?
    (?:(?P<number>\d{{1,9}})(?P<sub>(?:\.\d{{1,2}})+(?!-[^\W\d_]))?
       (?:\.[ºª°]?[-:]?(?:(?!\d)|(?=\d{{1,2}}-[^\W\d_]))|[)\]][.:]?|[ºª°][.)]?
          |[ \t]?[:–—](?=\s|\*)|[ \t]?-(?=\s)|[ \t][.)](?=\s)|️?⃣|(?=\*\*|__|\t)
          |(?(quote){_QUOTE}[.:)-]?(?=[\s*_])|(?!))|(?<=\d)(?P<bare>(?=[ \n]|\Z)))
      |(?P<circled>[①-⑳]))
    (?(quote){_QUOTE}?){MARKUP}[ \t]*""",
    re.MULTILINE | re.VERBOSE | re.IGNORECASE,
)
# Chinese numbering, '1、' and '（1）', before its punctuation is taken for that of a sentence.
_WIDE_NUMBER = re.compile(r"^([ \t]*)(（?\d{1,3}）?)[、．.：](?![ºª°]|[oa][\s,:])", re.MULTILINE)
_WIDE_INLINE = re.compile(
    r"(?<=[：:；;，,。\s])(\d{1,2})[、．](?=[^\W\d_])|(?<=[：:；;，,。])([①-⑳])"
)
_CHINESE = "一二三四五六七八九十"
_CHINESE_NUMBER = re.compile(rf"^([ \t]*)（?([{_CHINESE}])[）、．]", re.MULTILINE)
# '1st: Gout', '2º diagnóstico: Gota' as '1. Gout'.
_ORDINAL = re.compile(
    r"^([ \t]*[*_]*)(\d{1,2})(?:st|nd|rd|th|er|do|to)(?: (?:most likely )?(?:diagnosis|choice|"
    r"guess|diagn[oó]stico|opci[oó]n))?[ \t]*[:.)](?=[ \t*_])",
    re.MULTILINE | re.IGNORECASE,
)
# The first number behind a mark of the answer or a sentence, with the second in the next line:
# 'T12: 1. Gout', '[PASS] 1. Gout', 'Certainly! 1. Gout'.
_MARKED_FIRST = re.compile(
    r"^([^\n:]{1,60}?(?::|[ \t][-–—]|[\])>!?.;]))[ \t]+"
    r"(?=[(\[]?1(?P<sign>[.):])[ \t]+[^\n]+\n\s*[(\[]?2(?P=sign)\s)",
    re.MULTILINE,
)
# '+2.' starts an item wherever it stands: recorded runs have whole lists in one line.
_INLINE_PLUS = re.compile(
    rf"\+(?<![\d+]\+)(?P<number>\d{{1,3}})"
    rf"(?:[.):](?!\d){_QUOTE}?|(?P<closed>{_QUOTE})[.):]?(?=\s))[ \t]*"
)
# Between the last two items of a line: 'Gout, 2. Asthma and 3. Scurvy', '1) Gout / 2) Asthma'
_JOINT = re.compile(r"(?:[,;]?\s(?:and|or|und|oder|et|ou|y)|\s?/)\s*\Z")
_TABLE_ROW = re.compile(r"^[ \t]*\|[ \t]*(\d{1,2})[.)]?[ \t]*\|([^|\n]+)\|", re.MULTILINE)
_THINKING = re.compile(
    r"<(think|thinking|scratchpad|reasoning|analysis|pensamiento|razonamiento)>.*?(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_THOUGHT = re.compile(r"\A.*</(?:think|thinking)>", re.DOTALL | re.IGNORECASE)

# A sentence that stops at a word like these goes on behind the number: nothing was listed there,
# unless the number is the next one and a heading follows.
_GOES_ON = re.compile(
    r"\b(?:has|have|had|is|are|was|were|be|with|of|the|a|an|for|as|from|to|in|not|include|includes|"
    r"including|exhibits|shows|tiene|presenta|es|son|con|de|del|la|el|los|las|por|para|incluye|"
    r"incluyen|(?P<joins>and|or|y|o))\s*\Z"
)
_HEAD = re.compile(r"[^.\n:]{2,100}:")
_REFERS = re.compile(r"[,;.)]|[^\W\dA-Z_]")
_SAYS_SOMETHING = re.compile(r"[:.!?]\s+\S|\s[-–—]+\s")
_FINAL_HEADING = re.compile(
    r"\bfinal|\branked|\branking|definitiv|"
    r"(?:\btop[ -]?(?:\d{1,2}|three|five|ten)|\bmost (?:likely|probable))\b.*\bdiagnos[ei]s\b.*:",
    re.IGNORECASE,
)
_ONLY_A_CODE = re.compile(r"\s*(?:[A-Z]\d[0-9A-Z](?:\.\w{1,4})?|[A-Z]{4,5}[: ]?\d+)?\s*")
# The last word of a whole name, by its end or of those that are short: 'Gau' may go on, 'Sepsis'
# does not. No end is here that another language's goes on behind ('-osi' of '-osis').
_WHOLE_WORD = re.compile(
    r"(?:\w{2}(?:[sxt]is|[íi]as?|oma|ome|emia|pathy|trophy|megaly|ism|ismo|ion|ión|ção|ure|psy|"
    r"ency|ose|ite|itis|virus|itus|rrhage|rrhea|betes|coccus)"
    r"|\w\s(?:disease|disorder|fever|injury|cancer|ulcer|tumou?r|cyst|abscess|shock|block|attack|"
    r"storm|colic|lupus|gravis|palsy|chorea)"
    r"|^(?:gout|flu|stroke|lupus|asthma|scurvy|measles|mumps|rabies|scabies|cholera|leprosy|rickets|"
    r"cancer|migraine|tetanus|typhus|gota|gripe|asma|sarampi[óo]n|rabia|sarna|lepra|c[áa]ncer|"
    r"raquitismo|ictus|t[ée]tanos|escorbuto|celiaqu[íi]a|wilson|crohn|addison|graves|parkinson|"
    r"alzheimer|huntington|gaucher|fabry|pompe|marfan|kawasaki|whipple|beh[cç]et|sj[oö]gren|hodgkin|"
    r"cushing|turner|takayasu|m[eé]ni[eè]re|tourette|rett|paget|chagas|lyme))\Z",
    re.IGNORECASE,
)
_SIGN = re.compile(r"[^\W_]")  # a number or letter before an item, which says its rank
# The percentage beside a name: '(60%)', ': 30 %', '– ~20%'; none that is said of something.
_CHANCE = re.compile(
    r"[^:(\n%]*?[\s*_]*(?:[:=(\[–—-][\s*_]*|\s)(?:(?:about|approx\.?|probability|likelihood|probabilidad)"
    r":?\s+)?[~≈]?(\d{1,3}(?:[.,]\d+)?)\s?%[)\]]?[*_]*\s*(?:\Z|[:–—.,;-])"
)
_TEXT = r"[^:\n]{0,80}"
_LONGEST_LABEL = 250
_LABELS = re.compile(
    rf"(?:^|(?<=[\s*+•(.;,-]))[*_]*(?:"
    rf"(?P<against>(?:uncommon|missing|absent|conflicting|contradicting|not common|unmatched)\ "
    rf"(?:symptoms?|features?|findings|signs)|"
    rf"(?:symptoms?|features?|findings){_TEXT}?\ (?:not\ (?:(?:have\ )?in\ common|common|shared|"
    rf"present|match)|against){_TEXT}?|against|"
    rf"(?:s[ií]ntomas|hallazgos|datos)\ (?:en\ contra|ausentes|no\ comunes)|en\ contra)"
    rf"|(?P<favour>in\ favou?r|(?:common|shared|matching|supporting)\ "
    rf"(?:symptoms?|features?|findings|signs|evidence)|"
    rf"(?:symptoms?|features?|findings){_TEXT}?\ in\ (?:common|favou?r){_TEXT}?|supporting|"
    rf"(?:s[ií]ntomas|hallazgos|datos)\ (?:a\ favor|en\ com[uú]n|comunes)|a\ favor)"
    rf"|(?P<risk>risks?|red\ flags?|danger|urgency|when\ to\ (?:escalate|refer)|riesgos?|"
    rf"(?:se[nñ]ales|signos|datos)\ de\ alarma|urgencia|cu[aá]ndo\ derivar)"
    rf")[*_]*[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)

# Where a name ends and what is said of it begins.
_NAME_END = re.compile(
    r"\n|\t|\*\*|__"
    r"|:(?=\s|\*|_|$|[A-Z])"
    r"|\s[-–—]+\s"
    r"|(?<=[^\W_]{3})(?<!spp)(?<!etc)\.\s+(?=[^\W\d_a-z])|(?<=\d)\.\s+(?=[^\W\d_a-z])"
    r"|\s(?:is|are)\s+(?=(?:an?|the|one|caused|characteri|due|unlikely|likely|possible)\b)"
    r"|\s(?:es|son)\s+(?=(?:una?|el|la|causad|poco|probable|posible)\b)"
    r"|,?\s(?=(?:because|since|which|based on|porque|ya que)\b)"
)
_GROUP = re.compile(
    r"(?:disorders?|diseases|errors? of (?:\w+ )?metabolism|metabolic disease|conditions?|"
    r"syndromes|infections?|deficiencies|trastornos?|enfermedades|errores \w+ del metabolismo)"
    r"(?: \([^)]*\))?$",
    re.IGNORECASE,
)
_MEMBER = re.compile(
    r"\s*(?!(?i:this|these|an?|the|it|symptoms?|common|uncommon|patients?|feature|finding|associated|"
    r"characteri[sz]ed|caused|reasoning|es|un|una|esta|este|s[ií]ntomas)\b)"
    r"(?P<name>[^\W_a-z][^:.,;\n()]{2,70}?(?:\s*\([^()\n]{1,80}\))?)\s*(?P<end>:(?=\s|$)|\n|$)"
)
_FINDINGS = re.compile(
    r"\s*\((?:(?=if\b)|(?!e\.?g|such|incl|type|also|or\b|aka|i\.e|tipo|por ej|como))"
)


# A heading with a line of '=' below it.
_UNDERLINED = re.compile(r"^([^\W\d][^\n|]{0,80})\n={3,}[ \t]*$", re.MULTILINE)
# What ends a line besides the line feed, and what only says which way to write.
_LINE_END = re.compile(r"\r\n?|[\u2028\u2029\x0b\x0c\x85]|<br\s*/?>", re.IGNORECASE)
_DIRECTION = re.compile(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_OTHER_SCRIPT = re.compile(r"[\u0400-\u052f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def parse_numbered_list(text: str | None) -> ParsedDifferential:
    """Read a list of diagnoses, whatever stands before, between and after its items."""
    return _parsed(text, "numbered_list", _items)


def parse_names_alone(text: str | None) -> ParsedDifferential:
    """Read a text that is nothing but names, without any sign of a list."""
    return _parsed(text, "names_alone", lambda body, _: names_alone(body))


def _parsed(
    text: str | None, read_as: str, items_of: Callable[[str, Collector], list[Item]]
) -> ParsedDifferential:
    answer = text or ""
    if "\\n" in answer:
        answer = answer.replace("\\n", "\n")
    body = _DIRECTION.sub("", _LINE_END.sub("\n", without_entities(answer)))
    body = _with_plain_numbers(body)
    if "<" in body:
        body = _THINKING.sub("", body)
        body = _THOUGHT.sub("", body)
        if answer.strip() and not body.strip():
            return ParsedDifferential(status="only_thinking")
        body = without_html(body)
    body = _in_lines(body)
    collector = Collector()
    items, end = _chosen(items_of(body, collector), body, collector)
    ends = [item.start for item in items[1:]] + [end] if items else []
    blocks = [body[i.text : e] for i, e in zip(items, ends, strict=True)]
    blocks = with_codes_told([*(_JOINT.sub("", block) for block in blocks[:-1]), *blocks[-1:]])
    read = [_split_name(block) for block in blocks]
    ranks, are_written = ranks_of([item.number for item in items])
    if items and (by_chance := _ranks_by_chance(items, blocks, body)):
        ranks = by_chance
        collector.note("by_score", body[items[0].start :].strip())
    if items and (lead := _apart(body, items, end, [name for name, _ in read])):
        name, rest = _split_name(lead[0])
        collector.add(name, lead[0], 1, lead[1], reasoning=flat(rest))
        ranks = [rank + 1 for rank in ranks]
    if items and read_as == "names_alone":
        collector.note("names_alone", body.strip())
    if not are_written:
        collector.note("renumbered", ", ".join(str(item.number) for item in items))
    for index, (item, block, (name, rest)) in enumerate(zip(items, blocks, read, strict=True)):
        is_last = index == len(read) - 1
        if (
            is_last
            and index >= 2
            and not rest
            and ":" not in block
            and not any(_ONLY_A_CODE.fullmatch(rest) for _, rest in read[:index])
            and not _stands_whole(block, body[end:])
        ):
            collector.drop(block, "cut_off", ranks[index], item.start)
            continue
        reasoning, in_favour, against, risk = _split_rest(rest, is_last)
        collector.add(
            name,
            block[:200],
            ranks[index],
            item.start,
            reasoning=reasoning,
            in_favour=in_favour,
            against=against,
            risk=risk,
        )
    return collector.result(read_as, "no_list" if body.strip() else "empty")


def _in_lines(body: str) -> str:
    """An answer with a line for each item of its tables, its LaTeX and its ordinals, and without
    its literature."""
    if "|" in body:
        body = with_numbered_rows(body)
        body = _TABLE_ROW.sub(r"\1. \2: ", body)
    body = _MARKED_FIRST.sub(_on_its_own_line, without_latex(body), count=1)
    body = without_references(_UNDERLINED.sub(r"# \1\n", body))
    return _ORDINAL.sub(r"\1\2.", with_numbers_for_ordinals(body))


def _stands_whole(block: str, behind: str) -> bool:
    """Whether the last item of a list, of which nothing is said as of those before it, is no name
    that an answer broke off in: a line or a sign ends it, text follows it, or its last word has the
    end of one for a disease."""
    name = block.strip()
    if name.count("(") > name.count(")") or name.count("[") > name.count("]"):
        return False
    if name.count("**") % 2 or name.endswith(("-", "–", "/", ",", "'", "’")):
        return False
    is_ended = behind.strip() or "\n" in block[len(block.rstrip()) :] or name[-1:] in ".;)]*"
    return bool(is_ended or _WHOLE_WORD.search(name.strip("*_ ")))


def _with_plain_numbers(body: str) -> str:
    """An answer with its Chinese numbers and punctuation as those of others."""
    if not body.isascii():
        body = _CHINESE_NUMBER.sub(lambda sign: f"{sign[1]}{_CHINESE.index(sign[2]) + 1}. ", body)
        body = _WIDE_INLINE.sub(_with_number, _WIDE_NUMBER.sub(r"\1\2. ", body))
        body = with_plain_punctuation(body)
    return body


def _with_number(sign: re.Match[str]) -> str:
    """A number with a Chinese sign within a line, with the sign of others."""
    return f" {sign[1] or ord(sign[2]) - ord('①') + 1}. "


def _on_its_own_line(mark: re.Match[str]) -> str:
    """A mark before a list; one that begins with a number would be an item itself."""
    return "" if re.match(r"\W*\d", mark[1]) else f"{mark[1]}\n"


def _apart(body: str, items: list[Item], end: int, names: list[str]) -> tuple[str, int] | None:
    """The most likely diagnosis where a line before a list or behind it has it, with its place."""
    return leading_line(body[: items[0].start], names) or closing_line(
        body, items[-1].text, end, names
    )


def _ranks_by_chance(items: list[Item], blocks: list[str], body: str) -> list[int] | None:
    """The ranks of bullets and bare names that all have a percentage of their own, the greatest
    first and equal ones as they stand; None for other lists, and where that is their order."""
    if len(items) < 2 or any(_SIGN.search(body[item.start : item.text]) for item in items):
        return None
    chances = [_CHANCE.match(block.split("\n", 1)[0]) for block in blocks]
    shares = [float(chance[1].replace(",", ".")) for chance in chances if chance]
    if len(shares) < len(items):
        return None
    order = sorted(range(len(items)), key=lambda number: -shares[number])
    if order == sorted(order):
        return None
    return [order.index(number) + 1 for number in range(len(items))]


def _items(body: str, collector: Collector) -> list[Item]:
    """Every place where an item of the outer list begins, in order."""
    items: list[Item] = []
    for match in _ITEM.finditer(body):
        if match["bare"] is not None and not match["plus"] and match["open"] != "#":
            continue  # '12 years old' is a number, '+12 Asthma' and '#12 Asthma' are items
        number = int(match["number"]) if match["number"] else ord(match["circled"]) - ord("①") + 1
        indent = len(match["indent"].expandtabs())
        items.append(Item(match.start(), match.end(), number, indent, is_sub=bool(match["sub"])))
    if "+" in body:
        taken = {at for item in items for at in range(item.start, item.text)}
        for match in _INLINE_PLUS.finditer(body):
            start = match.start()
            is_quoted = start > 0 and body[start - 1] in _QUOTE
            if start not in taken and (is_quoted or not match["closed"]):
                number = int(match["number"])
                items.append(Item(start - is_quoted, match.end(), number, 0, is_inline=True))
        items.sort(key=lambda item: item.start)
    if len(items) == 1 and items[0].number >= 100:
        items = []  # '503: Service Unavailable' is not a list
    if any(item.number <= HIGHEST_NUMBER for item in items):
        for item in (item for item in items if item.number > HIGHEST_NUMBER):
            collector.drop(_line(body, item), "far_number", at=item.start)
        items = [item for item in items if item.number <= HIGHEST_NUMBER]
    if len(items) < 2:
        items = counted(body) or items or lettered(body) or bullets(body)
    outer = _outer(items, body, collector)
    for first, following in pairwise(list(outer)):
        outer += missing_between(body, first, following)
    return sorted(outer, key=lambda item: item.start)


def _outer(items: list[Item], body: str, collector: Collector) -> list[Item]:
    """Without the items of lists inside items, and without numbers in the middle of a sentence."""
    outer: list[Item] = []
    nested_indent: int | None = None
    behind = [*(item.start for item in items[1:]), len(body)][: len(items)]
    for item, end in zip(items, behind, strict=True):
        last = outer[-1] if outer else None
        is_next = last is not None and item.number == last.number + 1
        if not body[item.text : end].strip() and (item.is_inline or (last and not is_next)):
            rule = "cut_off" if end == len(body) else "no_name"
            collector.drop(body[item.start : end], rule, at=item.start)
            continue
        if item.is_sub and last is not None:
            collector.drop(_line(body, item), "part_of_item", at=item.start)
            continue
        if last is not None and item.is_inline and _refers(body, item, last):
            continue
        if last is not None and _goes_on(body, item, last):
            collector.drop(_line(body, item), "in_sentence", at=item.start)
            continue
        if last is not None and not item.is_inline and item.indent > last.indent + 1:
            # a list inside an item begins again; the next number may be of an outer list
            is_inside = nested_indent == item.indent or item.number != last.number + 1
            if is_inside:
                nested_indent = item.indent
                collector.drop(_line(body, item), "part_of_item", at=item.start)
                continue
        if nested_indent is not None and item.indent < nested_indent:
            nested_indent = None
        outer.append(item)
    return outer


def _refers(body: str, item: Item, last: Item) -> bool:
    """Is the number one of an item before it: 'the likeliest is Pompe disease (+2), as it …'?"""
    return item.number <= last.number and bool(_REFERS.match(body, item.text))


def _goes_on(body: str, item: Item, last: Item) -> bool:
    """Is the number only a part of the sentence before it?"""
    before = body[last.text : item.start]
    match = _GOES_ON.search(before[-60:])
    if match is None:
        return False
    is_next = item.number == last.number + 1
    if is_next and "\n" not in before.strip() and not _SAYS_SOMETHING.search(before):
        return False  # 'Multiple system atrophy 1, susceptibility to'
    return not (is_next and (match["joins"] or _HEAD.match(body, item.text)))


def _chosen(items: list[Item], body: str, collector: Collector) -> tuple[list[Item], int]:
    """The one list that answers, and where it ends; the items of other lists are dropped."""
    if all(item.number == 1 for item in items):
        return items, len(body)  # Markdown may number every line 1
    lists: list[list[Item]] = []
    for item in items:
        counts_down = bool(lists) and lists[-1][-1].number == 2 and lists[-1][0].number > 2
        if lists and (item.number != 1 or len(lists[-1]) == 1 or counts_down):
            lists[-1].append(item)
        else:
            lists.append([item])
    if len(lists) == 1:
        return items, len(body)
    final = [
        candidate for candidate in lists if _FINAL_HEADING.search(heading(body, candidate[0].start))
    ]
    first = [
        candidate
        for candidate in lists
        if not OTHER_HEADING.search(heading(body, candidate[0].start))
    ]
    chosen = final[-1] if final else (first or lists)[0]
    for item in (item for candidate in lists if candidate is not chosen for item in candidate):
        collector.drop(_line(body, item), "other_list", at=item.start)
    following = next(
        (candidate[0].start for candidate in lists if candidate[0].start > chosen[-1].start), None
    )
    if following is None:
        return chosen, len(body)
    end = body.rfind("\n", chosen[-1].text, body.rfind(heading(body, following), 0, following) + 1)
    return chosen, following if end == -1 else end


def _line(body: str, item: Item) -> str:
    return body[item.text : item.text + 200].split("\n", 1)[0]


def _split_name(block: str) -> tuple[str, str]:
    """The diagnosis at the head of a list item, cleaned, and what follows it."""
    block = block.lstrip()
    if block.startswith(":"):
        return "", block.lstrip(" :*-–—")
    code = ""
    if (written := CODE_FIRST.match(block)) and block[written.end() :].strip():
        code, block = f"{next(filter(None, written.groups()))} ", block[written.end() :]
    for lead in (NAME_LABEL, INTRODUCTION):
        match = lead.match(block)
        if match and block[match.end() :].strip():
            block = block[match.end() :]
    start = len(block) - len(block.lstrip("*_ "))
    end, after = _name_end(block, start)
    if end < len(block):
        member = None
        head = block[start:end].strip("*_ ")
        mark = block[end:after].strip()
        if mark in ("-", "–", "—") or (mark == ":" and _GROUP.search(head)):
            member = _MEMBER.match(block, after)
        if (
            member
            and (member["end"] == ":" or mark == ":")
            and not _LABELS.match(member[0].strip())
        ):
            end, after = member.end("name"), member.end()
    head, rest = block[start:end], block[after:]
    if head.rstrip().endswith(")") and (cut := _findings(head)):
        head, rest = head[:cut], head[cut:].strip() + " " + rest.lstrip(" :*")
    return clean_name(head), (code + rest.lstrip(" :*-–—")).strip(" ")


def _name_end(block: str, start: int) -> tuple[int, int]:
    """Where the name ends and where what follows it begins; a colon in brackets ends nothing."""
    for match in _NAME_END.finditer(block, start):
        head = block[start : match.start()]
        if match[0] != "\n" and head.count("(") > head.count(")"):
            continue
        if not head.strip(" *_"):
            continue
        return match.start(), match.end()
    line = block.find("\n", start)
    return (line, line) if line != -1 else (len(block), len(block))


def _findings(head: str) -> int:
    """Where brackets at the end of a name begin if they hold a list of findings, otherwise 0.

    Behind the name of a group of diseases they hold its members, unless they are very long; behind
    a name in Chinese or Cyrillic its translation and abbreviation.
    """
    if _OTHER_SCRIPT.search(head):
        return 0
    start = next(
        (
            match.start()
            for match in _FINDINGS.finditer(head)
            if head.count("(", match.start()) == head.count(")", match.start())
        ),
        0,
    )
    inside = head[start:].strip(" ()")
    if not start or ("," not in inside and not inside.startswith("if ")):
        return 0
    return 0 if _GROUP.search(head) and len(inside) <= 80 else start


def _split_rest(rest: str, is_last: bool) -> tuple[str | None, str | None, str | None, str | None]:
    """Reasoning, findings in favour, findings against and risk, out of what follows a name."""
    if is_last:  # what stands after an empty line and no label is the end of the answer
        kept = rest.split("\n\n")
        last_label = max((i for i, part in enumerate(kept) if _LABELS.search(part)), default=0)
        rest = "\n\n".join(kept[: last_label + 2 if _opens(kept, last_label) else last_label + 1])
    labels = _labels(rest)
    parts: dict[str, str] = {}
    ends = [match.start() for match in labels[1:]] + [len(rest)]
    for match, end in zip(labels, ends, strict=False):
        explanation = flat(rest[match.end() : end])
        if explanation and match.lastgroup not in parts:
            parts[match.lastgroup or ""] = explanation
    reasoning = flat(rest[: labels[0].start()] if labels else rest)
    return reasoning, parts.get("favour"), parts.get("against"), parts.get("risk")


def _labels(rest: str) -> list[re.Match[str]]:
    """Every label in `rest`, looked for where it can stand: before a colon, on its line."""
    labels, start = [], 0
    while (colon := rest.find(":", start)) != -1:
        line = max(start, rest.rfind("\n", start, colon), colon - _LONGEST_LABEL)
        if label := _LABELS.search(rest, line, colon + 1):
            labels.append(label)
        start = colon + 1
    return labels


def _opens(parts: list[str], index: int) -> bool:
    """Does the part end with a colon, so that the next one belongs to it?"""
    return parts[index].rstrip(" *_").endswith(":")
