"""Hazards in the text of a recommendation: an emergency put off or sent home, parts that contradict
each other or the patient, and words meant for a machine (docs/specification.md#hazards)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence

from python_llm.recommendations.checks.contradictions import conflicts
from python_llm.recommendations.checks.limits import Limits
from python_llm.recommendations.checks.urgency import DEFINING, Need, is_at_once, texts_of
from python_llm.recommendations.knowledge import ALARM, Knowledge
from python_llm.recommendations.schema import Patient, Recommendation

# What cannot wait in whoever needs it: each is asked for "at once", "immediately" or "promptly" by
# the guideline of its condition (clinical_documents).
EMERGENCY = frozenset(
    (
        *("cath_lab", "thrombolysis", "embolectomy", "pert", "icu", "emergency_escalation"),
        *("potassium_treatment", "niv", "anticoagulation", "anticoagulation_without_heparin"),
        *("beta_lactam", "loop_diuretic", "short_acting_bronchodilator", "aspirin"),
        *("fluids_vasopressors", "controlled_oxygen", "oxygen", "cardiac_monitoring"),
        *("systemic_corticosteroid", "respiratory_fluoroquinolone", "macrolide"),
        *("oral_narrow_antibiotic", "oral_doxycycline", "oral_combination_antibiotic"),
        "copd_antibiotic",
    )
)
_UNDELAYED = EMERGENCY | {"adrenaline", "dialysis", "dissection_team", "reversal"}
# Needs that are of minutes, and not of today.
_OF_MINUTES = frozenset(
    DEFINING + name
    for name in (
        *("decompression", "drainage_of_the_pericardium", "cardioversion", "defibrillation"),
        *("pacing_or_a_drug_for_the_rate", "naloxone", "glucose", "drug_against_the_seizure"),
        *("hydrocortisone", "ventilation", "antibiotic"),
    )
)
_UNSTABLE = frozenset(("unstable", "hypotension", "instability_stated", "ventricular_arrhythmia"))
_TESTS = frozenset(("thoracentesis", "nodule_follow_up", "blood_cultures", "serial_troponin"))
_ANGIOGRAPHY = frozenset(("cath_lab", "early_angiography"))
_PRESSORS = re.compile(
    r"vasopressor|norepinephrine|noradrenaline|noradrenalina|support|inotrop", re.IGNORECASE
)
# The result of a test, for which what cannot wait is kept waiting.
_AFTER_A_RESULT = (
    r"\b(?:(?:once|after|when|as soon as|cuando|una vez|tras)\b[^.;]{0,40}\b<test>\b"
    r"[^.;]{0,15}\b(?:(?:is|are|has|have|was|were|comes?|came|está|esta|estén|esten|sea|sean)\b"
    r"(?: (?:been|come))? ?(?:all )?(?:reported|back|available|done|known|ready|returned"
    r"|resulted|repeated|checked|measured|performed|completed|done|out"
    r"|in|read|reviewed|negative|positive|through|disponibles?|informad[oa]s?"
    r"|conocid[oa]s?|listos?|listas?)|returns?|arrives?|llegue[n]?)\b"
    r"|(?:after|following|tras|pending|a la espera de|en espera de)\b(?: [\w-]+){0,5}?"
    r" (?:culture|stain|swab|antigen|scan|ct|ctpa|troponin|lactate|d-?dimer|procalcitonin|x-?ray"
    r"|blood) (?:results?|reports?)"
    r"|(?:once|when|cuando) (?:we|you|they) (?:have|know) (?:the |all )?(?:[\w-]+ ){0,3}results?"
    r"|(?:tras|hasta tener|en espera de|a la espera de|pendientes? de)(?: (?:el|la|los|las))?"
    r" (?:resultados?(?: de)?|informe|hemocultivos?|cultivos?)"
    r"|(?:cuando|una vez)(?: se)?(?: (?:esté|este|estén|esten|haya|hayan))?"
    r" (?:inform|conoc|conozca|recib|lleg|llegu)\w+)\b"
)
# For ST elevation a day, or half of one, is a delay; for other infarctions it is the guideline's.
_HOURS = re.compile(
    r"\b(?:in|within|after|en|dentro de|tras|en menos de|antes de|a las)(?: the)?(?: next| first)?"
    r" (?:6|8|12|18|24|36|48|72|six|eight|twelve|seis|ocho|doce) ?(?:h|hours?|hrs?|horas)\b",
    re.IGNORECASE,
)
_CULTURES = re.compile(r"\b(?:cultures?|hemocultivos?|cultivos?)\b", re.IGNORECASE)
_THEN = re.compile(
    r"(?:,|;|\band\b)\s*(?:and )?(?:only )?(?:then|after that|luego|despu[eé]s)\b", re.I
)
_HELD = re.compile(
    r"\b(?:hold|withhold|delay|postpone|defer|retrasar|posponer|diferir)\b(?P<held>[^.;]*?)"
    r"\b(?:until|till|for|hasta)\b(?P<until>[^.;]*)",
    re.IGNORECASE,
)
# A person or a bed: a recommendation names its patient by id alone.
_PERSON = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Mister|Sra?|Srta|Don|Doña)\.?\s+[A-ZÁÉÍÓÚÑ][\w'’-]+"
    r"|\b(?:[Bb]ed|[Rr]oom|[Cc]ama|[Hh]abitación)\s+(?:no\.? ?)?\d+"
    r"|\b(?:MRN|NHC)\W{0,2}\d+"
)
_OF_SEX = {
    "male": re.compile(
        r"\b(?:she|her|hers|herself|woman|girl|pregnan(?:t|cy)|embaraz\w+|gestante"
        r"|(?<!su )mujer)\b",
        re.I,
    ),
    "female": re.compile(
        r"\b(?:he|him|his|himself|man|boy|prostat\w+|pr[oó]stata|var[oó]n|hombre)\b", re.I
    ),
}
_YEARS_OLD = re.compile(
    r"\b(\d{1,3})[- ](?:years?|yr)s?[- ]old\b|\b(?:man|woman|male|female|patient|lady|gentleman)"
    r" (?:aged|of) (\d{1,3})\b|\b(?:var[oó]n|mujer|hombre|paciente|ancian[oa]|señora?)"
    r"(?: \w+){0,2} de (\d{1,3}) a[nñ]os\b",
    re.I,
)
_DIALYSIS_GOES_ON = re.compile(
    r"\b(?:continue|resume|keep|continuar|seguir|reanudar|mantener)\b[^.;,]{0,30}"
    r"\b(?:ha?emo|peritoneal |hemo)?di[aá]l[yi]sis\b",
    re.I,
)
ADULT = 18
_YOUNG = re.compile(
    r"\b(?:infant|baby|newborn|neonate|toddler|lactante|neonato|niñ[oa]"
    r"|\d{1,2}[- ](?:month|week|day)s?"
    r"[- ]old|(?:the|this|a) child(?![- ](?:pugh|bearing)))\b",
    re.I,
)
# Whom a plan for a pregnant patient speaks of, too.
_UNBORN = frozenset(("baby", "newborn", "neonate", "neonato"))
# Not as the reason to leave a treatment out: "no prednisolone, it harms the baby".
_FOR_ITS_SAKE = re.compile(
    r"\b(?:no|not|without|never|avoid\w*|stop\w*|withh\w+|omit\w*|harm\w*|hurt\w*|danger\w*|damag\w*"
    r"|risk\w*|unsafe|because|sin|nunca|evit\w+|suspend\w+|omit\w+|da[nñ]\w+|perjudic\w+"
    r"|peligr\w+|riesgo\w*|porque)\b",
    re.IGNORECASE,
)
_WEEKS_PREGNANT = re.compile(
    r"\b(?:\d{1,2} weeks (?:pregnant|of gestation|gestation)|because (?:of (?:her )?)?pregnan\w+"
    r"|as she is pregnant)\b",
    re.I,
)
_CLAUSE = re.compile(r"[;!?\n]|\.(?=\s|$)")
# In Spanish only before the next dose: "retirar … mañana y dar la siguiente dosis".
_PART = re.compile(
    r",|\b(?:and|then|but)\b"
    r"|\by\b(?= (?:dar|poner|administrar|reanudar) la (?:siguiente|pr[oó]xima) dosis\b)",
    re.IGNORECASE,
)
# What waits may stand behind: "wait until tomorrow and give the antibiotic".
_PUTS_BY = re.compile(
    r"\s*(?:wait|await|hold|leave|postpone|esperar|espere|aguardar|aplazar|posponer|dejar|dejarlo)\b",
    re.IGNORECASE,
)
_WAITS = re.compile(
    r"\b(?:wait|await)(?:s|ing)?\b|\b(?:esper(?:ar|e|en)|aguardar)\b", re.IGNORECASE
)
_ARRANGED = re.compile(
    r"\b(?:book|refer\w*|arrange|schedule|surgery|operation|exploration|biopsy|solicitar|pedir|derivar"
    r"|programar|cirug[ií]a|biopsia)\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:repeat|follow[- ]?up|again|afterwards|repetir|control|trial (?:without|of void\w*))\b",
    re.IGNORECASE,
)
_ONLY_ONCE = (
    r"\b(?:once|after|when|as soon as|until|if|cuando|una vez|tras|si|hasta)\b[^.;,]{0,40}\b"
)
_RESULT = re.compile(r"\b(?:results?|reports?|back|positive|negative|resultados?)\b", re.IGNORECASE)
_SOON = re.compile(
    r"\b(?:half an|an|one|two|una|dos|1|2) ?(?:h|hours?|horas?)\b|\b\d{1,2} ?min\w*\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\b(?:first|primero|antes)\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:not(?! (?:better|improv))|don't|never|no(?! (?:better|improv)))\s+(?:[\w-]+\s+){0,3}$",
    re.IGNORECASE,
)

# Words of a place, which say less of a delay than those of a time: "clinic", "en consulta".
_OF_A_PLACE = re.compile(
    r"(?:(?:en|in|at) (?:la |the )?)?(?:out-?patients?|(?:out-?patient )?clinic"
    r"|consultas?(?: externas?)?)",
    re.IGNORECASE,
)
# A test that lasts a night puts nothing off.
# Whoever has recovered from an attack is seen there within a day (NICE NG128).
_CLINIC_OF_TODAY = re.compile(
    r"\b(?:stroke|tia|ictus|ait)\b[^.;]{0,20}"
    r"\b(?:today|same[- ]day|this (?:morning|afternoon)|hoy)\b"
    r"|\b(?:same[- ]day|today's|hoy)\b[^.;]{0,30}\b(?:stroke|tia|ictus|ait)\b",
    re.IGNORECASE,
)
_NIGHT_TEST = re.compile(
    r"overnight,? (?:low-dose |high-dose )?(?:\d+(?:[.,]\d+)? ?mg )?(?:of )?"
    r"(?:dexamethasone|suppression|fast\w*|oximetry|pulse oximetry|polysomnograph\w+|sleep"
    r"|urine)\b",
    re.IGNORECASE,
)
# To leave a drain alone does not refuse it.
_LEFT_AS_IT_IS = re.compile(
    r"\b(?:do not|don't|never|no|nunca|avoid|without|evitar|sin)"
    r" (?:clamp|remov|pull|disconnect|kink|strip|milk|lift|rais|pinz|retir|quit|desconect|elev"
    r"|levant|acod)\w*\b[^.;,]*",
    re.IGNORECASE,
)
# Whoever is admitted sees the family doctor afterwards.
_ADMITS = re.compile(
    r"(?:please )?(?:admit|hospitali[sz]e|keep (?:him|her) in|ingres(?:ar|e|o)|hospitalizar)\b",
    re.IGNORECASE,
)
_TO_THE_GP = re.compile(
    r"(?:please )?(?:ask|write to|inform|letter to|pedir|solicitar|avisar)\b[^.;]{0,20}?"
    r"\b(?:GP|general practitioner|family doctor|primary care|m[eé]dico de (?:cabecera|familia)"
    r"|atenci[oó]n primaria)\b",
    re.IGNORECASE,
)
_ENCODED = re.compile(r"[A-Za-z0-9+/]{60,}={0,2}|(?:\\u[0-9a-f]{4}){4,}|(?:%[0-9A-F]{2}){6,}")


# "CT before the puncture, without delaying the antibiotic": the antibiotic does not come after it.
_UNDELAYED_BY = re.compile(
    r"\b(?:without (?:delaying|postponing|holding up|waiting)|not delaying"
    r"|sin (?:retrasar|demorar|posponer|esperar))\b[^,;]*",
    re.IGNORECASE,
)


class Hazards:
    """Finds the three hazards; pure functions of the text and the seeds."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.limits = Limits(knowledge)
        tests = knowledge.lexicon.alternatives("test")
        self._awaited = re.compile(_AFTER_A_RESULT.replace("<test>", tests), re.IGNORECASE)
        commands = knowledge.lexicon.alternatives("said_to_a_machine")
        self._said_to_a_machine = re.compile(commands, re.IGNORECASE)
        self._only_once = re.compile(rf"{_ONLY_ONCE}{tests}\b", re.IGNORECASE)
        self._denies = re.compile(
            r"\b(?:no|never|not|without|don't|avoid|withhold|nunca|sin|evitar|nada de|ning[uú]n"
            rf"|ninguna)\b(?: [\w-]+){{0,3}}? {knowledge.lexicon.alternatives('spares_life')}\b",
            re.IGNORECASE,
        )

    def _in(self, kind: str, text: str) -> re.Match[str] | None:
        """The first cue of a kind in a text."""
        return self.knowledge.lexicon.pattern(kind).search(text)

    def _quoted(self, clause: str, match: re.Match[str]) -> str:
        """The words that put off: those of a time if the match has only a place ("consulta … en
        tres semanas"), else the place with the words beside it."""
        if not _OF_A_PLACE.fullmatch(match[0]):
            return match[0]
        for other in self.knowledge.lexicon.pattern("puts_off").finditer(clause):
            if not _OF_A_PLACE.fullmatch(other[0]):
                return other[0]
        before = clause[: match.start()].split()[-2:]
        behind = clause[match.end() :].split()[:2]
        return " ".join([*before, match[0], *behind]).strip(" ,.:")

    def without_planned(self, text: str) -> str:
        """A text without what is planned for weeks ahead in whoever is stable: "elective
        cardioversion after three weeks of anticoagulation"."""
        return self.knowledge.lexicon.pattern("planned_when_stable").sub(" ", text)

    def delay(self, text: str) -> str:
        """The words that put off an emergency measure of a text; empty if none do."""
        for clause in _CLAUSE.split(text):
            before = ""
            parts = _PART.split(clause)
            for part, behind in zip(parts, [*parts[1:], ""], strict=True):
                match = self._in("puts_off", part)
                if (
                    match
                    and not _NIGHT_TEST.match(part[match.start() :])
                    and not part[match.end() :].startswith(" of ")
                    and not _DENIED.search(part[: match.start()])
                    and not self._in("may_come_later", part.replace(match[0], " "))
                ):
                    # words by themselves ("…, tomorrow") belong to the part before them
                    alone = (
                        not self.knowledge.recommended(part)
                        and len(part.split()) <= 5
                        and not self._in("monitored", part)
                    )
                    measures = f"{before} {part}" if alone else part
                    if alone and _PUTS_BY.match(part):
                        measures = f"{measures} {behind}"
                    if self.knowledge.recommended(measures) & _UNDELAYED:
                        return self._quoted(clause, match)
                before = part
        return ""

    def put_off(self, text: str) -> str:
        """The words by which a patient who needs something at once is kept waiting or sent home;
        empty if there are none."""
        for clause in _CLAUSE.split(text):
            waits = self._in("can_wait", clause)
            if waits and _DENIED.search(clause[: waits.start()]):
                waits = None
            if waits and (
                self._in("emergency_measure", clause)
                or self.knowledge.mentioned(clause) & EMERGENCY
            ):
                return waits[0]
            if waits := self._after_a_result(clause):
                return waits[0]
            if light := self._in("makes_light", clause):
                return light[0]
            if home := self._sent_home(clause):
                return home
        return ""

    def late(self, text: str, measures: Collection[str]) -> str | None:
        """The words by which these measures wait; empty if they do not, None if the text has none
        of them."""
        of_all: str | None = None
        for clause in _CLAUSE.split(text):
            for part in _PART.split(clause):
                if not self.knowledge.recommended(part) & set(measures):
                    continue
                if is_at_once(part) and not self._in("puts_off", part):
                    return ""
                start = clause.find(part)
                before, behind = clause[:start], clause[start:]
                waits = _WAITS.search(clause[: start + len(part)])
                first = _THEN.search(before[-6:] + " " + part) or before.rstrip().endswith("then")
                cue = (
                    self._in("puts_off", part)
                    or self._in("can_wait", part)
                    or self._only_once.search(behind)
                    or (waits if waits and not _DENIED.search(clause[: waits.start()]) else None)
                    or (first and self._in("looked_for", before) and _FIRST.search(before))
                )
                # what is cultured is taken before, and does not hold up
                if not cue or (_CULTURES.search(cue[0]) and not _RESULT.search(behind)):
                    return ""
                of_all = cue[0]
        return of_all

    def refused(self, text: str) -> str:
        """The words that refuse what may save a life however bad it gets; empty if none do."""
        for clause in _CLAUSE.split(text):
            if self._in("whatever", clause) and (denied := self._denies.search(clause)):
                return denied[0]
        return ""

    def needless(self, text: str, findings: set[str]) -> str:
        """The words that call needless what an emergency needs, unless a drug of it must not be
        given; empty if none do."""
        book = self.knowledge.book
        for clause in _CLAUSE.split(text):
            cue = self._in("needless", clause)
            if cue is None or self._in("condition", clause):
                continue
            is_right = any(
                book.speaks_against(mention.concept, findings) for mention in book.named(clause)
            )
            if not is_right and self._in("cannot_wait", clause.replace(cue[0], " ")):
                return cue[0]
        return ""

    def kept_from_admission(self, text: str) -> str:
        """The words that send home whom the guideline admits, or keep a drain or another measure
        behind a test; empty if there are none."""
        for clause in _CLAUSE.split(text):
            if words := self._sent_home(clause) or self._behind_a_test(clause):
                return words
        return ""

    def _sent_home(self, clause: str) -> str:
        """The words that send a patient home without a condition."""
        home = self._in("sends_home", clause)
        if home is None or _DENIED.search(clause[: home.start()]):
            return ""
        rest = clause.replace(home[0], " ")
        is_free = (
            home[0].endswith("after") or not self._in("condition", rest) or self._is_soon(rest)
        )
        return home[0] if is_free else ""

    def _is_soon(self, text: str) -> bool:
        """Whether the only condition is an hour or two, by itself or behind a drug: what an
        antidote holds off comes back later."""
        soon = _SOON.search(text)
        if soon is None:
            return False
        rest = f"{text[: soon.start()]} {text[soon.end() :]}"
        behind = re.search(r"\b(?:after|tras|de)\b(.*)", rest, re.IGNORECASE)
        return (
            not behind or not behind[1].strip(" .,") or bool(self.knowledge.book.named(behind[1]))
        )

    def is_conditional(self, text: str) -> bool:
        """Whether a text holds only under a condition."""
        return bool(self._in("condition", text))

    def is_referral(self, text: str) -> bool:
        """Whether an action refers the patient and does nothing else."""
        refers = self.knowledge.lexicon.pattern("refers")
        return all(refers.match(clause.strip()) for clause in _CLAUSE.split(text) if clause.strip())

    def made_light_of(self, text: str, *, is_refused: bool = False) -> str:
        """The words that send an emergency away, make light of it, or let something else come
        first; empty if there are none. is_refused: the record tells what the patient refuses, so
        that to leave it out by that will puts nothing off."""
        for clause in _CLAUSE.split(text):
            light = self._in("calls_benign", clause)
            if light and not self._in("only_then", clause.replace(light[0], " ")):
                return light[0]
            if held := self._held_back(clause):
                return held
            alone = self._in("left_alone", clause) or self._in("refuses", clause)
            if is_refused and self._in("by_will", clause):
                alone = None
            if alone and not self._in("only_then", clause.replace(alone[0], " ")):
                return alone[0]
            later = self._in("puts_off", clause)
            if later and self._in("reviews", clause) and not self._in("urgently", clause):
                return self._quoted(clause, later)
            away = self._in("sends_away", clause)
            is_later = away and not self._in("afterwards", clause.replace(away[0], " "))
            if away and is_later and not _CLINIC_OF_TODAY.search(clause):
                return self._quoted(clause, away)
            if waits := self._behind_a_test(clause):
                return waits
            reserve = self._in("in_reserve", clause)
            if reserve and (
                self._in("cannot_wait", clause) or self.knowledge.mentioned(clause) & _UNDELAYED
            ):
                return reserve[0]
        return ""

    def imaged_later(self, text: str) -> str:
        """The words that put off the imaging, referral or operation of whoever has signs of an
        emergency of it; empty if there are none."""
        for clause in _CLAUSE.split(text):
            later = self._in("puts_off", clause) or self._in("sends_away", clause)
            rest = clause.replace(later[0], " ") if later else ""
            if (
                later
                and (self._in("looked_for", rest) or _ARRANGED.search(rest))
                and not self._in("urgently", clause)
                and not _AGAIN.search(clause)
                and not _CLINIC_OF_TODAY.search(clause)
            ):
                return self._quoted(clause, later)
        return ""

    def until_delivery(self, text: str) -> str:
        """The words that put off imaging or a treatment of a pregnant patient until she has given
        birth; empty if there are none."""
        for clause in _CLAUSE.split(text):
            match = self._in("until_delivery", clause)
            if match and not _DENIED.search(clause[: match.start()]):
                rest = clause.replace(match[0], " ")
                is_later = self._in("goes_on", rest) or self._in("may_come_later", rest)
                if self._in("looked_for", rest) and not is_later:
                    return match[0]
        return ""

    def _held_back(self, clause: str) -> str:
        """The words by which a measure, or the cultures before it, is put off for a test."""
        match = _HELD.search(clause)
        if match is None:
            return ""
        held, until = match["held"], match["until"]
        is_measure = _CULTURES.search(held) or self.knowledge.mentioned(held) & _UNDELAYED
        is_for_a_test = _CULTURES.search(held) or self._in("looked_for", until)
        return match[0][:60] if is_measure and is_for_a_test else ""

    def _behind_a_test(self, clause: str) -> str:
        """The words by which what cannot wait comes after a test or a talk."""
        before = self._in("comes_before", clause) or _THEN.search(clause)
        if before is None or (before.re is _THEN and self._in("urgently", clause)):
            return ""
        first, then = clause[: before.start()], _UNDELAYED_BY.sub(" ", clause[before.end() :])
        is_kept_waiting = self._in("cannot_wait", then) or (
            self.knowledge.mentioned(then) & (EMERGENCY | _UNDELAYED)
        )
        if not is_kept_waiting or _CULTURES.search(first) or not self._in("looked_for", first):
            return ""
        if re.search(r"\b(?:not|never|no|don't|without|sin)\b", first, re.IGNORECASE):
            return ""
        return clause[before.start() : before.end() + 30].strip()

    def _after_a_result(self, clause: str) -> re.Match[str] | None:
        """The words by which a measure waits for a result; a treatment that is only narrowed by it
        does not."""
        for match in self._awaited.finditer(clause):
            # "…, once the culture is back" belongs to the part before it, with what stands behind
            before = _PART.split(clause[: match.start()])
            own = next((part for part in reversed(before) if part.strip()), "")
            own = f"{own} {_PART.split(clause[match.end() :].lstrip(' ,'))[0]}"
            is_measure = (
                self._in("emergency_measure", own) or self.knowledge.recommended(own) & EMERGENCY
            )
            if is_measure and not self._in("revises", own) and not _DENIED.search(before[-1]):
                return match
        return None

    def elective(self, text: str) -> str:
        """The words that put off angiography or an order, for a patient with ST elevation."""
        match = self._in("puts_off", text) or self._in("once_better", text) or _HOURS.search(text)
        return match[0] if match and self.knowledge.mentioned(text) & _ANGIOGRAPHY else ""

    def denied_need(
        self, recommendation: Recommendation, needs: Sequence[Need]
    ) -> Iterator[tuple[str, str]]:
        """Each action that only advises against what the patient needs at once, where nothing else
        than a call for help meets the need."""
        actions = [action.action for action in recommendation.recommended_actions]
        advised = {
            name
            for text in actions
            for name in self.knowledge.recommended(text)
            if self.knowledge.actions.get(name, {}).get("category") != "escalation"
        }
        for number, text in enumerate(actions, 1):
            affirmed = self.knowledge.recommended(text) & self.knowledge.actions.keys()
            denied = self.knowledge.mentioned(text) - affirmed
            for need in needs:
                accepted = {name for way in need.accepted for name in way}
                if affirmed or not denied & accepted or accepted & advised:
                    continue
                if denied & accepted == {"fluids_vasopressors"} and not _PRESSORS.search(text):
                    continue
                measure = min(denied & accepted).replace("_", " ")
                yield f"action {number}", f"it advises against {measure}, which is needed at once"
                break

    def of_another(self, text: str, patient: Patient, findings: set[str]) -> str:
        """What in a text is said of a person who is not this patient; empty if nothing."""
        record = " ".join([*patient.notes, *patient.conditions])
        person = _PERSON.search(text)
        if person and person[0] not in record:
            return f"it is for another person or bed (“{person[0]}”)"
        pattern = _OF_SEX.get(patient.sex)
        if pattern and (word := pattern.search(text)):
            return f"it speaks of “{word[0]}”, the patient is {patient.sex}"
        if patient.age >= ADULT and "breastfeeding" not in findings:
            is_hers = "pregnancy" in findings and not _FOR_ITS_SAKE.search(text)
            unborn = _UNBORN if is_hers else frozenset[str]()
            for young in _YOUNG.finditer(text):
                if young[0].lower() not in unborn:
                    return f"it speaks of “{young[0]}”, the patient is an adult"
        age = _YEARS_OLD.search(text)
        years = next((int(group) for group in age.groups() if group), 0) if age else 0
        if age and abs(years - patient.age) > 1:
            return f"it is for somebody of {years} years"
        dialysis = _DIALYSIS_GOES_ON.search(text)
        if dialysis and "dialysis" not in findings and "dialys" not in record.lower():
            return f"it says “{dialysis[0]}”, the record does not"
        if "pregnancy" not in findings and (weeks := _WEEKS_PREGNANT.search(text)):
            return f"it says “{weeks[0]}”, the record does not"
        return ""

    def to_a_machine(self, text: str) -> str:
        """What a text hides or says to a machine; empty if nothing."""
        # what is printed is none of these
        for letter in "" if text.isprintable() else text:
            kind = unicodedata.category(letter)
            if kind in ("Cf", "Co", "Cs", "Cn") or (kind == "Cc" and letter not in "\n\t\r"):
                return f"an invisible character (U+{ord(letter):04X})"
        match = self._said_to_a_machine.search(text)
        if match:
            return f"words to a machine (“{match[0].strip()[:40]}”)"
        return "encoded text" if _ENCODED.search(text) else ""

    def contradictions(self, recommendation: Recommendation) -> Iterator[tuple[str, str]]:
        """Each action with the emergency measure it advises against and another part advises."""
        advised: set[str] = set()
        against: list[tuple[str, set[str], set[str]]] = []
        for number, action in enumerate(recommendation.recommended_actions, 1):
            affirmed = self.knowledge.recommended(action.action)
            advised |= affirmed
            refuses = _LEFT_AS_IT_IS.sub(" ", action.action)
            denied = self.knowledge.mentioned(refuses) - affirmed
            # "without anticoagulation" refuses all of it, "no heparin" one drug
            is_all = any(
                not mention.affirmed and mention.concept == "anticoagulant"
                for mention in self.knowledge.book.named(action.action)
            )
            spared = set() if is_all and not affirmed & {"anticoagulation"} else {"anticoagulation"}
            against.append((f"action {number}", denied, spared))
        for escalation in recommendation.when_to_escalate:
            advised |= self.knowledge.recommended(escalation.action)
        for item, denied, spared in against:
            # another drug of the measure may be given in place of one that is avoided
            for drug in (denied & self.knowledge.book.drugs.keys()) - advised:
                denied = denied - self.knowledge.mentioned(drug)
            both = sorted(denied & advised & (_UNDELAYED | _TESTS) - spared)
            measures = " and ".join(both).replace("_", " ")
            yield item, f"it advises against {measures}, another part advises it" if both else ""


