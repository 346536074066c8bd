"""The chosen option of an answer, read strictly.

Only a letter stated as the answer counts: at the head of the answer or of a line and marked as one
('B)', 'B.', '**B**', a line of its own), or after 'the answer is' and the like. A letter inside a
word, or one that a justification mentions, does not count. Two stated letters, or one that the text
takes back, leave the choice unread.
"""

import re
from dataclasses import dataclass

import pyarrow as pa

LETTER = r"(?<![A-Za-z0-9_'’])\(?\[?[*_]{0,3}\(?(?P<letter>[A-J])\)?[*_]{0,3}\]?(?![A-Za-z0-9_'’])"
THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
# At the head of a line: marked by ) . : or a dash, or alone on it. A small letter needs the ).
HEAD = re.compile(
    r"^[\s>#*_\-•\"'`(\[]*(?:(?P<letter>[A-J])[*_`]*(?:[)\]][*_`]*|[.:][*_`]*(?=\s|$)|\s+[-–—]\s"
    r"|[\s\"'`*_.)\]]*$)|(?P<small>[a-j])(?:\)|[\s.]*\Z))",
    re.MULTILINE,
)
# two letters where one is asked for: 'A or B', 'A/B', 'A, B', 'A y B'
PAIR = re.compile(
    r"^[\s>#*_\"'`(\[]*(?P<first>[A-J])[)\].*_]*\s*(?:,|/|&|\+|\bor\b|\band\b|\bo\b|\by\b|\bu\b)\s*"
    r"(?:and |or |y |o )?[(\[*_]*(?P<second>[A-J])(?![A-Za-z0-9'’])",
    re.MULTILINE,
)
QUALITY = r"(?:correct[ao]?|right|best|final|verdader[ao]|adecuad[ao]|mejor)"
STATED = [
    # the (correct) answer is (option) B · la respuesta correcta es la B · Answer: B · **Answer:** B
    re.compile(
        rf"(?i:\b(?:answer|choice|selection|respuesta|soluci[oó]n|{QUALITY}\s+(?:option|opci[oó]n|"
        rf"alternativa)|(?:opci[oó]n|alternativa)\s+{QUALITY})(?:\s+{QUALITY})?"
        rf"(?:\s+(?:is|es|ser[ií]a|would be|must be|should be))?\s*:?[*_\s]*"
        rf"(?:(?:la|the|option|opci[oó]n|letter|letra|choice)\s+){{0,2}}){LETTER}"
    ),
    # Option B · Letra C, at the head of a line
    re.compile(
        r"(?i:^[\s>#*_\-•\"'`(\[]*(?:option|choice|letter|opci[oó]n|letra|alternativa)[\s:*_]+)"
        rf"{LETTER}",
        re.MULTILINE,
    ),
    # "answer": "B" · \boxed{B}
    re.compile(
        r"(?i:\b(?:answer|choice|letter|respuesta|letra)[\"']?\s*:\s*[\"']|\\boxed\{)" + LETTER
    ),
    # wait, no, B · actually it is C · mejor dicho, la D
    re.compile(
        r"(?i:\b(?:wait|actually|sorry|correction|on second thought|rectifico|perd[oó]n"
        r"|mejor dicho|en realidad)\b[\s,:.—–-]*(?:no\b[\s,]*)?"
        r"(?:(?:it(?:['’]s| is)|the|answer|is|es|la|I mean|option)\s+){0,4})" + LETTER
    ),
    # I choose B · elijo la C
    re.compile(
        r"(?i:\b(?:I|we|would|will|can|must)\s+(?:choose|chose|select|pick|go with|answer)\s+"
        r"|\b(?:elijo|escojo|selecciono|marco|marcar[ií]a|elegir[ií]a)\s+)"
        rf"(?i:(?:(?:la|the|option|opci[oó]n|letter|letra|choice|answer)\s+){{0,2}}){LETTER}"
    ),
    # B is (the) correct (answer) · la B es la correcta
    re.compile(
        rf"{LETTER}(?i:\s+(?:is|es|ser[ií]a)\s+(?:clearly\s+|also\s+|tambi[eé]n\s+)?"
        rf"(?:the\s+|la\s+|el\s+)?(?:most\s+|m[aá]s\s+)?{QUALITY}\b)"
    ),
]
TAKEN_BACK = [
    # B is wrong · B is not correct · la B es incorrecta
    re.compile(
        rf"{LETTER}(?i:\s+(?:is|es|are|was|can(?:not|'t)|no)\s+(?:\w+\s+)?(?:not\b|n't\b|wrong|false|"
        rf"incorrect[ao]?|fals[ao]|err[oó]ne[ao]|be\s+(?:right|correct)|es\b))"
    ),
    re.compile(rf"{LETTER}(?i:\s+(?:isn['’]t|wasn['’]t)\b)"),
    # the answer is not B · la respuesta no es la B
    re.compile(
        r"(?i:\b(?:answer|respuesta|option|opci[oó]n)\s+(?:\w+\s+)?"
        r"(?:is\s+not|isn['’]t|can(?:not|['’]t)\s+be|no\s+(?:es|puede\s+ser))\s+"
        rf"(?:la\s+|option\s+)?){LETTER}"
    ),
    # not B · rather than B
    re.compile(
        rf"(?i:\b(?:not|rather than|instead of|no es la|en lugar de la)\s+(?:option\s+)?){LETTER}"
    ),
]

