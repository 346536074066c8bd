"""The option that a recorded answer names: a letter, a number, a text, JSON or prose."""

import json
import re

from python_llm.parsing.folding import column_key, option_key
from python_llm.questions import keys
from python_llm.questions.choice import Choice, parse_choice
from python_llm.questions.options import LETTERS

JSON_FIELDS = (
    *("answer", "respuesta", "respuesta_correcta", "choice", "letter", "letra", "option", "opcion"),
    *("answer_idx", "final_answer", "correct_answer", "respuesta_final"),
)
# a number where a letter could stand: 'la respuesta correcta es la 3', 'Answer: 2'; and what
# answers a question for the one that is wrong: 'la afirmación incorrecta es la 4'
WORDS = (
    r"(?:m[aá]s|probable|is|es|ser[ií]a|est|é|la|the|number|n[uú]mero|opci[oó]n|option|final|n[º°]"
    r"|letra|lettre|letter)"
)
RIGHT = (
    r"(?:correct[ao]?|correta|correcte|adecuad[ao]|right|best|verdader[ao]|v[aá]lid[ao]|incorrect[ao]?|fals[ao]"
    r"|false|err[oó]ne[ao]|wrong|final)"
)
NOUN = r"(?:respuesta|soluci[oó]n|answer|choice|r[eé]ponse|resposta|la\s+correcta)"
CLAIM = r"(?:opci[oó]n|alternativa|option|afirmaci[oó]n|statement|enunciado|aseveraci[oó]n)"
STATED_NUMBER = re.compile(
    rf"(?i)(?:\b(?:{NOUN}(?:\s+{RIGHT})?|{CLAIM}\s+{RIGHT}|{RIGHT}\s+{CLAIM}|elijo|escojo|i\s+choose"
    rf"|marco)|^\W*(?:{CLAIM}|(?:es|ser[ií]a)(?=\s+la\s)))(?:\s+{WORDS})*\s*:?\s*[*_(\"]*(?:{WORDS}\s+)*[*_(\"]*"
    r"([1-9]|(?-i:[A-J]))(?![\w%]|[.,]\d)"
)
# what a person has written behind an answer: '3 ✗', 'B (incorrecta)', '3 (correcta: 2)'
_IS_RIGHT = r"(?:in)?correct[ao]?|right|wrong|ok|ko|acierto|fallo|error|bien|mal|rc|clave|key|gold"
VERDICT = re.compile(
    rf"(?i)(?:\s*[✓✔✗✘×✅❌☑]+\uFE0F?|\s*[(\[](?:{_IS_RIGHT})(?:\s*[:=]?\s*(?:es\s+)?[a-j1-9])?[)\]])+\s*$"
)
NUMBER_IN_FRONT = re.compile(
    r"^[\s>#*_\-•\"'`(\[]*([1-9])[*_`]*(?:[)\].:\-–]+[*_`]*\s|\s+[\-–:]\s|[\s\"'*_.)\]]*$)"
)


# what joins two options in an answer that does not choose, and words that may stand behind it
_JOINS = r"(?:o|u|or|oder|ou|oppure|vs|versus|bzw|y|e|and|und|et|/|\|)"
_BESIDE_JOIN = re.compile(rf"(?:^|(?<=\s)){_JOINS}\.?(?=\s|$)|[/|]")
_TWO_LETTERS = re.compile(
    r"(?i:\W*(?:(?:entre|between|zwischen|either|entweder|tra|fra)\s+)?(?:(?:la|the|option|opci[oó]n)\s+)*)"
    r"\(?(?P<first>[A-J])\b[).*]*(?i:[\s,;(]+(?:o|u|or|oder|ou|oppure|vs|versus|bzw|y|e|and|und|et)\b\.?"
    r"|\s*[,/&+|]|\s*[,(]\s*(?=tal|quiz|may|perh|viell|peut|fors|talv|posib|poss))(?i:[\s,(]+"
    r"(?:bien|quiz[aá]s?|tal\s+vez|posiblemente|maybe|perhaps|possibly|vielleicht|peut-[eê]tre|forse"
    r"|talvez|else|eher|la|the|option|opci[oó]n|a\s+lo\s+mejor))*\s*\(?(?P<second>[A-J])(?![\w'’])"
)
_DENIALS = frozenset(("no", "not", "nicht", "pas", "nao", "non", "sin", "without", "kein", "keine"))
_WINDOW = 4  # words beside what joins two options
_FEWEST_LETTERS = 4  # of a word that tells an option from others