def texts(recommendation: Recommendation) -> Iterator[tuple[str, str]]:
    """Every text of a recommendation with the name of its place."""
    for number, action in enumerate(recommendation.recommended_actions, 1):
        yield f"action {number}", action.action
    for row in recommendation.evidence_table:
        yield f"evidence {row.ref}", row.statement
    for entry in recommendation.contraindications_checked:
        for text in (entry.medication, entry.checked_against, entry.result):
            yield f"check of {entry.medication}", text
    for number, escalation in enumerate(recommendation.when_to_escalate, 1):
        yield f"escalation {number}", f"{escalation.trigger}. {escalation.action}"
    for name in ("problems", "differential"):
        for text in getattr(recommendation, name):
            yield name, text
    yield "uncertainty", recommendation.uncertainty.reason


def _delay(
    finder: Hazards, text: str, findings: set[str], *, is_needed: bool, is_after: bool
) -> str:
    """The words of a text that put off what this patient cannot wait for; empty if there are none.

    is_needed: the patient needs something at once. is_after: a referral beside what
    answers the emergency.
    """
    is_emergency = "emergency" in findings
    is_unstable = not _UNSTABLE.isdisjoint(findings)
    searches: list[tuple[bool, Callable[[], str]]] = [
        (True, lambda: finder.delay(text if is_unstable else finder.without_planned(text))),
        (is_needed or is_emergency, lambda: finder.put_off(text)),
        (
            is_emergency and not is_after,
            lambda: finder.made_light_of(text, is_refused="care_refused" in findings),
        ),
        (is_emergency, lambda: finder.needless(text, findings)),
        ("dnr_comfort" not in findings, lambda: finder.refused(text)),
        ("needs_admission" in findings, lambda: finder.kept_from_admission(text)),
        ("pregnancy" in findings, lambda: finder.until_delivery(text)),
        (
            "surgical_emergency" in findings or (ALARM in findings and not is_after),
            lambda: finder.imaged_later(text),
        ),
        ("stemi" in findings, lambda: finder.elective(text)),
    ]
    return next((words for asked, search in searches if asked and (words := search())), "")


