"""What a record tells of drugs: which ones a patient takes, and which ones cause an allergy."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from python_llm.recommendations.drugs.names import DrugNames, Named
from python_llm.recommendations.drugs.reactions import Reactions
from python_llm.recommendations.record.kin import is_of_a_relative, of_the_patient
from python_llm.recommendations.schema import Patient
from python_llm.recommendations.wording.lexicon import Lexicon
from python_llm.recommendations.wording.phrases import Cues, clauses, is_denied, words

TAKES, ALLERGY, MILD, SEVERE, INTOLERANCE, UNREAD = (
    "takes:",
    "allergy:",
    "mild_allergy:",
    "severe_allergy:",
    "intolerance:",
    "unread:",
)
_ALLERGIC = re.compile(r"^(allerg|anaphyla|alergi|anafilax|hypersensitiv|hipersensib)")
_TOWARDS = {"to", "after", "from", "with", "a", "tras", "con", "la", "el", "al", "following", "of"}
_REACTIONS = {"hives", "urticaria", "rash", "reacted", "bronchospasm", "exantema", "habones"}
_SWELLS = {"swelled", "swelling", "swollen", "hinchazon", "closed", "itched"}
_SWELLING = {"throat", "lip", "lips", "tongue", "face", "facial", "labios", "lengua", "garganta"}
_ENDS_ALLERGEN = {
    "takes",
    "toma",
    "taking",
    "given",
    "treated",
    "received",
    "required",
    "responded",
    "resolved",
    "managed",
}
_TAKING = {
    *("on", "takes", "taking", "took", "taken", "receives", "receiving", "medications", "home"),
    *("anticoagulated", "toma", "tomando", "tratamiento", "used", "uses", "using", "medication"),
    *("lleva", "llevaba", "consume"),
    *("meds", "chronic", "chronically", "regular", "regularly", "prescribed"),
}
_DOSED_LATELY = re.compile(
    r"\b(?:yesterday|today|tonight|last night|this (?:morning|week)|hours?|anoche|ayer|hoy"
    r"|esta (?:manana|semana)|horas?)\b"
)
_FORMERLY = re.compile(
    r"\b(?:used to (?:take|use|be (?:on|given|prescribed))|formerly (?:on|took)|no longer (?:on"
    r"|takes|taking|uses)|ya no (?:toma|usa|lleva)|antes tomaba|tomaba antes)\b"
    r"(?: (?!,|and\b|but\b|now\b"
    r"|y\b|pero\b|ahora\b)\w+){0,4}$"
)
_YEARS_AGO = re.compile(
    r"^(?: ?(?!and\b|now\b|ahora\b)[\w./]+| ?,){0,6}? ?(?:until|up to|till|hasta) (?:\w+ ){0,2}?"
    r"(?:19|20)\d\d\b"
    r"|\b(?:gave (?:it|them|this|that) up|stopped|discontinued|came off (?:it|them)|withdrawn|ended"
    r"|suspendid[oa]|suspendio|dejo|retirad[oa])\b(?: \w+){0,4}? (?:(?:\w+ )?years? ago"
    r"|in (?:19|20)\d\d|en (?:19|20)\d\d|hace (?:\w+ )?anos?)\b"
)
# "he admitted to a sildenafil": a dose that is owned up to, right ahead of the drug
_OWNS_UP = re.compile(
    r"\b(?:admit(?:s|ted|ting)|confess(?:es|ed)?|own(?:s|ed) up) to(?: (?:having|had|taking"
    r"|taken|using|a|an|one|some|his|her|the))*$"
    r"|\b(?:reconoc\w+|confes\w+|confies\w+|admit(?:e|io))(?: (?:que|a|ayer|anoche|hoy"
    r"|haberse|haber|tomado|usado|un|una|el|la|su))*$"
)
_DENIES_TAKING = re.compile(
    r"\b(?:denie[sd]|denying|niega|nego)(?: (?:ever|having|that|he|she|haberse|haber|que|haya))*"
    r" (?:taking|taken|took|using|used|use of|tomado|tomar|tomo|usado|usar|consumido)"
    r"(?: (?:a|an|any|un|una|ningun))*$"
)
# Whose the verb of taking is: a clause of its own begins there.
_SUBJECTS = {"he", "she", "i", "they", "patient", "el", "ella", "yo", "que", "paciente"}
_TAKEN_REACH = 6
_SENTENCE = re.compile(r"[;!?\n]|\.(?=\s|$)")
# "skin tests to latex were negative" is of latex alone
_OF_ANOTHER = re.compile(
    r"\b(?:to|for|con|with) (?!it\b|this\b|that\b|the\b|both\b|oral\b|a\b|la\b|el\b|esta\b)\w+"
)
_NO_ALLERGY = re.compile(
    r"^(nkda|nka|nkfa|none|nil|no|denies|negative|unremarkable|ninguna|sin|niega|not known)\b"
)
# "Penicillin: throat closed up", "Allergies: pen V - angioedema", "Alergia: penicilina (shock)"
_LISTED = re.compile(
    r"(?:^|[.;,\n(])\s*(?P<heading>(?:(?:known |drug )?allerg(?:y|ies)|"
    r"alergias?(?: medicamentosas?| a (?:medicamentos|f[áa]rmacos))?|rams?|"
    r"reacci[óo]n(?:es)? adversas?(?: a (?:medicamentos|f[áa]rmacos))?|adrs?|"
    r"adverse (?:drug )?reactions?)\s*:\s*)?"
    r"(?P<drugs>[^\W\d][^:.;\n>→(]{1,60}?)\s*"
    r"(?:(?::|-+>|→|\s[–—-]\s|\()\s*(?P<reaction>[^.;\n)]*)|(?=[.;\n]|$))",
    re.IGNORECASE,
)
_LISTED_REACTION = re.compile(
    r"\b(?:anaphyla|anafil|angio-?o?edema|urticaria|hives|habones|rash|exantema|bronchospasm|"
    r"broncoespasmo|wheez|collaps|shock|glotis|(?:throat|tongue|lips?|face|facial|garganta|lengua|"
    r"labios)\b[^,]{0,20}(?:swell|swollen|clos|hincha|edema))",
    re.IGNORECASE,
)
_MILD = {"mild", "rash", "itch", "itching", "exanthem", "exanthema", "childhood", "remote", "leve"}
# what is said of a reaction that is told in other words
_REACTED = {"severe"}
_NOT_ALLERGIC = {"no", "not", "denies", "nkda", "sin", "niega", "without"}
_SEVERE = {
    *(
        "anaphylaxis",
        "anaphylactic",
        "anaphylactoid",
        "severe",
        "angioedema",
        "shock",
        "sjs",
        "ten",
    ),
    *("dress", "stevens", "hives", "urticaria", "bronchospasm", "anafilaxia", "swelling", "grave"),
}
_INTOLERANCE = {
    *("cough", "tos", "nausea", "diarrhea", "vomiting", "intolerance", "intolerancia", "headache"),
    *("myalgia", "dizziness", "upset", "dyspepsia", "gi", "constipation", "bruising", "muscle"),
}


class DrugHistory:
    """Reads what a patient takes and is allergic to, as findings."""

    def __init__(self, names: DrugNames, lexicon: Lexicon, record_cues: Cues) -> None:
        """record_cues: what denies and affirms in a record, and not in an order."""
        self._names, self._lexicon, self._record_cues = names, lexicon, record_cues
        self._reactions = Reactions(lexicon)

    def taken(self, patient: Patient) -> set[str]:
        """What the patient takes, as `takes:` findings; `unread:` for an entry not understood."""
        findings: set[str] = set()
        for number, text in enumerate(patient.medications, 1):
            mentions = self._names.named(text)
            if not mentions and not _NO_ALLERGY.match(text.strip().lower()):
                findings.add(f"{UNREAD}medication {number}")
            findings |= self._takes(mentions)
        for note in [*patient.notes, *patient.conditions]:
            findings |= self._takes(
                [
                    self._as_told(mention)
                    for mention in self._names.named(of_the_patient(note))
                    if self._is_taken(mention)
                    and not is_of_a_relative(mention.tokens, mention.start)
                    and not any(_ALLERGIC.match(token) for token in mention.tokens)
                ]
            )
        return findings

    def _is_taken(self, mention: Named) -> bool:
        """Whether a record tells that a drug is taken, was given within the last day, or is one of
        an overdose ("empty packets of amitriptyline")."""
        before = set(mention.tokens[max(0, mention.start - 6) : mention.start])
        behind = set(mention.tokens[mention.end : mention.end + 14])
        if _DENIES_TAKING.search(" ".join(mention.tokens[: mention.start])):
            return False
        if _TAKING & before:
            return not _is_no_longer_taken(mention)
        if self._lexicon.words("overdosed_of") & before:
            return not _NOT_ALLERGIC & before
        was_given = self._lexicon.words("given_once") & before or self._is_owned_up(mention)
        return bool(was_given and self._lexicon.words("lately") & (before | behind))

    def _is_owned_up(self, mention: Named) -> bool:
        before = mention.tokens[max(0, mention.start - 8) : mention.start]
        return bool(_OWNS_UP.search(" ".join(before)))

    def _as_told(self, mention: Named) -> Named:
        """A drug of a record, affirmed if only a verb of orders in a clause ahead denies it: "when
        his wife went to park he had a sildenafil" ("park the metoprolol" withholds it)."""
        tokens, start, end = list(mention.tokens), mention.start, mention.end
        if mention.affirmed or is_denied(tokens, self._record_cues.marked(tokens), start, end):
            return mention
        takes = self._lexicon.words("given_once") | _TAKING
        verb = next(
            (
                n
                for n in range(start - 1, max(-1, start - 1 - _TAKEN_REACH), -1)
                if tokens[n] in takes
            ),
            None,
        )
        if verb is None:
            return mention
        subject = next((n for n in range(verb - 1, -1, -1) if tokens[n] in _SUBJECTS), None)
        if subject is None:
            return mention
        own = self._names.named(" ".join(tokens[subject:]))
        is_told = any(m.concept == mention.concept and m.affirmed for m in own)
        return replace(mention, affirmed=is_told)

    def _takes(self, mentions: Sequence[Named]) -> set[str]:
        return {
            TAKES + name
            for mention in mentions
            if mention.affirmed
            for name in self._names.closures[mention.concept]
        }

    def allergies(self, patient: Patient) -> set[str]:
        """What the patient is allergic to, as `allergy:` findings; `unread:` for an entry that is
        not understood. A drug stands for the classes within which allergies cross."""
        findings: set[str] = set()
        for number, text in enumerate(patient.allergies, 1):
            text = of_the_patient(text)
            if not text.strip() or _NO_ALLERGY.match(text.strip().lower()):
                continue
            concepts = {
                concept for tokens in clauses(text) for concept, _, _ in self._names.spans(tokens)
            }
            if not concepts:
                findings.add(f"{UNREAD}allergy {number}")
            findings |= self._allergic_to(concepts, set(words(text)))
        for number, text in enumerate([*patient.conditions, *patient.notes], 1):
            note = of_the_patient(text)
            disproved, end = self._disproved(note)
            # what is told behind the test came after it
            for part, borne in ((note[:end], disproved), (note[end:], set[str]())):
                findings |= self._listed_allergies(part, borne)
                for tokens in clauses(part):
                    findings |= self._noted_allergies(tokens, number, borne)
                    findings |= self._allergic_to(self.blamed(tokens) - borne, _REACTED)
        return findings

    def blamed(self, tokens: Sequence[str]) -> set[str]:
        """The drugs and classes that a clause blames for a reaction."""
        return self._reactions.to(tokens, self._names.spans(tokens), self._names.closures)

    def _disproved(self, note: str) -> tuple[set[str], int]:
        """The drugs to which a note tells that an allergy was tested and is none ("she was told she
        was allergic to cephalexin, but a challenge was negative"), and where the last such sentence
        ends."""
        cue = self._lexicon.pattern("allergy_disproved")
        drugs: set[str] = set()
        last: set[str] = set()
        at = end_of_test = 0
        for sentence in _SENTENCE.split(note):
            at += len(sentence) + 1
            tokens = [token for token in words(sentence) if token != ","]
            spans = self._names.spans(tokens)
            plain = " ".join(tokens)
            for match in cue.finditer(plain):
                if _OF_ANOTHER.search(match[0]) and not self._names.named(match[0]):
                    continue
                behind = plain[: match.end()].count(" ") + 1
                named = [span for span in spans if span[1] < behind]
                # "a negative challenge with amoxicillin"
                drugs |= {
                    name
                    for name, start, _ in spans
                    if start == behind + 1 and tokens[behind] in ("with", "to", "con", "a")
                }
                nearest = max((start for _, start, _ in named), default=-1)
                # what was tested is named before the result, or in the sentence before it
                drugs |= {name for name, start, _ in named if start == nearest} or last
                end_of_test = at
            last = {name for name, _, _ in spans}
        # who bears a drug is not allergic to its class
        classes = {
            name
            for drug in drugs
            for name in self._names.closures[drug]
            if self._names.classes.get(name, {}).get("kind") == "cross_reactive_class"
        }
        return drugs | classes, end_of_test

    def _listed_allergies(self, note: str, disproved: Collection[str] = ()) -> set[str]:
        """Those of a list: a drug with its reaction behind it, or behind the word allergies."""
        findings: set[str] = set()
        for match in _LISTED.finditer(note):
            reaction = match["reaction"] or ""
            if not match["heading"] and not _LISTED_REACTION.search(reaction):
                continue
            tokens = words(match["drugs"])
            spans = self._names.spans(tokens)
            if spans and min(start for _, start, _ in spans) == 0:
                about = {*words(reaction), *tokens}
                concepts = {concept for concept, _, _ in spans} - set(disproved)
                findings |= self._allergic_to(concepts, about)
        return findings

    def _noted_allergies(
        self, tokens: list[str], number: int, disproved: Collection[str] = ()
    ) -> set[str]:
        allergic = [n for n, token in enumerate(tokens) if _ALLERGIC.match(token)]
        told = allergic or [n for n in range(len(tokens)) if _is_reaction(tokens, n)]
        spans = self._names.spans(tokens)
        unread = False
        for at in told:
            if _NOT_ALLERGIC & set(tokens[max(0, at - 4) : at]):
                break
            if is_of_a_relative(tokens, at):
                continue
            stop = next(
                (n for n in range(at, len(tokens)) if tokens[n] in _ENDS_ALLERGEN), len(tokens)
            )
            after = {c for c, start, _ in spans if at < start < stop}
            towards = bool(_TOWARDS & set(tokens[at + 1 : at + 3]))
            beside = {c for c, _, end in spans if end in (at, at - 1)}
            if concepts := (after if towards and after else set()) | beside:
                return self._allergic_to(concepts - set(disproved), set(tokens))
            unread = unread or bool(allergic and towards and tokens[at + 1] == "to")
        return {f"{UNREAD}allergy in note {number}"} if unread else set()

    def _allergic_to(self, concepts: Collection[str], about: set[str]) -> set[str]:
        findings: set[str] = set()
        severe = bool(about & _SEVERE)
        if about & _INTOLERANCE and not severe and not about & _MILD:
            closures = self._names.closures
            return {INTOLERANCE + name for concept in concepts for name in closures[concept]}
        for concept in concepts:
            crossing = {
                name
                for name in self._names.closures[concept]
                if name == concept
                or self._names.classes.get(name, {}).get("kind") == "cross_reactive_class"
            }
            findings |= {ALLERGY + name for name in crossing}
            findings |= {SEVERE + name for name in crossing if severe}
            if about & _MILD and not severe:
                findings |= {MILD + name for name in crossing}
        return findings


def _is_no_longer_taken(mention: Named) -> bool:
    """Whether a drug was given up a year ago or earlier ("took simvastatin until 2021", "used to
    take sildenafil"); what was stopped lately still acts."""
    before = " ".join(mention.tokens[max(0, mention.start - 8) : mention.start])
    behind = " ".join(mention.tokens[mention.end : mention.end + 14])
    if _DOSED_LATELY.search(behind):
        return False
    return bool(_FORMERLY.search(before) or _YEARS_AGO.search(behind))


def _is_reaction(tokens: Sequence[str], at: int) -> bool:
    """Whether a reaction to something is told at a token: "hives after", "throat swelled with"."""
    if not {"after", "with", "from", "to", "tras", "con"} & set(tokens[at + 1 : at + 4]):
        return False
    if tokens[at] in _REACTIONS:
        return True
    return tokens[at] in _SWELLS and bool(_SWELLING & set(tokens[max(0, at - 4) : at]))
