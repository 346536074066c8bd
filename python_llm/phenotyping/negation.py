"""What a sentence asserts of a finding: present, denied, resolved, someone else's, or in doubt.

Cue words with a scope, after NegEx (Chapman 2001, doi:10.1006/jbin.2001.1029) and ConText
(Harkema 2009, doi:10.1016/j.jbi.2009.05.002): a cue reaches forward or backward over the words of
its sentence, up to a word that ends the clause. The cues are data (seed note_cues).
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from python_llm.errors import UserError
from python_llm.phenotyping.denied_lists import (
    end_of_list,
    end_of_quality,
    is_bare,
    test_before,
)
from python_llm.phenotyping.text import Token, tokens_of, word_set

# what a section is about, by the kind of its heading, and what it says of every finding in it
SECTIONS = {
    "family_section": frozenset({"family"}),
    "history_section": frozenset({"historical"}),
    "warning_section": frozenset({"conditional"}),
    "tests_section": frozenset[str](),
    "medication_section": frozenset[str](),
    "examination_section": frozenset[str](),
}
# how a sample is spoilt, which puts its value in doubt (abnormal_values, spoilt_by)
SPOILT = ("burst", "stood", "clumped", "mixed")
# a call of a team that was cancelled ("código ictus anulado")
TAKEN_BACK = "taken_back"
KINDS = frozenset(
    (
        *SECTIONS,
        *SPOILT,
        TAKEN_BACK,
        *("negation", "pseudo", "terminator", "family", "informant", "test", "now"),
        *("informant_verb", "resolved", "not_resolved", "uncertain", "normal", "not_normal"),
        *("impaired", "historical", "not_historical", "planned", "conditional", "trigger"),
        *("stopped", "affirmed"),
    )
)
DIRECTIONS = frozenset(("forward", "backward", "both", "none"))
# in a cue: a sign or the end must follow, which tells "Fever: no." from "No fever"
CLAUSE_END = "$"
ENDING_SIGNS = frozenset((";", ".", "!", "?", "•", "·"))
CLOSING_SIGNS = frozenset((",", ";", ".", ")", "!", "?", "-", "/", "•"))
QUOTES = frozenset(('"', "'", "“", "”", "«", "»", "‘", "’"))
# before a colon: what follows the colon belongs to what precedes it
ANNOUNCING = frozenset(("following", "siguiente", "siguientes"))
# words between a finding and a word that places it today, ahead of it; half as many behind it
NEAR_NOW = 6
# words between a relative and what that relative reported ("the mother has also noticed")
INFORMANT_GAP = 3
# the kinds of one group compete for the same words; another group reads them anew
_GROUPS = (
    frozenset(
        (
            *("negation", "pseudo", "terminator", "resolved", "not_resolved", "uncertain"),
            *("planned", "conditional", "trigger", "stopped", "affirmed"),
        ),
    ),
    frozenset(("historical", "not_historical", "now")),
    frozenset(("family", "informant", *SECTIONS)),
    frozenset(("test",)),
    frozenset(("informant_verb",)),
    frozenset(("normal", "not_normal", "impaired")),
    frozenset((*SPOILT, TAKEN_BACK)),
)

# cues that count for nothing where they are part of a finding ("ha dejado de hablar")
_SPENDABLE = frozenset(("negation", "stopped", "resolved"))
# "not" denies an action as often as a finding
_VERBAL = word_set(
    "not never cannot can't doesn't didn't isn't wasn't aren't weren't hasn't hadn't haven't don't "
    "couldn't wouldn't nunca tampoco jamas excludes excluye"
)
_AUXILIARIES = word_set(
    "hay existe existen se ha han habia le les me have has had having been be any un una no not "
    "never nunca tampoco does did do also tambien once recently previously"
)
# a verb keeps a finding and its predicate in one clause, a conjunction does not
_CONJUNCTIONS = word_set("but however although though except pero aunque salvo excepto sino yet")
# words after a finding within which its own resolution may still be stated
_SAME_SUBJECT = 6
_JOINTS = frozenset(("and", "or", "nor", "y", "e", "o", "u", "ni"))
# these deny a subject ("no murmurs were present"); other cues leave the predicate to what follows
# ("without murmurs, and crackles were present")
_DETERMINERS = word_set("no nor neither none any ni ningun ninguna tampoco not")
_DETERMINERS_ES = _DETERMINERS - {"no"}
# why a drug was stopped or a function is lost is not itself stopped
_REASONS = word_set("por because for due ante since debido tras after dada dado")
# what to do if something happens, and how many words before its "if" ("call an ambulance if")
_ADVICE = word_set(
    "call ring dial phone return come seek attend reattend contact acuda acudir acudan llame "
    "llamar consulte consultar vuelva volver reconsultar avise avisar bring back traer traiga "
    "traigan traigalo traigala llevar lleve lleven regrese regresar venga vengan venir"
)
_ADVICE_AHEAD = 6
_HEARD = word_set("heard seen regular reactive reassuring bpm")
_IF = word_set("if si")
# what is listed behind "risks discussed", and how many words may stand before its colon
_RISKS = word_set("risk risks complications complication riesgo riesgos complicaciones")
_RISKS_AHEAD = 8
_TELLS_OF_TODAY = word_set(
    "is are was were has had have he she patient now today currently developed suspected es "
    "esta fue "
    "tiene tuvo ha presenta presento ahora hoy actualmente paciente sospecha"
)
_TODAY = word_set("today now currently hoy ahora actualmente")
# behind the colon of a warning: somebody is in a state now, which no list of what may come tells
_STANDS_NOW = re.compile(
    r"^(?:[^:;.]*[,;] )?(?:(?:and|but|y|pero) )?(?:(?:now|today|currently|ahora|hoy|actualmente) "
    r"(?:[^:;.,]* )?(?:is|has|in|with|esta|tiene|presenta|en|con)\b|"
    r"(?:(?:the )?(?:patient|he|she|it|baby|wound|mother|boy|girl|pt)|(?:el|la) (?:paciente|herida|"
    r"nin[oa]|bebe)) (?:(?:is|has|has become|has gone|went|esta|tiene|presenta|se ha puesto)) "
    r"(?!at risk|being|aware|told|informed|warned|advised|consented|happy|keen|well\b|to\b|been "
    r"(?:told|warned|advised|informed)|understood|agreed|informad|avisad|advertid|de acuerdo|"
    r"en riesgo|que\b)|(?:esta|tiene|presenta) [^:;.,]*\b(?:ahora|hoy)\b|"
    r"(?:\w+ ){1,3}(?:now|today|ahora|hoy)(?= [,.;]| with\b| con\b|$))"
)
_IF_AHEAD = re.compile(
    r"\b(?:if|in case|should|may|might|could|can|will|would|si|en caso|puede\w*|podria\w*)\b"
)
# before whoever tells what the patient has, and how many words may stand between
_AS_TOLD_BY = (("segun",), ("according", "to"))
_TOLD_BY_GAP = 2
# words from a relative to the full stop of "d." for died
_DIED_GAP = 5
# before a test that is still to be done
_PLANS = word_set("plan planes pte ptes pdte pdtes solicito pido peticion")
# words between a test and those that plan it; when it is to be; what tells its result
_PLAN_REACH = 8
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)"
)
_BOOKED = re.compile(
    r"\b(?:booked|arranged|scheduled|appointment|waiting list|on the list|to follow|tomorrow|"
    r"next (?:week|month|year|\w+day)|for (?:the )?\d{1,2}(?:st|nd|rd|th)|date is|"
    r"in (?:an?|two|three|four|six|\d+) (?:days?|weeks?|months?)|"
    rf"(?:for|in|para|en) (?:el )?{_MONTH}(?!,? (?:del? )?(?:19|20)\d\d)|"
    r"citad[oa]|cita (?:para|el)|se (?:le )?(?:hara|cita|realizara)n?|"
    r"(?:programad|pedid|solicitad)[oa]s?|"
    r"(?:la semana|el mes) que viene|proxim[oa]|dentro de|(?<!esta )(?<!la )manana|"
    r"lista de espera)\b"
)
_SHOWN = re.compile(
    r"\b(?:show\w*|found|reveal\w*|confirm\w*|normal\w*|negativ\w+|positiv\w+|unremarkable|"
    r"mostr\w+|muestra|revel\w+|objetiv\w+|sin|con(?! contraste))\b|"
    r"\d ?(?:%|(?:mg|mmol|umol|cm|mm|ml|ng|pg|g)\b|u/)"
)
# who asks, and the time of what somebody has while asking
_ASKS = word_set(
    "ask asks asked asking wants wanted wonders wondering pregunta preguntan consulta quiere"
)
_TOLD_OF_NOW = re.compile(
    r"\bsince (?:\d|this|last|yesterday|noon|lunch|breakfast|midnight)\b|"
    r"\bdesde (?:hace|ayer|anoche|esta|las?)\b|\b(?:right now|ahora mismo|ago)\b|"
    r"\b(?:for|over) (?:an?|the (?:last|past)|half an?|two|three|\d+) (?:\w+ )?(?:hour|minute)s?\b|"
    r"\bhace (?:una?|media|dos|tres|\d+) (?:\w+ )?(?:horas?|minutos?|rato)\b"
)
# a relative who is the subject of the sentence is its first or second word
_SUBJECT = 1
_OWNS = ("'s", "’s")
# what a relative owns that falls ill
_BODY = word_set(
    "arm arms leg legs hand hands foot feet face mouth eye eyes ear ears head neck back chest "
    "heart lungs belly tummy stomach bowel liver kidney kidneys skin throat tongue speech vision "
    "hearing memory brain blood breast testicle prostate womb joints knee hip "
    "heartbeat breathing lips"
)
_OF_THE_PATIENT = frozenset(("his", "her", "their"))
# before a relative who is not the one who has it, unless it is said to be alike
_POSSESSIVES = word_set("his her their the my su sus mi mis la el los las")
# what a relative does who has the finding as well
_SHARED = word_set(
    "has had have having with and or also too suffers suffered died did does is was were are the "
    "tiene tuvo tenia con y e o tambien padece padecio murio fallecio es era esta estaba lo la"
)
# behind what a relative "has": the same as the patient
_THE_SAME = word_set(
    "too also as it them the this that these those same one similar likewise tambien lo la los las "
    "igual mismo misma esto eso had been"
)
_HAS = word_set("has had have having with tiene tuvo tenia padece padecio con")
# how what is said to be there looks, in Spanish, where a denied list names things bare
_LOOKS = re.compile(
    r"(?:roj|hinchad|inflamad|agrietad|morad|azulad|amarill|enrojecid|violace|negr)[oa]s?|"
    r"palid[oa]s?|azul(?:es)?"
)
# what is suspected itself, if it stands before "suspected:"
_SUSPECTS = word_set(
    "clinically diagnosis diagnoses dx cause causes condition conditions disease diseases clinical "
    "clinicamente diagnostico diagnosticos causa causas enfermedad strongly highly also but is are"
)
_DONE_TO = word_set(
    "to for with beside hits kicks punches strikes slaps bites attacks wakes hurts injures "
    "frightens kicking hitting punching waking attacking para con a al"
)
# who is there or not, before a comma
_COMPANY = word_set("without with sin con")
_COMPANY_ENDS = frozenset((",", ".", ";"))
_LIKE = word_set("as same like similar identical common due igual como mismo misma comun")
_HISTORY = word_set("history hx fh fhx family familial familiar familiares antecedentes")
_PATIENTS = word_set(
    "patient she he who whose proband index paciente quien ella el caso nino nina boy girl him her"
)
_OWN_VERBS = word_set("had have am was get got feel felt")
# behind the words for a family history: there is none, and what follows is the patient's
_NOTHING = re.compile(
    r"(?:[:=-] )?(?:nil|none|nothing|nad|no|nc|n / [ac]|neg(?:ative)?|-ve|unremarkable|unknown|"
    r"(?:non - |non|not )contributory|(?:not|none|nil) (?:known|relevant|significant)|"
    r"nil of note|s / i|sin (?:interes|relevancia|antecedentes|datos)|nada|ningun[oa]|nieg[ao]n?|"
    r"negad[oa]s?|negativ[oa]s?|anodin[oa]s?|irrelevantes?|desconocid[oa]s?|"
    r"no (?:refiere|constan?|relevantes?|contributori[oa]s|contributiv[oa]s|conocid[oa]s|"
    r"hay|tiene))(?: (?:of note|para (?:el|su) \w+(?: actual)?|de interes|relevantes?|"
    r"conocid[oa]s))?"
    r"(?= [^\w\s]|$)"
)
_ARTICLES = word_set("el la los las")
_DEFINITE = _ARTICLES | word_set("the his her their its su sus this that del de")
# what may follow a denial that is about what precedes it ("edema was not seen in the legs")
_AFTERTHOUGHTS = word_set(
    "en a al con ni durante tras por para de del desde hasta y e o u pero actualmente aunque in on "
    "at with nor during after for by from until and or but currently today"
)
# behind "normal": what is normal is a range of values ("CK 2600 (normal 50-150)")
_RANGES = word_set(
    "range ranges value values limit limits up to : < > = rango valor valores hasta de"
)
_REFUSALS = word_set("no sin not without never nunca")
# what a hand, an ear or an eye did not meet is the one thing named right before it
_PERCEIVED = word_set(
    "palpable palpables palpated felt heard seen visible visibles audible palpa palpan ausculta "
    "auscultan impalpable"
)
_OR = word_set("or nor ni")
# how many there were, in figures or words
_COUNT = re.compile(
    r"[1-9]\d?|two|three|four|five|six|seven|eight|nine|ten|several|dos|tres|cuatro|cinco|seis|siete|"
    r"ocho|nueve|diez|varios|varias"
)
_LIST_CLOSERS = word_set("or o u")
_AND = word_set("and y e")
# an unnamed finding is a few words, within one list
_MOST_UNNAMED = 5
_FARTHEST = 40
_SHORT = 3


def is_booked(folded: str) -> bool:
    """Whether a folded sentence that names a test says that it is still to be, and no result."""
    return _BOOKED.search(folded) is not None and _SHOWN.search(folded) is None


class CueError(UserError):
    """A cue that cannot be used; the message names the seed, the cue and the remedy."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What one row of note_cues does. max_words: how far it reaches, in words; None: to the end of
    its clause."""

    kind: str
    direction: str
    is_soft: bool
    max_words: int | None


class Cue(NamedTuple):
    """A cue in a sentence: its tokens [first, last) and what they do."""

    first: int
    last: int
    effect: Effect


class Status(StrEnum):
    """What a note asserts of one mention of a finding; every mention has exactly one
    (docs/specification.md#status-of-a-mention)."""

    PRESENT = "present"
    PAST = "past"
    RELATIVE = "relative"
    PLANNED = "planned"
    CONDITIONAL = "conditional"
    TRIGGER = "trigger"
    DENIED = "denied"
    IN_DOUBT = "in_doubt"
    STOPPED = "stopped"


# the status a cue of each kind gives; of several the first decides
_STATUS_OF = {
    "family": Status.RELATIVE,
    "trigger": Status.TRIGGER,
    "conditional": Status.CONDITIONAL,
    "planned": Status.PLANNED,
    "uncertain": Status.IN_DOUBT,
    "resolved": Status.PAST,
    "stopped": Status.STOPPED,
    "negation": Status.DENIED,
    "historical": Status.PAST,
}


@cache
def _status_of(kinds: frozenset[str]) -> Status:
    decisive = (status for kind, status in _STATUS_OF.items() if kind in kinds)
    return next(decisive, Status.PRESENT)


@dataclass(frozen=True, slots=True)
class Assertion:
    """What a sentence asserts of one finding.

    kinds: the kinds of the cues that reach it (keys of _STATUS_OF); is_soft: denied without
    certainty (unlikely); cue: the words that decided.
    """

    kinds: frozenset[str] = frozenset()
    is_soft: bool = False
    cue: str | None = None

    @property
    def status(self) -> Status:
        """The one status that the cues add up to."""
        return _status_of(self.kinds)

    @property
    def is_denied(self) -> bool:
        """Whether a denial reaches it, whatever else does."""
        return "negation" in self.kinds

    @property
    def is_absent(self) -> bool:
        """Whether it is not there now, whoever it is about: denied, resolved or stopped."""
        return not self.kinds.isdisjoint(("negation", "resolved", "stopped"))

    @property
    def is_present(self) -> bool:
        """Whether the patient has it or had it."""
        return self.status in (Status.PRESENT, Status.PAST)

    @property
    def is_ongoing(self) -> bool:
        """Whether the patient has it and nothing says that it is over."""
        return self.is_present and "resolved" not in self.kinds

    def also(self, kind: str, cue: str | None = None) -> "Assertion":
        """The assertion once a cue of this kind reaches it too."""
        return replace(self, kinds=self.kinds | {kind}, cue=cue or self.cue)


_Phrases = dict[tuple[str, ...], list[Effect]]


class CueBook:
    """The cues of one language; the longest match wins."""

    def __init__(self, rows: Iterable[Mapping[str, Any]], language: str) -> None:
        """rows: cue, language, kind, direction, certainty, max_words. Raises CueError."""
        self.language = language
        # per group: phrase to effects, of phrases that may stand anywhere and that end a clause
        self._groups: list[tuple[_Phrases, _Phrases]] = [({}, {}) for _ in _GROUPS]
        lengths: dict[str, dict[int, set[int]]] = {}
        for row in rows:
            if row["language"] != language:
                continue
            effect, words = _effect(row)
            group = next(n for n, kinds in enumerate(_GROUPS) if effect.kind in kinds)
            is_ending = words[-1] == CLAUSE_END
            phrase = words[:-1] if is_ending else words
            self._groups[group][is_ending].setdefault(phrase, []).append(effect)
            lengths.setdefault(phrase[0], {}).setdefault(group, set()).add(len(phrase))
        # first word to the groups it begins phrases of, and how long these are, longest first
        self._lengths = {
            word: tuple((group, sorted(of_group, reverse=True)) for group, of_group in by.items())
            for word, by in lengths.items()
        }

    def find(self, words: Sequence[str]) -> list[Cue]:
        """Every cue among the words of a sentence, in order. A relative who only reports what the
        patient has ("the mother noticed seizures") is not a cue."""
        main, before, people, tests, verbs, normal, _ = self._scan(words)
        reporting = [cue.first for cue in verbs]
        family = []
        informed = [cue for cue in people if cue.effect.kind == "informant"]
        for cue in people:
            if cue.effect.kind == "informant" or _is_fetal(cue, words):
                continue
            is_reporting = any(cue.first < verb <= cue.last + INFORMANT_GAP for verb in reporting)
            is_informant = any(i.first - 2 <= cue.first <= i.last + 1 for i in informed)
            is_informant = is_informant or _is_source(cue, words)
            if cue.effect.kind in SECTIONS or not (is_reporting or is_informant):
                family.append(cue)
        return sorted(main + before + family + tests + normal, key=lambda cue: cue.first)

    def _scan(self, words: Sequence[str]) -> list[list[Cue]]:
        """The cues of each group; the longest phrase at a place wins, and none overlap."""
        words = _with_owners(words)
        cues: list[list[Cue]] = [[] for _ in self._groups]
        begins = [0] * len(self._groups)
        n_words = len(words)
        for position, word in enumerate(words):
            for group, lengths in self._lengths.get(word, ()):
                if position < begins[group]:
                    continue
                anywhere, ending = self._groups[group]
                for length in lengths:
                    last = position + length
                    if last > n_words:
                        continue
                    phrase = tuple(words[position:last])
                    effects = None
                    if last == n_words or words[last] in CLOSING_SIGNS:
                        effects = ending.get(phrase)
                    effects = effects or anywhere.get(phrase)
                    if effects:
                        cues[group].extend([Cue(position, last, effect) for effect in effects])
                        begins[group] = last
                        break
        return cues


def _with_owners(words: Sequence[str]) -> Sequence[str]:
    """The words; a relative of the patient whose part of the body is named stands as the relative
    ("his brother's arm went limp"). "My husband's arm" and "Dad's face" are of a patient for whom
    somebody calls."""
    return [
        word[:-2]
        if word.endswith(_OWNS)
        and not _OF_THE_PATIENT.isdisjoint(words[max(0, n - 1) : n])
        and not _BODY.isdisjoint(words[n + 1 : n + 3])
        else word
        for n, word in enumerate(words)
    ]


def _is_source(cue: Cue, words: Sequence[str]) -> bool:
    """Whether a person is who tells of the patient: "according to her partner's mother"."""
    ahead = tuple(words[: cue.first])
    return any(
        ahead[-len(told_by) - gap : len(ahead) - gap] == told_by
        for told_by in _AS_TOLD_BY
        for gap in range(_TOLD_BY_GAP + 1)
    )


def _is_company(cue: Cue, words: Sequence[str]) -> bool:
    """Whether a person is only who came with the patient or did not: "came without his wife, chest
    pain"."""
    position = cue.first
    while position and words[position - 1] in _POSSESSIVES:
        position -= 1
    is_with = position > 0 and words[position - 1] in _COMPANY
    is_alone = cue.last == len(words) or words[cue.last] in _COMPANY_ENDS
    return is_with and is_alone and _LIKE.isdisjoint(words[max(0, position - 2) : position])


def _is_fetal(cue: Cue, words: Sequence[str]) -> bool:
    """Whether the letters of a family history are those of a fetal heart: "FH 144 bpm"."""
    behind = words[cue.last : cue.last + 2]
    is_letters = list(words[cue.first : cue.last]) == ["fh"]
    return is_letters and any(word.isdigit() or word in _HEARD for word in behind)


def _effect(row: Mapping[str, Any]) -> tuple[Effect, tuple[str, ...]]:
    words = tuple(
        word
        for part in row["cue"].split(" ")
        for word in (
            [part] if part == CLAUSE_END else [token.word for token in tokens_of(part)] or [part]
        )
    )
    if not words or not words[0]:
        raise CueError("note_cues.csv: a row has no cue; add one or remove the row.")
    if row["kind"] not in KINDS or row["direction"] not in DIRECTIONS:
        raise CueError(
            f"note_cues.csv, cue '{row['cue']}': kind {row['kind']} or direction "
            f"{row['direction']} is unknown; use one of {', '.join(sorted(KINDS))} and one of "
            f"{', '.join(sorted(DIRECTIONS))}."
        )
    reach = row["max_words"]
    return Effect(
        row["kind"],
        row["direction"],
        row["certainty"] == "soft",
        int(reach) if reach not in (None, "") else None,
    ), words


class Positions:
    """Where something stands in a sentence. Every cue is asked about every finding, so that to look
    at each word between them would take a list of a thousand denials minutes."""

    def __init__(self, positions: Iterable[int]) -> None:
        self._positions = sorted(positions)

    def is_within(self, begin: int, end: int) -> bool:
        """Whether one is among tokens [begin, end)."""
        first = bisect_left(self._positions, begin)
        return first < len(self._positions) and self._positions[first] < end

    def before(self, end: int) -> int:
        """How many stand before a token."""
        return bisect_left(self._positions, end)

    def after(self, position: int) -> int | None:
        """The first behind a token; None if there is none."""
        first = bisect_right(self._positions, position)
        return self._positions[first] if first < len(self._positions) else None


class Clauses:
    """A sentence with its cues: answers what it asserts of any of its words."""

    def __init__(
        self,
        tokens: Sequence[Token],
        book: CueBook,
        *,
        section: str | None = None,
        spent: frozenset[int] = frozenset(),
    ) -> None:
        """section: the kind of the section that holds it. spent: tokens of findings whose name
        itself contains a denial (absent speech), which denies nothing else."""
        self.words = [token.word for token in tokens]
        self.cues = [
            cue
            for cue in book.find(self.words)
            if cue.effect.kind not in _SPENDABLE or spent.isdisjoint(range(cue.first, cue.last))
        ]
        self._section_kinds = SECTIONS.get(section or "", frozenset())
        self._stands_from = self._start_of_what_stands()
        self._nothing = max(map(self._end_of_nothing, self.cues), default=0)
        self._relatives = {cue.first for cue in self.cues if cue.effect.kind == "family"}
        self._leave_out_company()
        self._affirming = [cue for cue in self.cues if cue.effect.kind == "affirmed"]
        self._determiners = _DETERMINERS_ES if book.language == "es" else _DETERMINERS
        self._signs = self._signs_that_end()
        terminators = [
            (cue.first, cue.last) for cue in self.cues if cue.effect.kind == "terminator"
        ]
        self._ends = terminators + self._signs
        self._terminators = Positions(first for first, _ in terminators)
        self._verbs = {first: last for first, last in terminators if self.words[first][0].isalnum()}
        self._verbs_behind = {last: first for first, last in self._verbs.items()}
        self._closers: dict[tuple[int, int], int | None] = {}
        self._looks: dict[tuple[int, int], int | None] = {}
        self._list_ends: dict[Cue, int | None] = {}
        self._note_positions()
        self._effective = [cue for cue in self.cues if cue.effect.kind in _STATUS_OF]
        self._states = [
            cue
            for cue in self.cues
            if cue.effect.kind in ("normal", "impaired") and not self._is_range(cue)
        ]
        self._refused = [
            cue
            for cue in self.cues
            if cue.effect.kind in ("pseudo", "not_resolved") and self.words[cue.first] in _REFUSALS
        ]
        forward = {
            (cue.first, cue.last)
            for cue in self._effective
            if cue.effect.kind == "negation" and cue.effect.direction == "forward"
        }
        # of a denial that may look both ways: is it about what follows?
        self._forward = {
            (first, last)
            for first, last in forward
            if last < len(self.words)
            and self.words[last][0].isalpha()
            and self.words[last] not in _AFTERTHOUGHTS
        }

    def _leave_out_company(self) -> None:
        """Drop the cues of who only came with the patient or did not."""
        self.cues = [
            cue
            for cue in self.cues
            if cue.effect.kind != "family" or not _is_company(cue, self.words)
        ]

    def _signs_that_end(self) -> list[tuple[int, int]]:
        """The signs that end a clause, as tokens [first, last)."""
        return [
            (n, n + 1)
            for n, word in enumerate(self.words)
            if word in ENDING_SIGNS and not self._shortens_died(n)
        ]

    def _shortens_died(self, position: int) -> bool:
        """Whether a full stop is that of "d." for died, behind a relative: "father d. stroke at
        60"."""
        ahead = range(max(0, position - _DIED_GAP), position - 1)
        is_died = self.words[max(0, position - 1) : position + 1] == ["d", "."]
        return is_died and not self._relatives.isdisjoint(ahead)

    def _note_positions(self) -> None:
        """Where in the sentence stands what `reaches` asks about."""
        words = self.words
        pairs = list(enumerate(pairwise(words)))
        self._ended = Positions({n for first, last in self._ends for n in range(first, last)})
        self._inside = Positions({n for first, last in self._ends for n in range(first + 1, last)})
        self._sign_positions = Positions(n for n, _ in self._signs)
        self._brackets = list(
            accumulate(((word == "(") - (word == ")") for word in words), initial=0)
        )
        self._quotes = Positions(n for n, word in enumerate(words) if word in QUOTES)
        self._commas = Positions(n for n, word in enumerate(words) if word == ",")
        self._ors = Positions(n for n, word in enumerate(words) if word in _OR)
        self._cons = Positions(n for n, word in enumerate(words) if word == "con")
        self._today = Positions(n for n, word in enumerate(words) if word in _TODAY)
        self._reasons = Positions(n for n, word in enumerate(words) if word in _REASONS)
        self._adds = Positions(n for n, (sign, word) in pairs if sign == "," and word in _AND)
        self._subjects = Positions(
            n for n, (sign, word) in pairs if sign == "," and word in _ARTICLES
        )
        self._patients = Positions(
            n
            for n, word in enumerate(words)
            if (
                word in _PATIENTS
                or (word == "i" and not _OWN_VERBS.isdisjoint(words[n + 1 : n + 2]))
            )
            and n + 1 not in self._relatives
        )
        self._colons = Positions(
            n
            for n, word in enumerate(words)
            if word == ":" and not (n and words[n - 1] in ANNOUNCING)
        )

    def _start_of_what_stands(self) -> int:
        """Behind which token a warning is over, because a statement of now stands behind its colon
        ("Risks discussed at length: he is septic now"); the end where none does. What may come,
        behind "if" or "may", is none."""
        for colon, word in enumerate(self.words):
            if word == ":":
                behind = " ".join(self.words[colon + 1 :])
                if _STANDS_NOW.match(behind) and not _IF_AHEAD.search(behind):
                    return colon + 1
        return len(self.words)

    def _end_of_nothing(self, cue: Cue) -> int:
        """Where a statement ends that there is no family history; 0 if this cue begins none."""
        names_history = cue.effect.kind == "family_section" or (
            cue.effect.kind == "family"
            and not _HISTORY.isdisjoint(self.words[cue.first : cue.last])
        )
        if not names_history:
            return 0
        match = _NOTHING.match(" ".join(self.words[cue.last :]))
        return cue.last + len(match.group().split()) if match else 0

    @property
    def denies_family_history(self) -> bool:
        """Whether the sentence says that there is no family history."""
        return self._nothing > 0

    @property
    def names_family(self) -> bool:
        """Whether the sentence mentions a relative."""
        return any(cue.effect.kind == "family" for cue in self.cues)

    @property
    def begins(self) -> str | None:
        """The kind of the section that begins here: its heading stands alone or before a colon."""
        for cue in self.cues:
            is_heading = cue.effect.kind in SECTIONS and cue.first <= 1
            if is_heading and (cue.last == len(self.words) or self.words[cue.last] == ":"):
                return cue.effect.kind
        return None

    @property
    def has_heading_alone(self) -> bool:
        """Whether nothing follows the colon of a heading, or there is no colon."""
        colon = self.words.index(":") if ":" in self.words else len(self.words)
        return not any(word[0].isalnum() for word in self.words[colon + 1 :])

    @property
    def is_about_today(self) -> bool:
        """Whether the sentence turns to the patient: its subject, or a word of today."""
        begins_so = not _PATIENTS.isdisjoint(self.words[:2])
        return begins_so or any(cue.effect.kind == "now" for cue in self.cues)

    @property
    def names_family_history(self) -> bool:
        """Whether the sentence mentions a family history, positive or negative."""
        kinds = ("family", "family_section")
        return any(cue.effect.kind in kinds for cue in self.cues)

    @property
    def names_test_done(self) -> bool:
        """Whether the sentence names a test that was done: none that is planned, denied or one that
        a relative had."""
        return any(
            cue.effect.kind == "test"
            and self.about(cue.first, cue.last).is_present
            and not self._is_planned(cue)
            for cue in self.cues
        )

    def _is_planned(self, test: Cue) -> bool:
        """Whether a test is only planned, or asked for if something happens: "Plan: fundoscopy",
        "pte de Rx", "if fever for 3 days: urine", "MRI booked to exclude a stroke"."""
        if not _IF.isdisjoint(self.words[:1]) or not _PLANS.isdisjoint(self.words[: test.first]):
            return True
        behind = " ".join(self.words[test.last :])
        if _SHOWN.search(behind):
            return False
        return is_booked(" ".join(self.words)) or any(
            cue.effect.kind == "planned" and -_PLAN_REACH <= cue.first - test.last <= _PLAN_REACH
            for cue in self.cues
        )

    @property
    def names_plan(self) -> bool:
        """Whether the sentence says what is still to be done."""
        return any(cue.effect.kind == "planned" for cue in self.cues)

    def is_now(self, first: int, last: int) -> bool:
        """Whether a word next to tokens [first, last) places them today."""
        return any(
            0 <= first - cue.last <= NEAR_NOW or 0 <= cue.first - last <= NEAR_NOW // 2
            for cue in self.cues
            if cue.effect.kind == "now"
        )

    def _asks_about_now(self, cue: Cue) -> bool:
        """Whether somebody asks about what there is at this time, and not what would be: "asks if a
        taxi will do: chest pain for an hour"."""
        if _ASKS.isdisjoint(self.words[max(0, cue.first - 1) : cue.first + 1]):
            return False
        is_of_if = self.text_of(cue).endswith((" do if", " hacer si", " cuando", " when"))
        return not is_of_if and _TOLD_OF_NOW.search(" ".join(self.words[cue.last :])) is not None

    def _is_subject(self, cue: Cue) -> bool:
        """Whether a relative is the first word of the sentence, but for an article or a pronoun, or
        for another relative whose he or she is ("his mother's brother")."""
        begin = cue.first
        while begin > _SUBJECT and self.words[begin - 1].endswith(_OWNS):
            begin -= 1
        return begin <= _SUBJECT and _HISTORY.isdisjoint(self.words[cue.first : cue.last])

    def _is_of_subject(self, cue: Cue, first: int) -> bool:
        """Whether a cue before token `first` is the relative whom the sentence is about."""
        return cue.effect.kind == "family" and cue.last <= first and self._is_subject(cue)

    def _has_nothing(self, cue: Cue, first: int, last: int) -> bool:
        """Whether a relative does not have the finding in tokens [first, last): there is no family
        history, or the relative behind it is only whom the patient does something to."""
        if cue.first >= last and (self._is_object(cue) or self._is_next_subject(cue, first, last)):
            return True
        return cue.last < self._nothing <= first

    def _is_next_subject(self, cue: Cue, first: int, last: int) -> bool:
        """Whether a relative behind a comma does something else than have what the patient has in
        tokens [first, last): "he has had a fever for a week, his mother marks them"."""
        begin = cue.first - 1
        if (
            begin < last + 1
            or self.words[begin] not in _POSSESSIVES
            or self.words[begin - 1] != ","
        ):
            return False
        before = self.words[:first]
        if not self._relatives.isdisjoint(range(first)):
            return False
        behind = self.words[cue.last : cue.last + 2]
        if len(behind) > 1 and behind[0] in _HAS:
            # "palpitations, his uncle has a cardiomyopathy": something of his own
            return behind[1].isalpha() and behind[1] not in _THE_SAME
        is_patients = not _PATIENTS.isdisjoint(before)
        return is_patients and bool(behind) and _SHARED.isdisjoint(behind) and behind[0].isalpha()

    def _is_object(self, cue: Cue) -> bool:
        """Whether a relative is whom the patient does something to, with or for: "a letter to her
        parents", "kicks his wife"; not "as with his father"."""
        position = cue.first - (cue.first > 0 and self.words[cue.first - 1] in _POSSESSIVES)
        before = self.words[max(0, position - 2) : position]
        return before[-1:] != [] and before[-1] in _DONE_TO and _LIKE.isdisjoint(before)

    def _is_advice(self, cue: Cue) -> bool:
        """Whether a condition says when to come back or call for help."""
        if cue.effect.kind != "conditional" or _IF.isdisjoint(self.words[cue.first : cue.last]):
            return False
        return not _ADVICE.isdisjoint(self.words[max(0, cue.first - _ADVICE_AHEAD) : cue.last])

    def _is_listed(self, cue: Cue, first: int) -> bool:
        """Whether a token is in the list that begins behind a cue and that "or" closes: "brought on
        by heat, PE lessons or a fever". "And" may as well add what is no item ("worse with light,
        nausea and vomiting")."""
        longest = cue.effect.max_words or 0
        key = (cue.last, longest)
        if key not in self._closers:
            self._closers[key] = self._closer(*key)
        position = self._closers[key]
        if position is None:
            return False
        is_near = first - position <= longest and not self._commas.is_within(position, first)
        return is_near and self._is_open(cue.last, max(first, position))

    def _closer(self, begin: int, longest: int) -> int | None:
        """Where "or" closes the list that begins at a token, of items of so many words at most."""
        item = 0
        for position in range(begin, len(self.words)):
            word = self.words[position]
            if word in _LIST_CLOSERS and item:
                return position
            item = 0 if word == "," else item + 1
            if item > longest or not (word == "," or word[0].isalnum()):
                return None
        return None

    def _is_reasoned(self, cue: Cue, first: int) -> bool:
        """Whether a colon behind a doubt tells why: in "sarcoidosis suspected: cough" the cough is
        certain."""
        if cue.last > first or self.words[cue.last : cue.last + 1] != [":"] or not cue.first:
            return False
        ahead = self.words[cue.first - 1]
        return ahead[0].isalpha() and ahead not in _SUSPECTS

    def _is_range(self, cue: Cue) -> bool:
        """Whether a word for normal introduces the values that are normal."""
        if cue.effect.kind != "normal":
            return False
        position = cue.last
        while position < len(self.words) and self.words[position] in _RANGES:
            position += 1
        return position < len(self.words) and self.words[position][0].isdigit()

    def _crosses_brackets(self, cue: Cue, gap: tuple[int, int]) -> bool:
        """Whether a bracket between a cue and a finding keeps them apart: only "(denied)", alone in
        its brackets, is about what stands before them."""
        open_brackets = self._brackets[max(gap)] - self._brackets[gap[0]]
        if not open_brackets:
            return False
        if self._is_of_subject(cue, gap[1]):
            # "mother died of an aneurysm (subarachnoid haemorrhage)": the brackets are hers too
            return False
        is_before = cue.last <= gap[0]
        if is_before or open_brackets < 0:
            return True
        is_alone = self.words[cue.first - 1] == "(" and self.words[cue.last : cue.last + 1] == [")"]
        return not is_alone

    def _leaves_quotes(self, cue: Cue, gap: tuple[int, int]) -> bool:
        """Whether a denial stands in quotation marks that close before the finding: 'feels "not
        right", dizzy' quotes the patient and denies nothing."""
        if cue.effect.kind != "negation" or cue.last > gap[0]:
            return False
        return self._quotes.before(cue.first) % 2 == 1 and self._quotes.is_within(*gap)

    def _is_new_subject(self, cue: Cue, gap: tuple[int, int]) -> bool:
        """Whether what follows a comma has an article that the first denied word lacks: another
        subject ("no fever, the pain persists")."""
        if self.words[gap[0] : gap[0] + 1] and self.words[gap[0]] in _ARTICLES:
            return False
        return self._subjects.is_within(gap[0], gap[1] - 1)

    def _is_counted_anew(self, gap: tuple[int, int]) -> bool:
        """Whether a number behind "and" counts what is there: "no blood and 3 vomits"."""
        words = self.words[gap[0] : gap[1] + 1]
        return any(word in _AND and _COUNT.fullmatch(number) for word, number in pairwise(words))

    def _is_of_another(self, cue: Cue, gap: tuple[int, int]) -> bool:
        """Whether what stands between a denial and a finding leaves the finding out of it."""
        if cue.last <= gap[0]:
            return (
                self._is_new_subject(cue, gap)
                or self._is_counted_anew(gap)
                or self._is_list_over(cue, gap)
                or self._is_behind_looks(cue, gap)
                or self._is_behind_list(cue, gap[1])
            )
        if test_before(self.words, gap[0], cue.first, gap[1]):
            return True
        is_forward = (cue.first, cue.last) in self._forward
        is_joined = self._cons.is_within(*gap)
        return is_forward or is_joined or self._is_of_neighbour(cue, gap)

    def _is_of_neighbour(self, cue: Cue, gap: tuple[int, int]) -> bool:
        """Whether a comma keeps a finding from what was not felt, heard or seen behind it, unless
        both are of one list ("mild jaundice, spleen not palpable")."""
        if _PERCEIVED.isdisjoint(self.words[cue.first : cue.last]):
            return False
        between = self.words[gap[0] : gap[1]]
        return "," in between[:-1] and _JOINTS.isdisjoint(between)

    def _is_list_over(self, cue: Cue, gap: tuple[int, int]) -> bool:
        """Whether a list of what is denied is closed before the finding: "or" stands before its
        last item, so that what a comma and "and" add is another statement."""
        closer = self._ors.after(cue.first - 1)
        return closer is not None and self._adds.is_within(closer + 1, gap[1] - 1)

    def _is_behind_list(self, cue: Cue, first: int) -> bool:
        """Whether a token stands behind the comma at which the list of a denial ends ("no past
        history, chest pain"; "no fever, crushing chest pain for 1 h")."""
        if cue not in self._list_ends:
            begin = self._after_verb(cue.last)
            sign = self._sign_positions.after(cue.last - 1)
            end = len(self.words) if sign is None else sign
            of_quality = end_of_quality(self.words, cue.last, end)
            self._list_ends[cue] = of_quality or end_of_list(
                self.words,
                cue.last if begin >= len(self.words) else begin,
                end,
                is_verbal=begin > cue.last or not is_bare(self.words[cue.first]),
                people=self._relatives,
            )
        end_of_denied = self._list_ends[cue]
        return end_of_denied is not None and end_of_denied < first

    def _is_behind_looks(self, cue: Cue, gap: tuple[int, int]) -> bool:
        """Whether a Spanish list of what is denied ends at a comma before the finding, because the
        item behind it has a color or a form ("sin legañas, labios rojos"): what is denied is named
        bare. Not if "ni" closes the list."""
        if self.words[cue.first] != "sin":
            return False
        end = (
            self._terminators.after(gap[1]) or self._sign_positions.after(gap[1]) or len(self.words)
        )
        key = (cue.last, end)
        if key not in self._looks:
            self._looks[key] = self._item_of_looks(*key)
        begin = self._looks[key]
        return begin is not None and cue.last < begin <= gap[1]

    def _item_of_looks(self, first: int, end: int) -> int | None:
        """Where the first item with a color or a form begins among tokens [first, end); None where
        there is none, or "ni" or "o" closes the list."""
        if self._ors.is_within(first, end):
            return None
        begin = first
        for position in range(first, end + 1):
            if position == end or self.words[position] == ",":
                if any(map(_LOOKS.fullmatch, self.words[begin:position])):
                    return begin
                begin = position + 1
        return None

    def _is_affirmed(self, denial: Cue, first: int, last: int) -> bool:
        """Whether a predicate affirms the finding against a denial further ahead ("without murmurs,
        and crackles were present")."""
        if denial.last > first or self.text_of(denial).split()[0] in self._determiners:
            return False
        between = self.words[denial.last : first]
        if "," not in between and _JOINTS.isdisjoint(between):
            return False
        return any(
            cue.first >= last
            and cue.first - last <= (cue.effect.max_words or 0)
            and "," not in self.words[last : cue.first]
            and self._is_open(last, cue.first)
            for cue in self._affirming
        )

    def text_behind(self, last: int) -> str:
        """The words behind a token, up to the end of its clause."""
        end = next((first for first, _ in self._signs if first >= last), len(self.words))
        return " ".join(self.words[last:end])

    def text_of(self, cue: Cue) -> str:
        """The words of a cue."""
        return " ".join(self.words[cue.first : cue.last])

    def _is_open(self, start: int, end: int) -> bool:
        """Whether no clause ends within tokens [start, end)."""
        if start >= end:  # between two words: within one that ends a clause
            return not self._inside.is_within(start, end + 1)
        return not self._ended.is_within(start, end)

    def _after_verb(self, position: int) -> int:
        """Where what a cue denies begins, behind its own verb, which opens no other clause ("no
        presenta", "denies having had", "the mother has")."""
        while position < len(self.words):
            if position in self._verbs:
                position = self._verbs[position]
            elif self.words[position] in _AUXILIARIES:
                position += 1
            else:
                break
        return position

    def _before_verb(self, cue: Cue) -> int:
        """Where what is called normal or impaired ends: "the MRI showed no abnormalities"."""
        if cue.effect.kind not in ("normal", "impaired"):
            return cue.first
        first = self._verbs_behind.get(cue.first)
        return cue.first if first is None or self.words[first] in _CONJUNCTIONS else first

    def reaches(self, cue: Cue, first: int, last: int) -> bool:
        """Whether a cue's scope holds tokens [first, last)."""
        effect = cue.effect
        if effect.kind == "family" and self._has_nothing(cue, first, last):
            return False
        if effect.kind == "conditional" and cue.last <= self._stands_from <= first:
            return False
        if effect.kind == "conditional" and cue.last <= first and self._asks_about_now(cue):
            return False
        if effect.direction in ("forward", "both") and cue.first < first < cue.last < last:
            return True  # "sin signos de" before the finding "signos de trombosis"
        if effect.kind == "conditional" and cue.first < first < cue.last == last:
            return True  # "si vomita" before nothing but the finding "vomita"
        if effect.direction in ("forward", "both") and cue.last <= first:
            if effect.kind == "trigger" and self._is_listed(cue, first):
                return True
            gap = (min(self._after_verb(cue.last), first), first)
            is_adjective = effect.max_words is not None
            if is_adjective and self._commas.is_within(*gap):
                return False
        elif effect.direction in ("backward", "both") and cue.first >= last:
            gap = (last, max(self._before_verb(cue), last))
        else:
            return False
        if effect.max_words is not None and gap[1] - gap[0] > effect.max_words:
            return False
        if effect.kind == "negation" and self._is_of_another(cue, gap):
            return False
        has_comma = self._commas.is_within(*gap)
        is_unchecked = effect.kind == "uncertain" and self.words[cue.first] in _REFUSALS
        if is_unchecked and has_comma and cue.first >= last:
            # of a list only the last item was not looked for ("flat feet, hearing not assessed")
            return False
        if effect.kind == "uncertain" and self._is_reasoned(cue, first):
            return False
        opens = effect.kind == "conditional" and cue.first <= _SUBJECT and cue.last <= first
        # up to its comma ("if she has a fit, call") or the advice ("if drowsy, pale, return")
        if opens and (not has_comma or not _ADVICE.isdisjoint(self.words[last:])):
            return not self._sign_positions.is_within(*gap)
        if cue.last <= first and self._is_advice(cue):
            # "call 999 if he has a fit, goes floppy or has a rash": up to a word of today
            return not (self._sign_positions.is_within(*gap) or self._today.is_within(*gap))
        if effect.kind in ("stopped", "planned") and self._reasons.is_within(*gap):
            return False
        if self._crosses_brackets(cue, gap) or self._leaves_quotes(cue, gap):
            return False
        # "Fever: no" and "negative for: fever" are one clause, "not done. Diagnosis: fever" is two
        if self._has_colon(gap, (cue.last, cue.first - 1, self._colon_of_risks(cue))):
            return False
        if self._is_of_subject(cue, first):
            # "her brother is healthy and has no seizures": the subject is still the brother
            # or another relative: "and her father had surgery for the same"
            gap = (cue.last, first)
            return not (self._patients.is_within(*gap) or self._sign_positions.is_within(*gap))
        if effect.kind == "resolved" and cue.first >= last and gap[1] - gap[0] <= _SAME_SUBJECT:
            # "fever was present but has resolved": the subject is still the fever
            return not self._sign_positions.is_within(*gap)
        return self._is_open(*gap)

    def _colon_of_risks(self, cue: Cue) -> int:
        """The place of the colon behind which risks that were discussed are listed ("Risks
        discussed and on the form: sepsis, death"); that of the cue where there is none, or where
        what follows tells of today."""
        if cue.effect.kind != "conditional" or self.words[cue.first] not in _RISKS:
            return cue.first
        colon = self._colons.after(cue.last - 1)
        if colon is None or colon - cue.last > _RISKS_AHEAD:
            return cue.first
        is_told = not _TELLS_OF_TODAY.isdisjoint(self.words[colon:])
        return cue.first if is_told or self._commas.is_within(cue.last, colon) else colon

    def _has_colon(self, gap: tuple[int, int], touching: tuple[int, ...]) -> bool:
        """Whether a colon is among the tokens of a gap, but for those that belong to the cue."""
        position = self._colons.after(gap[0] - 1)
        while position is not None and position < gap[1]:
            if position not in touching:
                return True
            position = self._colons.after(position)
        return False

    def about(self, first: int, last: int) -> Assertion:
        """What the sentence asserts of the finding in tokens [first, last)."""
        seen: dict[str, Cue] = {}
        for cue in self._effective:  # of each kind the first that reaches it
            if cue.effect.kind not in seen and self.reaches(cue, first, last):
                seen[cue.effect.kind] = cue
        denied = seen.get("negation")
        if denied is not None and self._is_affirmed(denied, first, last):
            seen.pop("negation")
        # "no improvement" denies nothing behind it, but the improvement
        refused = next((cue for cue in self._refused if cue.first < first < cue.last), None)
        if refused is not None:
            seen.setdefault("negation", refused)
        decisive = next((seen[kind] for kind in _STATUS_OF if kind in seen), None)
        denied = seen.get("negation")
        kinds = frozenset(seen)
        return Assertion(
            kinds=kinds | self._kinds_of_section(first),
            is_soft=denied is not None and denied.effect.is_soft,
            cue=None if decisive is None else self.text_of(decisive),
        )

    def _kinds_of_section(self, first: int) -> frozenset[str]:
        """What the section says of the finding at a token: nothing behind a statement that there is
        no family history, nor of a warning where a statement of now stands."""
        is_over = self._stands_from <= first and "conditional" in self._section_kinds
        return frozenset() if is_over or 0 < self._nothing <= first else self._section_kinds

    def state_of(self, first: int, last: int) -> tuple[str, str] | None:
        """('normal' or 'impaired', the deciding words) of the function or examination in tokens
        [first, last); the nearest words decide. None if the sentence does not say."""
        near = [
            (max(cue.first - last, first - cue.last), cue)
            for cue in self._states
            if self.reaches(cue, first, last)
        ]
        if not near:
            return None
        cue = min(near, key=lambda distance_and_cue: distance_and_cue[0])[1]
        return cue.effect.kind, self.text_of(cue)

    def _names_family(self, first: int, last: int) -> bool:
        return any(
            cue.effect.kind == "family" and cue.first < last and cue.last > first
            for cue in self.cues
        )

    def unnamed(self, taken: frozenset[int]) -> list[tuple[int, int, Cue]]:
        """Denied findings that no dictionary knows: tokens [first, last) right behind a denial, up
        to a comma, a conjunction or the end of the clause, none of them in `taken`; and the cue."""
        denials = []
        refusals = {cue.first for cue in self.cues if cue.effect.kind == "negation"}
        for cue in self.cues:
            if cue.effect.kind != "negation" or cue.effect.direction != "forward":
                continue
            if " ".join(self.words[cue.first : cue.last]) in _VERBAL:
                continue
            first = begin = self._after_verb(cue.last)
            for position in range(begin, min(len(self.words), begin + _FARTHEST) + 1):
                is_end = position == len(self.words) or not self._is_open(begin, position + 1)
                if position > first and self._is_behind_list(cue, position):
                    break
                if (
                    is_end
                    or not self.words[position][0].isalnum()
                    or self.words[position] in _JOINTS
                ):
                    words = self.words[first:position]
                    if (
                        0 < position - first <= _MOST_UNNAMED
                        and first not in refusals  # "no fever, no blood": the second is its own
                        and not taken.intersection(range(first, position))
                        and self._relatives.isdisjoint(range(first, position))
                        and not self._names_family(first, position)
                        and any(len(word) > _SHORT and word.isalpha() for word in words)
                    ):
                        denials.append((first, position, cue))
                    first = position + 1
                    if is_end or (position < len(self.words) and self.words[position] in ".;:"):
                        break
        return denials

    def stopped(self, taken: frozenset[int]) -> list[tuple[int, int, Cue]]:
        """Drugs and functions that were there and were stopped: tokens [first, last) beside a cue
        for it, none of them in `taken`; and the cue."""
        stops = []
        for cue in self.cues:
            # a cue within the name of a finding stops nothing else ("periods stopped a year ago")
            if cue.effect.kind != "stopped" or taken.intersection(range(cue.first, cue.last)):
                continue
            direction = cue.effect.direction
            if direction == "none":
                first, last = cue.first, cue.last
            elif direction == "forward":
                first = cue.last
                while first < len(self.words) and self.words[first] in _DEFINITE:
                    first += 1
                last = first
                while last < min(len(self.words), first + _SHORT) and self._is_inside(last):
                    last += 1
            else:
                last = cue.first
                while last and self.words[last - 1] in _AUXILIARIES | frozenset(("was", ",")):
                    last -= 1
                first = last
                while first > max(0, last - _SHORT) and self._is_inside(first - 1):
                    first -= 1
            is_word = any(len(word) > _SHORT and word.isalpha() for word in self.words[first:last])
            if is_word and not taken.intersection(range(first, last)):
                stops.append((first, last, cue))
        return stops

    def _is_inside(self, position: int) -> bool:
        """Whether a token belongs to the name of a drug or function."""
        word = self.words[position]
        is_name = word[0].isalnum() and word not in _JOINTS and word not in _REASONS
        return is_name and self._is_open(position, position + 1)