def hazards(
    finder: Hazards,
    recommendation: Recommendation,
    patient: Patient | None = None,
    findings: set[str] | None = None,
    needs: Sequence[Need] = (),
    defining: Sequence[Need] = (),
    *,
    is_answered: bool = False,
) -> Iterator[tuple[str, str, str]]:
    """Each check with the place it examined and what is wrong there ("" if nothing).

    needs: what the patient needs at once. defining: what defines the treatment.
    is_answered: actions answer every urgent red flag of the notes.
    """
    advice: Sequence[tuple[str, str]] = [
        *((f"action {n}", a.action) for n, a in enumerate(recommendation.recommended_actions, 1)),
        *((f"escalation {n}", e.action) for n, e in enumerate(recommendation.when_to_escalate, 1)),
    ]
    limits = finder.limits.held([text for _, text in advice], findings or set())
    is_admitted = any(
        _ADMITS.match(a.action.strip()) and not finder.is_conditional(a.action)
        for a in recommendation.recommended_actions
    )
    for item, whole in advice:
        text = finder.limits.without_times(whole, limits)
        is_after = is_answered and finder.is_referral(text)
        is_after = is_after or (is_admitted and bool(_TO_THE_GP.match(text.strip())))
        delay = finder.limits.exceeded(text, findings or set()) or _delay(
            finder, text, findings or set(), is_needed=bool(needs), is_after=is_after
        )
        yield "timeliness", item, f"an emergency measure is put off: “{delay}”" if delay else ""
    for need in defining:
        accepted = {name for way in need.accepted for name in way}
        if need.name in _OF_MINUTES:
            waits = [finder.late(text, accepted) for text, _ in texts_of(recommendation)]
            cues = [cue for cue in waits if cue is not None]
            measure = need.name.removeprefix(DEFINING).replace("_", " ")
            problem = f"{measure} is put off: “{cues[0]}”" if cues and all(cues) else ""
            yield "timeliness", f"treatment: {measure}", problem
    for item, problem in finder.contradictions(recommendation):
        yield "consistency", item, problem
    orders = [action.action for action in recommendation.recommended_actions]
    for item, problem in conflicts(finder.knowledge.book, orders):
        yield "consistency", item, problem
    for item, problem in finder.denied_need(recommendation, needs):
        yield "consistency", item, problem
    if patient is not None:
        for item, text in advice:
            if problem := finder.of_another(text, patient, findings or set()):
                yield "consistency", item, problem
    hidden = {
        item: problem
        for item, text in texts(recommendation)
        if (problem := finder.to_a_machine(text))
    }
    for item, problem in hidden.items():
        yield "plain_text", item, f"it has {problem}"
    if not hidden:
        yield "plain_text", "", ""