def read_choice(text: str, options: list[str], first_number: int = 1) -> Choice:
    """The option a recorded answer names: by letter, by number from `first_number` on, by its text,
    or stated in prose. Unread, with the reason, where it names none or several."""
    letters = LETTERS[: len(options)]
    written = VERDICT.sub("", _stated_in_json(text.strip())).strip() or text.strip()
    by_text = keys.letter_of_text(written, options)
    if by_text:
        return Choice("ok", None, by_text)
    if (index := keys.place_of(written, keys.Base(first_number))) is not None:
        if 0 <= index < len(options):
            return Choice("ok", None, letters[index])
        return Choice("parse_error", "no_such_option")
    if bare := keys.BARE.match(written):
        sign = bare[1].upper()
        index = int(sign) - first_number if sign.isdigit() else letters.find(sign)
        if 0 <= index < len(options):
            return Choice("ok", None, letters[index])
        return Choice("parse_error", "no_such_option")

    def lettered(match: re.Match[str]) -> str:
        if match[1] in LETTERS:
            return f"Answer: {match[1]}"
        index = int(match[1]) - first_number
        return f"Answer: {LETTERS[index] if 0 <= index < len(LETTERS) else match[1]}"

    body = STATED_NUMBER.sub(lettered, written)
    if in_front := NUMBER_IN_FRONT.match(body):
        index = int(in_front[1]) - first_number
        letter = LETTERS[index] if 0 <= index < len(LETTERS) else "?"
        body = f"{letter}) {body[in_front.end() :]}"
    if (two := _TWO_LETTERS.match(body)) and two["first"] != two["second"]:
        return Choice("parse_error", "two_letters")
    choice = parse_choice(body, letters)
    named = _named_options(body, options)
    if choice.letter and choice.justification:
        # '2. Aspirin' where aspirin is option 1: nobody can say which was meant
        stated = keys.letter_of_text(choice.justification.splitlines()[0], options)
        if stated not in (None, choice.letter):
            return Choice("parse_error", "contradiction")
    if choice.reason == "no_letter" and len(named) == 1:
        if _names_another(body, options, LETTERS.index(named[0])):
            return Choice("parse_error", "two_letters")
        return Choice("ok", None, named[0], written)
    return choice


def _stated_in_json(text: str) -> str:
    """The answer of a JSON object, fenced or not; another text as it is."""
    body = re.sub(r"^```\w*\s*|\s*```$", "", text)
    if not body.startswith("{"):
        return text
    try:
        stated = json.loads(body)
    except (ValueError, RecursionError):
        return text
    by_key = {column_key(str(name)): value for name, value in stated.items()}
    values = [by_key[name] for name in JSON_FIELDS if name in by_key]
    return str(values[0]).strip() if len(values) == 1 and values[0] is not None else text


def _named_options(text: str, options: list[str]) -> list[str]:
    """The letters of the options whose whole text is in `text`; one within another does not count
    twice."""
    folded = option_key(text)
    present = [
        (option_key(option).rstrip("."), letter)
        for option, letter in zip(options, LETTERS, strict=False)
        if re.search(rf"(?<!\w){re.escape(option_key(option).rstrip('.'))}(?!\w)", folded)
    ]
    return [
        letter
        for option, letter in present
        if not any(option != other and option in other for other, _ in present)
    ]


def _names_another(text: str, options: list[str], at: int) -> bool:
    """Whether the option `at`, which stands whole in `text`, is joined with a part of another one:
    'corticosteroids or adrenaline' beside 'Intramuscular adrenaline'."""
    folded, name = option_key(text), option_key(options[at]).rstrip(".")
    own = {*re.findall(r"\w+", name)}
    others = {
        word
        for number, option in enumerate(options)
        if number != at
        for word in re.findall(r"\w+", option_key(option))
        if len(word) >= _FEWEST_LETTERS and word not in own
    }
    before, _, after = folded.partition(name)
    joined = [_BESIDE_JOIN.split(side) for side in (before, after)]
    beside = []
    if len(joined[0]) > 1 and len(re.findall(r"\w+", joined[0][-1])) < _WINDOW:
        beside.append(re.findall(r"\w+", joined[0][-2])[-_WINDOW:])
    if len(joined[1]) > 1 and len(re.findall(r"\w+", joined[1][0])) < _WINDOW:
        beside.append(re.findall(r"\w+", joined[1][1])[:_WINDOW])
    return any(others & {*words} and not _DENIALS & {*words} for words in beside)
