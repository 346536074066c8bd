"""The names of drugs and classes in a text, and which of them the text recommends.

Pure functions over the seed drugs. A name that no seed has is never taken for safe: it is reported
as not checked.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from python_llm.errors import UserError
from python_llm.parsing.folding import without_accents
from python_llm.recommendations.drugs.orders import is_ended, is_stopped_behind
from python_llm.recommendations.record.conditions import names
from python_llm.recommendations.wording.lexicon import Lexicon
from python_llm.recommendations.wording.phrases import (
    Cues,
    clauses,
    is_denied,
    is_denied_after,
    words,
)

Row = Mapping[str, str]
# A heading has at most this many words before the drug.
_HEADING = 4
_ARTICLES = frozenset(("the", "any", "el", "la", "los", "las", "al"))
_RULED_OUT = re.compile(
    r"^(?:(?:is|are|stays?|remains?|es|son|esta|queda|sigue) )?(?:\w+ )?(?:out of the question"
    r"|off the (?:table|list|menu)|off limits|not an option|no option|ruled out|(?:a )?no go"
    r"|out(?= ?$| (?:for|here|because|as|since|he|she|given|in)\b)"
    r"|no (?:substitute|replacement|alternative|answer|match)|(?:un )?mal sustituto"
    r"|out of bounds|taboo|descartad[oa]|fuera de lugar|impensable|ni hablar|vetad[oa])\b"
    r"|^(?:would|could|can|may|will|puede|podria) (?:\w+ )?(?:harm|kill|poison|hurt|danar|matar)\b"
    r"|^(?:(?:would|will|could|can) do|does) (?:nothing|no good)\b"
    r"|^(?:may|might|could|is|are)(?: still)?(?: be)? (?:in the way|blocking|blunting)\b"
)
_LEFT_OUT = re.compile(
    r"(?:^(?:(?:so|please|hence|then|por eso|asi que) )?|\b)(?:leave|keep) (?:it|them|that) "
    r"(?:out|off|away|alone)(?= ?$| ?,| (?:because|as|since|here|for|in)\b)"
    r"|^(?:please )?(?:do not|don t|never) (?:give|use|start|add|take|prescribe|touch) "
    r"(?:it|them|that)(?= ?$| ?,| (?:because|as|since|here)\b)"
    r"|^no (?:lo|la|los|las) (?:de|des|use|paute|inicie|anada)(?= ?$| ?,| (?:porque|ya que)\b)"
)
# A drug named for a measurement ("digoxin level") or for a disease is not recommended.
_NOT_A_DRUG_BEFORE = {
    *("level", "levels", "concentration", "concentrations", "induced", "resistance"),
    # "because of the penicillin anaphylaxis"
    *("anaphylaxis", "allergy", "allergies", "hypersensitivity", "intolerance", "reaction"),
    # "digoxin-specific antibody fragments", "digoxin immune fab": what is given against it
    *("specific", "antibody", "antibodies", "immune", "fab", "poisoning", "toxicity", "toxic"),
}
# "tumour lysis", "red cell lysis": no clot is dissolved
_LYSIS, _OF_CELLS = "thrombolytic", frozenset(("tumor", "tumoral", "cell", "cells", "adhesion"))
REPLACING = {
    "replace",
    "replacing",
    "switch",
    "switching",
    "change",
    "changing",
    "swap",
    "convert",
    "cambiar",
    "cambie",
    "sustituir",
    "sustituya",
}
# "move her from warfarin to apixaban"; without "from", somebody is moved
_MOVING = {"move", "moving", "pasar", "pase"}
_FROM = {"from", "de"}
_AND = {"and", "or", "nor", ",", "y", "o", "ni"}
_AVOID = {"avoid", "evitar", "evite", "evitarlo", "evitarla"}
_FORBIDDEN = {
    *("contraindicated", "forbidden", "prohibited", "contraindicado", "contraindicada"),
    *("contraindicados", "prohibido", "prohibida", "prohibidos"),
}
_REASONS = {
    *(",", "because", "as", "since", "due", "given", "if", "in", "for", "here", "por", "en", "si"),
    *("dada", "dado", "and", "y", "completely", "altogether"),
}
# What leads a drug that is the reason for something else, and whose drug it is.
_REASON_REACH = 6
DEFINITE = frozenset(("the", "his", "her", "their", "el", "la", "su"))
_OWNING = {"the", "his", "her", "their", "el", "la", "su", "current", "regular", "concurrent"}
_LEADS_A_REASON = (
    *(("because", "of"), ("due", "to"), ("owing", "to"), ("on", "account", "of")),
    *(("interacts", "with"), ("interaction", "with"), ("because", "he", "takes")),
    *(("because", "she", "takes"), ("as", "he", "takes"), ("as", "she", "takes")),
    *(("since", "he", "takes"), ("since", "she", "takes"), ("debido", "a"), ("debido", "al")),
    *(
        ("por", "interaccion", "con"),
        ("interacciona", "con"),
        ("porque", "toma"),
        ("ya", "que", "toma"),
    ),
    *(("against",), ("contra",), ("frente", "a"), ("frente", "al")),
)
# "because the methadone lasts longer"
_BECAUSE = frozenset(("because", "since", "as", "porque", "pues", "que", "given"))
_OF_A_REASON = re.compile(
    r"^(?:lasts?|acts?|outlasts?|stays?|works?|wears|persists?|may|can|will|has|is|dura|actua"
    r"|permanece|persiste|tiene|puede|sigue)\b(?! (?:needed|indicated|required|given|recommended"
    r"|to be|indicad\w|necesari\w))"
)
# "bring the morphine tablets to the pharmacy": what becomes of the tablets, and no order of them
_TAKEN_AWAY = re.compile(
    r"\b(?:bring|brings|take|takes|return|returns|hand|hands|remove|removes|collect|lock|locks|keep"
    r"|dispose|throw|llev\w+|devolv\w+|devuelv\w+|entreg\w+|retir\w+|guard\w+|recog\w+)"
    r"(?: (?!and\b|y\b|then\b|luego\b|,)[\w,]+){0,5}$"
)
# "with adrenaline at hand": nothing is given
_READY = re.compile(
    r"^(?:(?:at|a|by|al) (?:hand|mano|the bedside|lado|la mano)|ready|prepared|drawn up|available"
    r"|on standby|preparad[oa]|cargad[oa]|disponible|list[oa])\b(?! (?:to|for|para) )"
)
_WHERE_TO = re.compile(
    r"^(?:(?!and\b|y\b|then\b|luego\b)[\w]+ ){0,3}?(?:(?:back )?(?:to|in|into)"
    r" (?:the |a |his |her )?(?:pharmacy|chemist|locked|lock|safe|cupboard)"
    r"|away from|out of (?:the |his |her |their )?"
    r"(?:house|home|reach|room|flat)|from (?:the |his |her |their )?(?:house|home|flat)"
    r"|a (?:la|una) farmacia|bajo llave|fuera (?:de|del)|de (?:la |su )?(?:casa|domicilio))\b"
)
_EXAMPLES = {"such", "as", "including", "like", "example", "for", "por", "ejemplo", "como"}
_BRACKETS = re.compile(r"\(([^()]{3,80})\)")
_FOR_EXAMPLE = re.compile(r"\b(?:e\.g\.|i\.e\.|p\. ?ej\.)", re.IGNORECASE)
_BY = {"with", "by", "to", "for", "por"}
# Stems of non-proprietary names: WHO, The use of stems in the selection of INN, 2018.
_STEM = re.compile(
    r"^[a-z]{2,}(?:olol|pril|prilat|sartan|statin|gliptin|gliflozin|mab|tinib|cillin|floxacin|"
    r"mycin|micin|conazole|fungin|vir|parin|xaban|gatran|grel|grelor|dipine|thiazide|semide|"
    r"prazole|tidine|setron|triptan|oxetine|azepam|azolam|barbital|caine|curonium|profen|coxib|"
    r"fibrate|glutide|lukast|terol|tropium|solone|onide|cycline|penem|dronate|glitazone|afil|"
    r"plase|teplase|zosin|triptyline|sentan|ciguat|prost|prostil|kinra|cept|amine|oxacin|idone|"
    r"apine|vaptan|entan|bactam|oxaban|irudin|lipase|siran|rsen)s?$"
)
_BESIDE_DOSE = re.compile(
    r"\b([a-z][a-z-]{4,})(?:\s+(?:iv|po|sc|im|oral|intravenous|bolus))?\s+"
    r"\d[\d.,]*\s?(?:mg|g|mcg|microgram|micrograms|units|iu|mmol|meq)\b"
)
# What stands where a drug stands: behind a verb that gives, before its dose, time or reason.
_GIVEN = re.compile(
    r"\b(?:give|start|begin|commence|prescribe|administer|add|initiate|inject|infuse|nebuli[sz]e"
    r"|load with|treat with|switch to|change to|dar|iniciar|inicie|pautar|paute|administrar"
    r"|administre|anadir|anada|prescribir|prescriba|tratar con|cambiar a|comenzar|empezar)"
    r" (?:oral |iv |intravenous |inhaled |low[- ]dose |high[- ]dose )?([a-z][a-z-]{4,})"
    r"(?= (?:for|to|at|in|iv|im|sc|po|every|each|twice|once|three|four|daily|now|today"
    r"|tonight|orally|intravenously|by|as|until|plus|and|cada|por|para|al|ya|durante|hasta|oral|intravenos\w+|en"
    r"|con|una|dos|tres|hoy|como|\d)\b|\s*[.,;]|\s*$)"
)
# The seeds with words of clinical orders.
_VOCABULARY = (
    *("action_phrases", "assertion_cues", "clinical_actions", "clinical_documents"),
    *("clinical_findings", "clinical_problems", "drug_rules", "drugs", "guideline_expectations"),
    *("lab_tests", "order_limits", "red_flags", "scope_terms"),
)


class DrugError(UserError):
    """A drug seed that contradicts itself or another; the message names both and the remedy."""


@dataclass(frozen=True)
class Named:
    """A drug or class at tokens [start, end) of a clause. affirmed: recommended, not advised
    against."""

    concept: str
    affirmed: bool
    tokens: tuple[str, ...]
    start: int
    end: int


class DrugNames:
    """Drugs and classes by their names and spellings in the seeds, and what stands above each.
    Errors: DrugError."""

    def __init__(self, tables: Mapping[str, Sequence[Row]], cues: Cues, lexicon: Lexicon) -> None:
        self._cues, self._tables, self._lexicon = cues, tables, lexicon
        # the checks of one recommendation read each of its texts many times
        self._kept_names = lru_cache(maxsize=8192)(self._named)
        self._kept_spans = lru_cache(maxsize=8192)(self._find_spans)
        rows = tables["drugs"]
        self.classes = {row["drug"]: row for row in rows if row["kind"] != "drug"}
        self.drugs = {row["drug"]: row for row in rows if row["kind"] == "drug"}
        self._check_names(tables)
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        for concept, row in {**self.classes, **self.drugs}.items():
            for name in [concept.replace("_", " "), *names(row["names"])]:
                tokens = tuple(token for token in words(name) if token != ",")
                self._by_first[tokens[0]].append((tokens, concept))
        for options in self._by_first.values():
            options.sort(key=lambda option: -len(option[0]))

    def _check_names(self, tables: Mapping[str, Sequence[Row]]) -> None:
        known = self.classes.keys() | self.drugs.keys()
        for table, column in (
            ("drugs", "classes"),
            ("drug_rules", "drug"),
            ("order_limits", "subject"),
        ):
            for line, row in enumerate(tables[table], 1):
                if table == "order_limits" and row["kind"] != "course":  # not of a drug
                    continue
                for name in names(row[column]):
                    if name not in known:
                        raise DrugError(
                            f"seeds/recommendations/{table}.csv, row {line}, {column}: {name!r} is "
                            "neither a drug nor a class: add it to drugs.csv or correct it."
                        )

    @cached_property
    def closures(self) -> dict[str, frozenset[str]]:
        """Each drug or class with every class above it."""

        def up(concept: str) -> set[str]:
            row = self.drugs.get(concept) or self.classes.get(concept, {})
            above = set(names(row.get("classes")))
            return {concept}.union(*(up(parent) for parent in above))

        return {concept: frozenset(up(concept)) for concept in {**self.classes, **self.drugs}}

    @cached_property
    def members(self) -> dict[str, frozenset[str]]:
        """The drugs and classes below each class, itself included."""
        below: dict[str, set[str]] = defaultdict(set)
        for concept, above in self.closures.items():
            for name in above:
                below[name].add(concept)
        return {name: frozenset(concepts) for name, concepts in below.items()}

    def spans(self, tokens: Sequence[str]) -> Sequence[tuple[str, int, int]]:
        """The names of drugs in a clause: what each stands for, where it starts and ends."""
        return self._kept_spans(tuple(tokens))

    def _find_spans(self, tokens: tuple[str, ...]) -> tuple[tuple[str, int, int], ...]:
        return tuple(self._walk_spans(tokens))

    def _walk_spans(self, tokens: tuple[str, ...]) -> Iterator[tuple[str, int, int]]:
        position = 0
        while position < len(tokens):
            longest = self._name_at(tokens, position)
            # "give potassium chloride": the name that reaches further, not "give potassium"
            if longest and not any(
                inner[1] > longest[1]
                for at in range(position + 1, longest[1])
                if (inner := self._name_at(tokens, at))
            ):
                yield longest[0], position, longest[1]
                position = longest[1] - 1
            position += 1

    def _name_at(self, tokens: Sequence[str], position: int) -> tuple[str, int] | None:
        """What the longest name at a token stands for, and where the name ends."""
        for name, concept in self._by_first.get(tokens[position], ()) or self._by_first.get(
            tokens[position].removesuffix("s"), ()
        ):
            end = position + len(name)
            written = tuple(tokens[position:end])
            last = written[-1].removesuffix("s") if written else ""
            if written == name or (*written[:-1], last) == name:
                return concept, end
        return None

    def named(self, text: str) -> list[Named]:
        """Every drug and class that a text names, the longest name at each place."""
        return list(self._kept_names(text))

    def _named(self, text: str) -> tuple[Named, ...]:
        mentions: list[Named] = []
        parts = [tuple(clause) for clause in clauses(self._with_lists(text))]
        for tokens, following in pairwise([*parts, ()]):
            spans = self.spans(tokens)
            if not spans:
                continue
            listed = list(tokens)
            cues = self._cues.marked(listed)
            is_move = bool((REPLACING | _MOVING) & set(tokens))
            clause_mentions: list[Named] = []
            for concept, start, end in reversed(spans):
                if end < len(tokens) and tokens[end] in _NOT_A_DRUG_BEFORE:
                    continue
                if concept == _LYSIS and not _OF_CELLS.isdisjoint(
                    tokens[max(0, start - 1) : start]
                ):
                    continue
                if _is_taken_away(tokens, start, end) or _READY.search(" ".join(tokens[end:])):
                    continue
                denied = (
                    is_denied(listed, cues, start, end)
                    or (is_move and is_replaced(tokens, start, end))
                    or is_stopped_behind(tokens, start, end)
                    or is_ended(tokens, start, end)
                    or _is_avoided(tokens, start, end, following)
                    or _is_a_reason(tokens, start, end)
                )
                # "warfarin and DOACs must not be used": what follows the list is said of all of it
                if (
                    clause_mentions
                    and not denied
                    and set(tokens[end : clause_mentions[0].start]) <= _AND
                ):
                    denied = not clause_mentions[0].affirmed and is_denied_after(
                        listed, cues, clause_mentions[0].end
                    )
                clause_mentions.insert(0, Named(concept, not denied, tokens, start, end))
            mentions += clause_mentions
        return tuple(mentions)

    def _with_lists(self, text: str) -> str:
        """A text in which drugs in brackets or behind "e.g." belong to the clause before them:
        "avoid penicillins (amoxicillin, ampicillin)"."""

        def joined(match: re.Match[str]) -> str:
            tokens = [token for token in words(match[1]) if token not in _AND | _EXAMPLES]
            covered = sum(end - start for _, start, end in self.spans(tokens))
            return f", {match[1]}," if tokens and covered == len(tokens) else match[0]

        return _BRACKETS.sub(joined, _FOR_EXAMPLE.sub("such as", text))

    def concepts(self, text: str) -> set[str]:
        """Every drug and class named, for or against, with the classes above it."""
        return {name for mention in self.named(text) for name in self.closures[mention.concept]}

    def affirmed(self, text: str) -> set[str]:
        """Every drug and class recommended, with the classes above it."""
        return {
            name
            for mention in self.named(text)
            if mention.affirmed
            for name in self.closures[mention.concept]
        }

    def needs_check(self, concept: str) -> bool:
        """Whether a medication must be among what was checked; fluids and oxygen need not be."""
        kinds = {self.classes[c]["kind"] for c in self.closures[concept] if c in self.classes}
        return not kinds & {"support", "allergen"}

    def unknown_drugs(self, text: str) -> list[str]:
        """Words that are drugs by their stem, their dose or their place ("start zorplexin for the
        cough"), and are not in the seeds."""
        plain = without_accents(text.lower())
        candidates = [token for token in words(text) if _STEM.match(token)]
        candidates += [
            match[1]
            for match in _BESIDE_DOSE.finditer(plain)
            if match[1] not in self._lexicon.words("beside_a_dose")
        ]
        candidates += [
            match[1]
            for match in _GIVEN.finditer(plain)
            if not self._vocabulary & {*words(match[1])}
        ]
        candidates = [self._without_salt(word, words(text)) for word in candidates]
        return [
            word
            for word in dict.fromkeys(filter(None, candidates))
            if not {word, word.removesuffix("s")} & self._lexicon.words("not_a_drug")
            and not self._is_name(word)
        ]

    def _without_salt(self, word: str, tokens: Sequence[str]) -> str:
        """A candidate; of a salt, what it is a salt of, and nothing if that is a known drug
        ("fosfomycin trometamol", "zorplexin besilate")."""
        salts = self._lexicon.words("salt")
        if word not in salts or word not in tokens:
            return word
        at = tokens.index(word)
        if any(start < at <= end for _, start, end in self.spans(tokens)):
            return ""
        before = tokens[at - 1] if at else ""
        return before if len(before) > 3 and before.isalpha() and not self.knows([before]) else word

    def _is_name(self, word: str) -> bool:
        tokens = set(words(word))
        return any(
            tokens & set(name)
            for token in tokens
            for first in (token, token.removesuffix("s"))
            for name, _ in self._by_first.get(first, ())
        ) or bool(tokens & self._inner_words)

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        """Every word of the seeds: what is in none of them is not known."""
        return frozenset(
            word
            for name in _VOCABULARY
            for row in self._tables.get(name, ())
            for text in row.values()
            if isinstance(text, str)
            for word in words(text)
        )

    def knows(self, tokens: Iterable[str]) -> bool:
        """Whether one of the words stands in a seed, be it of one or of many ("alergias")."""
        return any(
            len(token) > 1 and not self._vocabulary.isdisjoint((token, token.removesuffix("s")))
            for token in tokens
        )

    @cached_property
    def _inner_words(self) -> set[str]:
        return {
            word
            for options in self._by_first.values()
            for name, _ in options
            for word in name[1:]
            if len(word) > 3
        }

    def are_related(self, first: str, other: str) -> bool:
        """Whether one is the other, or a member of it."""
        return other in self.closures[first] or first in self.closures[other]


def _is_taken_away(tokens: Sequence[str], start: int, end: int) -> bool:
    """Whether a text only says where tablets are brought: out of the house, to the pharmacy."""
    return bool(
        _TAKEN_AWAY.search(" ".join(tokens[:start])) and _WHERE_TO.search(" ".join(tokens[end:]))
    )


def _is_a_reason(tokens: Sequence[str], start: int, end: int) -> bool:
    """Whether a drug is why something is done, and not what is given: "because of her
    methotrexate", "por interacción con warfarina", "because the methadone lasts longer"."""
    before = list(tokens[max(0, start - _REASON_REACH) : start])
    while before and before[-1] in _OWNING:
        before.pop()
    if len(before) > 1 and before[-1] in _BECAUSE:
        return bool(_OF_A_REASON.search(" ".join(tokens[end:])))
    return any(before[-len(lead) :] == list(lead) for lead in _LEADS_A_REASON)


def _is_avoided(tokens: Sequence[str], start: int, end: int, following: Sequence[str]) -> bool:
    """Whether a drug is a heading that is told to be avoided ("amoxicillin: avoid in this
    patient"), or stands below one that says so ("contraindicated: amoxicillin"), or is a subject
    that is ruled out ("amoxicillin is off the table", "allopurinol would harm her: leave it
    out"). following: the next clause."""
    if start < _HEADING and set(tokens[:start]) <= _ARTICLES:
        rest = " ".join(tokens[end:])
        if _RULED_OUT.search(rest):
            return True
        # "amoxicillin 1 g; do not give it with milk" is an order
        is_dosed = any(token[0].isdigit() for token in tokens)
        if not is_dosed and (_LEFT_OUT.search(rest) or _LEFT_OUT.search(" ".join(following))):
            return True
    if start:
        return tokens[0] in _FORBIDDEN
    behind = tokens[end:] or following
    # "morfina no; paracetamol"
    if tokens[end : end + 1] == ("no",) and tokens[end + 1 : end + 2] in ((), (",",)):
        return True
    if not behind or behind[0] not in _AVOID:
        return False
    # "ACE inhibitor. Avoid in pregnancy" is a sentence about others
    is_of_others = behind is following and behind[1:2] and behind[1] in ("in", "if", "en", "si")
    if is_of_others and not {"this", "este", "esta"} & set(behind[2:3]):
        return False
    return len(behind) == 1 or behind[1] in _REASONS


def is_replaced(tokens: Sequence[str], start: int, end: int) -> bool:
    """Whether the drug stands between "replace" or "switch from" and what replaces it."""
    if _MOVING & set(tokens[:start]) and tokens[start - 1] in _FROM:
        return bool((_BY | {"a"}) & set(tokens[end:]))
    if not REPLACING & set(tokens[:start]):
        return False
    verb = max(n for n in range(start) if tokens[n] in REPLACING)
    return not _BY & set(tokens[verb + 1 : start]) and bool(_BY & set(tokens[end:]))