# A letter next to one of these belongs to a name: E. coli, hepatitis B, a beta blocker.
SPECIES = re.compile(
    r"\.\s*(?:coli|difficile|cereus|pylori|albicans|burgdorferi|henselae|histolytica|jejuni|fragilis"
    r"|faecalis|faecium|influenzae|diphtheriae|botulinum|tetani|perfringens|pertussis|anthracis"
    r"|cloacae|immitis|trachomatis|psittaci|duodenale|granulosus|gondii|bovis|canis|hominis)\b"
)
NAMED_BEFORE = re.compile(
    r"(?i:\b(?:hepatitis|vitamina?|groups?|grupo|types?|tipo|grade|grado|stage|estadio|class|clase"
    r"|factor|influenza|h(?:a)?emoglobin|hemoglobina|immunoglobulin|inmunoglobulina|child)\s+)$"
)
ARTICLE = re.compile(
    r"\s+(?!(?:because|since|as|due|for|given|based|which|and|is|was|with|the|porque|ya|por|debido|dado"
    r"|que|es|con)\b)[a-z]"
)

CHOICE_SCHEMA = pa.schema(
    [
        ("request_key", pa.string()),
        ("parse_status", pa.string()),
        ("parse_reason", pa.string()),
        ("letter", pa.string()),
        ("justification", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class Choice:
    """letter: the chosen option, None unless status is 'ok'. reason: why there is none (no_letter,
    two_letters, contradiction or no_such_option)."""

    status: str
    reason: str | None = None
    letter: str | None = None
    justification: str | None = None


def parse_choice(text: str | None, letters: str) -> Choice:
    """The one option that `text` states, among `letters` (such as 'ABCD')."""
    body = THINKING.sub("", text or "").replace("\r\n", "\n").strip()
    if PAIR.search(body):
        return Choice("parse_error", "two_letters")
    heads = _letters([HEAD], body)
    phrased = _letters(STATED, body)
    stated = heads | phrased
    if not stated:
        return Choice("parse_error", "no_letter")
    if len(stated) > 1:
        return Choice(
            "parse_error", "contradiction" if len(heads) == 1 and phrased else "two_letters"
        )
    (letter,) = stated
    if letter not in letters:
        return Choice("parse_error", "no_such_option")
    if letter in _letters(TAKEN_BACK, body):
        return Choice("parse_error", "contradiction")
    return Choice("ok", None, letter, _justification(body))


def _letters(patterns: list[re.Pattern[str]], body: str) -> set[str]:
    """The letters that the patterns match in `body`, without those within a name or a word."""
    letters = set()
    for pattern in patterns:
        for match in pattern.finditer(body):
            group = "letter" if match["letter"] else "small"
            after = match.end(group)
            if SPECIES.match(body, after) or NAMED_BEFORE.search(body, 0, match.start(group)):
                continue
            if match[group] == "A" and pattern is not HEAD and ARTICLE.match(body, after):
                continue
            letters.add(match[group].upper())
    return letters


def _justification(body: str) -> str | None:
    """What follows the letter at the head of the answer, or the whole answer."""
    head = HEAD.match(body)
    rest = body[head.end() :] if head else body
    return rest.strip(" \t\n*_`:-–—") or None


def parse_choices(answers: pa.Table) -> pa.Table:
    """CHOICE_SCHEMA, one row per row of `answers` (request_key, answer_text, letters)."""
    rows = []
    for answer in answers.to_pylist():
        choice = parse_choice(answer["answer_text"], answer["letters"])
        rows.append(
            {
                "request_key": answer["request_key"],
                "parse_status": choice.status,
                "parse_reason": choice.reason,
                "letter": choice.letter,
                "justification": choice.justification,
            }
        )
    return pa.Table.from_pylist(rows, schema=CHOICE_SCHEMA)
