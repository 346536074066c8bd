"""Whether an action is an order in words that are known. What is told instead of ordered, or begins
with a verb that nobody has read, is not understood and so does not pass."""

from __future__ import annotations

import re
from collections.abc import Iterable

from python_llm.recommendations.knowledge import Knowledge
from python_llm.recommendations.wording.phrases import words

# A sentence that tells and yet orders: "should be given", "is recommended".
_ORDERS = re.compile(
    r"\b(?:is|are|remains?|es|son|esta|estan) (?:\w+ )?(?:recommended|indicated|advised|preferred"
    r"|required|needed|necessary|appropriate|started|given|to be|due|essential|mandatory|suggested"
    r"|warranted|favored|continued|stopped|avoided|held|contraindicated|contraindicad\w+|first"
    r"|recomendad\w+|indicad\w+|necesari\w+|the \w+ of choice|de eleccion)\b"
    r"|\b(?:is|are|stays?|queda) (?:out of the question|off the table|off limits|not an option"
    r"|out (?:for|here|as|because)|no (?:substitute|replacement|alternative)"
    r"|ruled out|descartad[oa])\b|\b(?:is|are) to (?:take|come|see|go|give|have)\b"
    r"|\b(?:comes?|goes) off\b"
    r"|\b(?:should|must|needs?|ought|shall|deben?|requires?|may|can|puede|habria)\b"
)
_HEAD = 12
_ARTICLES = frozenset(("a", "an"))
# The cues of plain care with which an order may begin (checks/care.py).
_CARE = ("watches", "counsels", "refers", "enlists", "supports")
# "he is over 80 and weighs 52 kg": why, behind an order; what it says is checked by its facts.
_REASON = re.compile(
    r"^(?:because|as|since|with|given|porque|dado|dada|con|ya que|pues)\b"
    r"|^(?:he|she|they|his|her|their|the patient|tiene|el paciente|la paciente|su)\b.*\d"
)
# "no rate control needed, as her rate is 78": the reason at the end is no order, and no tale
_REASON_BEHIND = re.compile(
    r"(?<=\w) (?:, )?(?:as|because|since|porque|ya que|pues)"
    r" (?:her|his|their|the|he|she|it|this|pci|sus?|el|la|los|las)\b[^,]*\d[^,]*$"
    r"|(?<=\w) (?:once|when|unless|until|cuando|hasta que)"
    r" (?:he|she|it|they|the|his|her|el|la)\b.*$"
    r"|(?<=\w) (?:, )?(?:whatever|no matter|sea cual sea|diga lo que diga)\b.*$"
    r"| as (?:fast|quickly|soon|much|rapido) (?:as|como) [^,]*(?:, (?:now|today|ya|ahora))?$"
)
# "no transfusion, as she has decided"; whether the record says so is another check
_WILL_BEHIND = re.compile(
    r"(?<=\w) (?:, )?(?:as|because|since|porque|ya que|pues|por)\b[^,]*"
    r"\b(?:decid\w*|decision|refus\w*|declin\w*|wish\w*|rechaz\w*|deseo|voluntad|witness)\b[^,]*$"
)
_SAFE = re.compile(r"\b(?:is|are|es|son) (?:segur[ao]s?|safe) (?:in|en)(?: (?:el|la))? \w+$")
# "untreated asthma is worse for the child than its treatment"
_WORSE = re.compile(
    r"\b(?:is|are|es|son) (?:far |much |mucho )?"
    r"(?:worse|more dangerous|peor(?:es)?|mas (?:peligros|danin)\w+)\b.*\b(?:than|que)\b"
)
# "no x-ray: the Ottawa ankle rules are negative"; whether they are is another check
_BY_A_RULE = re.compile(
    r"^(?:the |las? |el |los )?(?:\w+ ){0,3}(?:rules?|criteria|score|reglas?|criterios|perc|nexus"
    r"|wells|ottawa|centor)\b.*\b(?:negative|low|zero|met|not met|negativ[oa]s?|baj[oa]|cero|0|1)$"
)
# "no scan is needed", "que no conduzca": what is left out
_LEFT_OUT = re.compile(
    r"^(?:que no (?!sea|hay)\w+|nada (?:de|por)"
    r"|no (?:hacen? falta|procede|conviene|necesit\w+|precis\w+|requier\w+))\b"
)
_SENTENCE = re.compile(r"[;!?\n]|\.(?=\s|$)")
_HEADING = re.compile(r":(?=\s)")


_DOSED = re.compile(
    r"\b\d+(?:\.\d+)? (?:mg|g|mcg|ml|mmol|ui|iu|units|unidades)\b.*\b(?:cada|every|daily|diari\w+"
    r"|al dia|a day|por via|by mouth|oral\w*|intraven\w+|iv|ahora|now)\b"
    r"|\b(?:oral|intraven\w+) \d+(?:\.\d+)? (?:mg|g|mcg|ml|mmol|ui|iu|units|unidades)\b"
)


class Understood:
    """Whether each sentence of an action is an order in known words."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._lexicon = lexicon = knowledge.lexicon
        spanish = lexicon.words("order_verb_spanish")
        self._verbs = (
            lexicon.words("order_verb") | spanish | _polite(spanish) | _with_object(spanish)
        )

    def is_verb(self, token: str) -> bool:
        """Whether a word is a verb of orders, and no article that looks like one."""
        return token in self._verbs and token not in _ARTICLES

    def begins_with_a_verb(self, tokens: list[str]) -> bool:
        """Whether the main clause begins with a verb of orders."""
        main = self.main(tokens)
        return bool(main) and self.is_verb(main[0])

    def without_condition(self, clause: str) -> str:
        """A clause without the subordinate before its main clause ("once he is well, …")."""
        head, _, rest = clause.partition(",")
        opens = words(head)[:1]
        is_before = bool(opens) and opens[0] in self._lexicon.words("opens_subordinate")
        return rest if rest and is_before else clause

    def complaint(self, text: str) -> str:
        """The first sentence that is no order; empty if every sentence is one."""
        is_first = True
        for sentence in _SENTENCE.split(text):
            # "Potassium 7.4: call nephrology", "Apixaban 2.5 mg: she is over 80"
            parts = [(part, words(part)) for part in _HEADING.split(sentence)]
            parts = [(part, tokens) for part, tokens in parts if tokens]
            is_order = False
            for number, (part, tokens) in enumerate(parts):
                if self._is_order(tokens):
                    is_order = True
                    continue
                is_heading = number + 1 < len(parts) and len(tokens) <= _HEAD
                if is_heading and not self._lexicon.pattern("tells").search(" ".join(tokens)):
                    continue
                is_behind = is_order or not is_first
                is_harmless = not self._tells(tokens) or self._says_safe(tokens)
                is_harmless = is_harmless or (is_order and self._is_reason(sentence, tokens))
                if is_behind and is_harmless:
                    continue
                if self._advises_against(tokens):
                    continue
                return f"not understood as an order: “{part.strip()[:60]}”"
            is_first = is_first and not is_order
        return ""

    def _tells(self, tokens: list[str]) -> bool:
        plain = " ".join(self._without_reason(tokens))
        plain = _WILL_BEHIND.sub("", plain)
        # "no oxygen needed as her saturation is 84" tells
        if not self._lexicon.pattern("cannot_wait").search(plain):
            plain = _REASON_BEHIND.sub("", plain)
        is_reason = bool(_REASON.search(plain))
        return (
            not is_reason
            and bool(self._lexicon.pattern("tells").search(plain))
            and not _ORDERS.search(plain)
        )

    def _without_reason(self, tokens: list[str]) -> list[str]:
        """The tokens of an order without the finding that is the reason behind it ("…, as the
        sputum is purulent"), which another check compares with the record. What is called needless
        keeps its reason."""
        leads = self._lexicon.words("gives_reason")
        at = next((n for n, token in enumerate(tokens) if token in leads and n > 1), None)
        if at is None or self._lexicon.pattern("cannot_wait").search(" ".join(tokens)):
            return tokens
        opens = tokens[at - 1] == "," or tokens[at + 1 : at + 2] == ["of"]
        opens = opens or bool(set(tokens[at + 1 : at + 2]) & self._lexicon.words("opens_reason"))
        is_known = opens and any(self._knowledge.told_findings(tokens[at + 1 :]))
        return tokens[: at - (tokens[at - 1] == ",")] if is_known else tokens

    def _is_reason(self, sentence: str, tokens: list[str]) -> bool:
        """Whether what stands behind an order and its colon tells a finding, which another check
        compares with the record, or teaches that something is worse."""
        if self._lexicon.pattern("cannot_wait").search(sentence):
            return False
        plain = " ".join(tokens)
        is_why = bool(_WORSE.search(plain) or _BY_A_RULE.search(plain))
        return is_why or any(self._knowledge.told_findings(tokens))

    def _says_safe(self, tokens: list[str]) -> bool:
        """Whether a sentence only calls a drug safe ("steroids are safe in pregnancy"), which
        recommends it, so that its rules are checked."""
        return bool(_SAFE.search(" ".join(tokens))) and bool(
            self._knowledge.book.affirmed(" ".join(tokens))
        )

    def _advises_against(self, tokens: list[str]) -> bool:
        """Whether a sentence says only that drugs would be of no use ("andexanet would do
        nothing")."""
        plain = " ".join(tokens)
        mentions = self._knowledge.book.named(plain)
        is_against = bool(mentions) and not self._knowledge.book.affirmed(plain)
        is_futile = bool(self._lexicon.pattern("is_futile").search(plain))
        return is_against and is_futile and not self._knowledge.recommended(plain)

    def _is_order(self, tokens: list[str]) -> bool:
        main = self.main(tokens)
        if main and (main[0] in self._verbs or main[0].endswith("ing")):
            return True
        if any(self._lexicon.pattern(kind).match(" ".join(main)) for kind in _CARE):
            return True
        if _LEFT_OUT.search(" ".join(tokens)):
            return True
        ends = self._lexicon.words("ends_what_is_asked_for")
        end = next((n for n, token in enumerate(main) if token in ends and n), _HEAD)
        head = main[: min(end, _HEAD)]
        # "chest film in six weeks, to see that it has cleared" tells behind its head alone
        told = main if not self._lexicon.words("tells_purpose") & set(main) else head
        if self._tells(told):
            return False
        plain = " ".join(tokens)
        if any(self._lexicon.pattern(kind).search(plain) for kind in ("aftercare", "screens")):
            return True
        # nouns first: "left nephrostomy tonight", "fosfato 500 mg cada 8 horas"
        if self._lexicon.words("sided_procedure") & set(head) or _DOSED.search(" ".join(head)):
            return True
        return bool(self._lexicon.words("asked_for") & set(head)) or self._knowledge.names_measure(
            " ".join(head)
        )

    def main(self, tokens: list[str]) -> list[str]:
        """The tokens without what stands before the main clause."""
        while tokens and tokens[0] in self._lexicon.words("opens_subordinate") and "," in tokens:
            tokens = tokens[tokens.index(",") + 1 :]
        leading = self._lexicon.words("leads_order") | {","}
        position = 0
        while position < len(tokens) - 1 and (
            tokens[position] in leading or tokens[position].endswith("ly")
        ):
            position += 1
        return tokens[position:]


def _polite(infinitives: Iterable[str]) -> frozenset[str]:
    """How Spanish orders somebody politely: "administre", "eviten"."""
    endings = {"ar": ("e", "en"), "er": ("a", "an"), "ir": ("a", "an")}
    return frozenset(
        verb[:-2] + ending for verb in infinitives for ending in endings.get(verb[-2:], ())
    )


def _with_object(infinitives: Iterable[str]) -> frozenset[str]:
    """Infinitives with whom or what they are of: "dejarlo", "verle"."""
    return frozenset(
        verb + of_whom
        for verb in infinitives
        for of_whom in ("lo", "la", "le", "los", "las", "les", "se")
    )
