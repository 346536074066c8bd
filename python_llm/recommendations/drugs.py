"""Drugs: which ones a text recommends, what a patient takes and is allergic to, and what forbids
them.

Pure functions over the seeds drugs and drug_rules. What the seeds do not know is
never taken for safe: it is reported as not checked.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from python_llm.errors import UserError
from python_llm.parsing.folding import without_accents
from python_llm.recommendations.conditions import Condition, names
from python_llm.recommendations.doses import Dose, DoseLimits, doses_of
from python_llm.recommendations.kin import is_of_a_relative, of_the_patient
from python_llm.recommendations.lexicon import Lexicon
from python_llm.recommendations.orders import (
    AGAINST_ARRHYTHMIA,
    KEPT,
    LATER,
    ORDER,
    OVERLAP,
    STOP,
    UNMONITORED,
    UNWATCHED,
    circumstances,
    ends_by_inr,
    is_ended,
    is_given_later,
    is_stopped_behind,
    of_the_action,
)
from python_llm.recommendations.phrases import (
    Cues,
    Phrases,
    clauses,
    is_denied,
    is_denied_after,
    words,
)
from python_llm.recommendations.reactions import Reactions
from python_llm.recommendations.schema import Patient

Row = Mapping[str, str]
TAKES, ALLERGY, MILD, INTOLERANCE, UNREAD = (
    "takes:",
    "allergy:",
    "mild_allergy:",
    "intolerance:",
    "unread:",
)
# What may be given into the cerebrospinal fluid or the epidural space, by drug or class (BNF:
# intrathecal and epidural use; FDA labels of methotrexate, cytarabine, baclofen and nusinersen;
# IDSA ventriculitis and meningitis 2017 for the antibiotics).
_SPINAL = frozenset(
    (
        *("local_anesthetic", "opioid", "systemic_corticosteroid", "aminoglycoside", "baclofen"),
        *("methotrexate", "clonidine", "vancomycin", "colistin", "ziconotide"),
        *("nusinersen", "iodinated_contrast"),
    )
)
_AT_DISCHARGE = re.compile(
    r"\b(?:at|on|before) discharge\b|\bal alta\b|\bafter \w+ days of\b", re.IGNORECASE
)
# What may be inhaled as a mist (BNF: nebulised preparations); anything else is not made for it.
_NEBULIZED = frozenset(
    (
        *("short_acting_bronchodilator", "anticholinergic", "inhaled_corticosteroid", "laba"),
        *("epinephrine", "aminoglycoside", "colistin", "mucolytic", "pulmonary_vasodilator"),
        *("magnesium sulfate", "lidocaine", "tranexamic acid", "antiviral", "normal saline"),
        *("oxygen", "aztreonam", "opioid", "long_acting_bronchodilator", "potassium_treatment"),
    )
)
_BRONCHODILATORS = {"short_acting_bronchodilator", "anticholinergic"}
_MIST = {
    *("nebulized", "nebuliser", "nebulizer", "nebs", "neb", "nebulizado", "nebulizada"),
    *("nebulizados", "nebulizadas", "nebulizacion", "nebulize", "inhaled"),
}
_BY_MOUTH = {"suspension", "syrup", "crushed", "jarabe"}
_DOSED = r"\d[\d.,]*\s?(?:mg|g|mcg|microgram\w*|units?|iu)\b"
_ADDED = re.compile(
    r"\b(?:add|adding|on top of|in addition to|as well as|alongside|separate prescription|besides|"
    r"anadir|ademas de|junto con)\b"
)
# A dose of insulin into a vein above this (units) is one of ten, or is for poisoning.
_INSULIN_IV = 20.0
_DILUTED = {"infusion", "perfusion", "infuse", "syringe", "pump", "bomba", "ml", "per", "hour"}
_POISONING = {"poisoning", "overdose", "intoxication", "intoxicacion", "sobredosis"}
# What is said of a drug that opens its sentence, and of "it" in the next one.
# Kinds of cues that say how an action orders as a whole.
_OF_THE_ACTION = "of_the_action_"
# A heading has at most this many words before the drug.
_HEADING = 4
_ARTICLES = frozenset(("the", "any", "el", "la", "los", "las", "al"))
_RULED_OUT = re.compile(
    r"^(?:(?:is|are|stays?|remains?|es|son|esta|queda|sigue) )?(?:\w+ )?(?:out of the question"
    r"|off the (?:table|list|menu)|off limits|not an option|no option|ruled out|(?:a )?no go"
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
# What tells how much of a drug a volume holds, and a volume in which it is only dissolved.
_STRENGTH = re.compile(
    r"%|per ?cent|por ciento|\b1 ?(?::|in) ?1[.,]?0|/ ?ml\b|\b(?:per|por) ml\b|/ ?\d+ ?ml\b",
    re.IGNORECASE,
)
_VOLUME_OF = re.compile(r"\bml (?:of|de) (\w+)")
_DILUENT = re.compile(
    r"\b(?:in|into|with|to|per|en|con) (?:\w+ )?\d+(?:\.\d+)? ?(?:ml|l|litres?)\b"
)
# Of children below 12 years; a weight in kg, where it is known.
CHILD, WEIGHT = "child_12", "weight_kg:"
# A drug named for a measurement ("digoxin level") or for a disease is not recommended.
_NOT_A_DRUG_BEFORE = {
    *("level", "levels", "concentration", "concentrations", "induced", "resistance"),
    # "because of the penicillin anaphylaxis"
    *("anaphylaxis", "allergy", "allergies", "hypersensitivity", "intolerance", "reaction"),
    # "digoxin-specific antibody fragments", "digoxin immune fab": what is given against it
    *("specific", "antibody", "antibodies", "immune", "fab", "poisoning", "toxicity", "toxic"),
}
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
_CHOOSES = frozenset(("or", "either", "o", "such", "alternatively"))
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
_EXAMPLES = {"such", "as", "including", "like", "example", "for", "por", "ejemplo", "como"}
_BRACKETS = re.compile(r"\(([^()]{3,80})\)")
_FOR_EXAMPLE = re.compile(r"\b(?:e\.g\.|i\.e\.|p\. ?ej\.)", re.IGNORECASE)
_BY = {"with", "by", "to", "for", "por"}
_LATER = {"once", "when", "after", "until", "cuando", "tras", "hasta", "despues"}
_OFTEN = {"a", "daily", "weekly", "nightly", "per", "every", "each", "in", "only"}  # behind "once"
_DENYING = {"no", "not", "without", "never", "sin", "instead", "skip", "before"}
_RECOVERS = {"falls", "fall", "improves", "recovers", "resolves", "normalizes", "below", "normal"}
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
# How a Spanish recommendation names what was checked.
_IN_SPANISH: Mapping[str, tuple[str, ...]] = {
    "allergy": ("alergia", "alergias", "alergico"),
    "allergies": ("alergia", "alergias"),
    "sulfonamide": ("sulfamida", "sulfamidas", "sulfas"),
    "penicillin": ("penicilina", "penicilinas"),
    "potassium": ("potasio", "kaliemia", "potasemia"),
    "sodium": ("sodio", "natremia"),
    "renal": ("renal", "filtrado", "riñon", "creatinina"),
    "kidney": ("renal", "filtrado", "riñon"),
    "egfr": ("filtrado", "funcion renal"),
    "liver": ("higado", "hepatica", "hepatico", "hepatopatia"),
    "hepatic": ("hepatica", "hepatico"),
    "bleed": ("sangrado", "hemorragia", "sangra"),
    "bleeding": ("sangrado", "hemorragia"),
    "pregnancy": ("embarazo", "embarazada", "gestacion"),
    "pregnant": ("embarazada", "embarazo"),
    "breast": ("lactancia",),
    "breastfeeding": ("lactancia",),
    "interaction": ("interaccion", "interacciones"),
    "qt": ("qtc",),
    "age": ("edad",),
    "child": ("niño", "edad"),
    "asthma": ("asma",),
    "hypotension": ("hipotension", "tension arterial"),
    "blood pressure": ("presion arterial", "tension arterial"),
    "hypertension": ("hipertension",),
    "glucose": ("glucosa", "glucemia"),
    "platelets": ("plaquetas",),
    "platelet": ("plaquetas",),
    "surgery": ("cirugia",),
    "stroke": ("ictus",),
    "heart failure": ("insuficiencia cardiaca",),
    "seizure": ("convulsiones", "epilepsia"),
    "glaucoma": ("glaucoma",),
    "digoxin": ("digoxina",),
    "warfarin": ("warfarina", "acenocumarol", "sintrom"),
    "aspirin": ("aspirina", "aas"),
    "antiplatelet": ("antiagregante", "antiagregantes"),
    "anticoagulant": ("anticoagulante", "anticoagulantes"),
    "nsaid": ("aine", "aines"),
    "dose": ("dosis",),
    "dialysis": ("dialisis",),
    "thrombosis": ("trombosis",),
    "infection": ("infeccion",),
    "respiratory": ("respiratoria", "respiratorio"),
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
_NO_SUCH = frozenset(("no", "not", "without", "never", "unnecessary", "needless", "sin", "nunca"))
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
# What excuses the dose beside which it stands, and no other of the action: "5 mg IV, then 50 mg by
# mouth". Behind the last words a reason begins ("50 mg IV, as he cannot take it by mouth").
_OF_ONE_DOSE = frozenset(
    (
        *(("oral",), ("orally",), ("by", "mouth"), ("po",), ("via", "oral"), ("total",)),
        *(("in", "all"), ("24", "hours"), ("per", "day"), ("24", "h")),
    )
)
_ENDS_DOSE = frozenset(
    (
        *("as", "because", "since", "instead", "rather", "than", "not", "no", "cannot", "unable"),
        *("if", "when", "once", "until", "after", "before", "then", ",", "porque", "ya", "pues"),
        *("lugar", "vez", "cuando", "si", "hasta", "tras", "luego", "without", "sin"),
    )
)
# The seeds with words of clinical orders.
_VOCABULARY = (
    *("action_phrases", "assertion_cues", "clinical_actions", "clinical_documents"),
    *("clinical_findings", "clinical_problems", "drug_rules", "drugs", "guideline_expectations"),
    *("lab_tests", "order_limits", "red_flags", "scope_terms", "scope_disambiguation"),
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


@dataclass(frozen=True)
class Rule:
    """A row of drug_rules: what forbids a drug or class, or must be named when it is given."""

    drug: str
    present: Condition
    against: str
    phrases: tuple[str, ...]
    seriousness: str
    kind: str
    safe_with: tuple[tuple[str, ...], ...]
    source: str
    doses: DoseLimits | None


@dataclass(frozen=True)
class Problem:
    """What speaks against a recommended drug. seriousness: absolute, interaction, caution, note,
    or not_checked. action: its number, from 1."""

    drug: str
    against: str
    seriousness: str
    action: int
    phrases: tuple[str, ...] = ()
    kind: str = ""
    source: str = ""


@dataclass(frozen=True)
class _Text:
    """A text of a recommendation, read once: its words, the drugs it names and those it gives, how
    it orders them as a whole, and whether they are choices."""

    tokens: tuple[str, ...]
    named: frozenset[str]
    recommended: frozenset[str]
    ordered: frozenset[str]
    has_choices: bool

    @classmethod
    def of(cls, text: str, mentions: Sequence[Named], lexicon: Lexicon) -> _Text:
        tokens = tuple(words(text))
        plain = " ".join(tokens)
        told = {
            ORDER + kind.removeprefix(_OF_THE_ACTION)
            for kind in lexicon.kinds(_OF_THE_ACTION)
            if lexicon.pattern(kind).search(plain)
        }
        return cls(
            tokens,
            frozenset(mention.concept for mention in mentions),
            frozenset(mention.concept for mention in mentions if mention.affirmed),
            frozenset(told | of_the_action(plain)),
            bool(_CHOOSES & set(tokens) or _AT_DISCHARGE.search(text)),
        )


class DrugBook:
    """The drugs of the seeds: their names, classes, rules and doses."""

    def __init__(self, tables: Mapping[str, Sequence[Row]], cues: Cues) -> None:
        self._cues, self._tables = cues, tables
        # the checks of one recommendation read each of its texts many times
        self._kept_names = lru_cache(maxsize=8192)(self._named)
        self._kept_spans = lru_cache(maxsize=8192)(self._find_spans)
        self._lexicon = Lexicon(tables["assertion_cues"])
        self._reactions = Reactions(self._lexicon)
        self._phrases: dict[tuple[str, ...], Phrases] = {}
        rows = tables["drugs"]
        self.classes = {row["drug"]: row for row in rows if row["kind"] != "drug"}
        self.drugs = {row["drug"]: row for row in rows if row["kind"] == "drug"}
        self._check_names(tables)
        self.rules: dict[str, list[Rule]] = defaultdict(list)
        for row in tables["drug_rules"]:
            self.rules[row["drug"]].append(
                Rule(
                    row["drug"],
                    Condition.read(row["present_when"]),
                    row["against"],
                    _in_both_languages(names(row["check_phrases"])),
                    row["seriousness"],
                    row["kind"],
                    tuple(tuple(words(text)) for text in names(row["safe_with"])),
                    row["source"],
                    DoseLimits.read(row["doses"] or "", row["drug"]),
                )
            )
        self._limits = {
            drug: DoseLimits.read(row["doses"] or "", drug)
            for drug, row in {**self.classes, **self.drugs}.items()
        }
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

    def _spans(self, tokens: Sequence[str]) -> Sequence[tuple[str, int, int]]:
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
            spans = self._spans(tokens)
            if not spans:
                continue
            listed = list(tokens)
            cues = self._cues.marked(listed)
            is_move = bool((REPLACING | _MOVING) & set(tokens))
            clause_mentions: list[Named] = []
            for concept, start, end in reversed(spans):
                if end < len(tokens) and tokens[end] in _NOT_A_DRUG_BEFORE:
                    continue
                denied = (
                    is_denied(listed, cues, start, end)
                    or (is_move and _is_replaced(tokens, start, end))
                    or is_stopped_behind(tokens, start, end)
                    or is_ended(tokens, start, end)
                    or _is_avoided(tokens, start, end, following)
                    or _is_a_reason(tokens, start)
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
            covered = sum(end - start for _, start, end in self._spans(tokens))
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
        return [
            word
            for word in dict.fromkeys(candidates)
            if not {word, word.removesuffix("s")} & self._lexicon.words("not_a_drug")
            and not self._is_name(word)
        ]

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

    @cached_property
    def _inner_words(self) -> set[str]:
        return {
            word
            for options in self._by_first.values()
            for name, _ in options
            for word in name[1:]
            if len(word) > 3
        }

    def taken(self, patient: Patient) -> set[str]:
        """What the patient takes, as `takes:` findings; `unread:` for an entry not understood."""
        findings: set[str] = set()
        for number, text in enumerate(patient.medications, 1):
            mentions = self.named(text)
            if not mentions and not _NO_ALLERGY.match(text.strip().lower()):
                findings.add(f"{UNREAD}medication {number}")
            findings |= self._takes(mentions)
        for note in [*patient.notes, *patient.conditions]:
            findings |= self._takes(
                [
                    mention
                    for mention in self.named(of_the_patient(note))
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
        if _TAKING & before:
            return not _is_no_longer_taken(mention)
        if self._lexicon.words("overdosed_of") & before:
            return not _NOT_ALLERGIC & before
        was_given = self._lexicon.words("given_once") & before
        return bool(was_given and self._lexicon.words("lately") & (before | behind))

    def _takes(self, mentions: Sequence[Named]) -> set[str]:
        return {
            TAKES + name
            for mention in mentions
            if mention.affirmed
            for name in self.closures[mention.concept]
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
                concept for tokens in clauses(text) for concept, _, _ in self._spans(tokens)
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
        return self._reactions.to(tokens, self._spans(tokens), self.closures)

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
            spans = self._spans(tokens)
            plain = " ".join(tokens)
            for match in cue.finditer(plain):
                if _OF_ANOTHER.search(match[0]) and not self.named(match[0]):
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
            for name in self.closures[drug]
            if self.classes.get(name, {}).get("kind") == "cross_reactive_class"
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
            spans = self._spans(tokens)
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
        spans = self._spans(tokens)
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
            return {INTOLERANCE + name for concept in concepts for name in self.closures[concept]}
        for concept in concepts:
            crossing = {
                name
                for name in self.closures[concept]
                if name == concept
                or self.classes.get(name, {}).get("kind") == "cross_reactive_class"
            }
            findings |= {ALLERGY + name for name in crossing}
            if about & _MILD and not severe:
                findings |= {MILD + name for name in crossing}
        return findings

    def problems(
        self, texts: Sequence[str], findings: Collection[str], *, is_whole: bool = False
    ) -> list[Problem]:
        """Everything that speaks against the drugs recommended in `texts`, for a patient with these
        findings (which include `takes:`, `allergy:` and `unread:`). is_whole: `texts` are all of a
        recommendation, so that what none of them stops goes on."""
        named = [self.named(text) for text in texts]
        read = [
            _Text.of(text, mentions, self._lexicon)
            for text, mentions in zip(texts, named, strict=True)
        ]
        every = words(". ".join(texts))
        # what a text without a drug says of monitoring is said of the drugs of all others
        unwatched = {UNMONITORED for text in read if not text.named and UNMONITORED in text.ordered}
        stopped = {
            TAKES + member
            for mentions in named
            for mention in mentions
            if not mention.affirmed
            for member in self._stopped_with(mention.concept)
        }
        problems: list[Problem] = []
        watched = {UNWATCHED} | self._later(named) if is_whole else set()
        watched |= unwatched
        if self._overlaps(named, set(findings), " . ".join(" ".join(words(t)) for t in texts)):
            watched |= {OVERLAP}
        for number, mentions in enumerate(named, 1):
            for mention in mentions:
                if not mention.affirmed:
                    problems += self._stopped(mention, number, set(findings))
                    continue
                if self._runs_out(mention):
                    problems += self._stopped(mention, number, set(findings))
                together = self._given_together(read, number, mention)
                present = self._present(findings, mention.concept) - stopped
                seen, present = set(findings) | watched, present | watched
                problems += self._against(
                    mention, number, read[number - 1], every, seen, present, together
                )
                problems += self._from_the_other_side(mention, number, set(findings), stopped)
                problems += self._doses(mention, number, findings)
                problems += self._volume(mention, texts[number - 1], number)
            problems += [
                Problem(word, "it is not in the knowledge base", "not_checked", number)
                for word in self.unknown_drugs(texts[number - 1])
            ]
            problems += self._twice(mentions, texts[number - 1], number)
        if is_whole:
            problems += self._kept(named, set(findings))
        if any(
            mention.affirmed and self.needs_check(mention.concept) for m in named for mention in m
        ):
            problems += [
                Problem(
                    name.removeprefix(UNREAD), "it is not in the knowledge base", "not_checked", 0
                )
                for name in sorted(findings)
                if name.startswith(UNREAD)
            ]
        return list(dict.fromkeys(problems))

    def _present(self, findings: Collection[str], concept: str) -> set[str]:
        """The findings without `takes:` of the drug itself: to continue it adds no second."""
        taken = {name.removeprefix(TAKES) for name in findings if name.startswith(TAKES)}
        named = self._narrowest(taken)
        others = {TAKES + above for name in named - {concept} for above in self.closures[name]}
        return {name for name in findings if not name.startswith(TAKES)} | others

    def _narrowest(self, taken: set[str]) -> set[str]:
        """The drugs that are taken, and the classes of which no drug is named."""
        return {
            name
            for name in taken
            if name in self.drugs or not (self.members[name] - {name}) & taken
        }

    def _stopped_with(self, concept: str) -> set[str]:
        members = self.members.get(concept, frozenset({concept}))
        if concept in self.drugs:
            return set(self.closures[concept])
        return set(members) | set(self.closures[concept])

    def _given_together(self, texts: Sequence[_Text], number: int, mention: Named) -> set[str]:
        """`takes:` findings of the other drugs that the recommendation gives."""
        own = mention.concept
        others: set[str] = set()
        for other_number, text in enumerate(texts, 1):
            # of several choices in another action it is the one that is taken
            if text.has_choices and (
                other_number == number or any(self.are_related(own, o) for o in text.named)
            ):
                continue
            others |= {other for other in text.recommended if not self.are_related(own, other)}
        return {TAKES + name for other in others for name in self.closures[other]}

    def _against(
        self,
        mention: Named,
        number: int,
        text: _Text,
        every: Sequence[str],
        findings: set[str],
        present: set[str],
        together: set[str],
    ) -> Iterator[Problem]:
        """What speaks against one drug of the action `number`; every: the words of all of them."""
        tokens = text.tokens
        ordered = self.circumstances(mention) | text.ordered
        findings, present = findings | ordered, present | ordered
        yield from self._misrouted(mention, number, ordered)
        is_new = TAKES + mention.concept not in findings
        is_unadapted = f"{ORDER}unadapted" in ordered
        for name in sorted(self.closures[mention.concept]):
            if ALLERGY + name in present:
                yield Problem(
                    mention.concept,
                    f"allergy to {name.replace('_', ' ')}",
                    "absolute",
                    number,
                    ("allergy", "allergies", name.replace("_", " ")),
                    "allergy",
                )
            for rule in self.rules.get(name, ()):
                seen = findings if rule.kind == "washout" or rule.doses else present
                holds = rule.present.holds(seen)
                if not holds and not (together and rule.present.holds(seen | together)):
                    continue
                if UNWATCHED in rule.present.names:
                    is_safe = any(_is_told(every, phrase) for phrase in rule.safe_with)
                else:
                    of_all = [p for p in rule.safe_with if not (rule.doses and p in _OF_ONE_DOSE)]
                    is_safe = any(_contains(tokens, phrase) for phrase in of_all)
                if is_safe:
                    continue
                if rule.doses and not any(
                    rule.doses.breaks(dose)
                    for dose in self._doses_of(mention)
                    if not _is_excused(mention.tokens, dose, rule.safe_with)
                ):
                    continue
                if self._is_deferred(mention, rule.phrases):
                    continue
                is_left_so = is_unadapted and rule.kind == "interaction" and (is_new or not holds)
                yield Problem(
                    mention.concept,
                    rule.against if holds else f"{rule.against} (recommended together)",
                    "absolute" if is_left_so else rule.seriousness,
                    number,
                    rule.phrases,
                    rule.kind,
                    rule.source,
                )

    def _from_the_other_side(
        self, mention: Named, number: int, findings: set[str], stopped: set[str]
    ) -> Iterator[Problem]:
        """What forbids a drug that the patient takes beside the one that is new: a rule of apixaban
        against phenytoin speaks against phenytoin for whoever takes apixaban."""
        own = {TAKES + name for name in self.closures[mention.concept]}
        if TAKES + mention.concept in findings:
            return
        taken = {name for name in findings - stopped if name.startswith(TAKES)}
        for drug in sorted(self._narrowest({name.removeprefix(TAKES) for name in taken})):
            for rule in [r for n in sorted(self.closures[drug]) for r in self.rules.get(n, ())]:
                if rule.kind != "interaction" or rule.seriousness != "absolute" or rule.doses:
                    continue
                if any(name.startswith(ORDER) for name in rule.present.names):
                    continue
                is_new = rule.present.holds(findings | own) and not rule.present.holds(findings)
                if not is_new or any(_contains(mention.tokens, safe) for safe in rule.safe_with):
                    continue
                yield Problem(
                    mention.concept,
                    f"{drug}: {rule.against}",
                    rule.seriousness,
                    number,
                    rule.phrases,
                    rule.kind,
                    rule.source,
                )

    def _overlaps(self, named: Sequence[Sequence[Named]], findings: set[str], text: str) -> bool:
        """Whether a heparin goes beside a vitamin K antagonist until the INR is high enough, and no
        third anticoagulant beside them."""
        drugs = {m.concept for mentions in named for m in mentions if m.affirmed}
        drugs |= {name.removeprefix(TAKES) for name in findings if name.startswith(TAKES)}
        thinning = {c for c in drugs & self.drugs.keys() if "anticoagulant" in self.closures[c]}
        kinds = {
            kind
            for concept in thinning
            for kind in ("vitamin_k_antagonist", "heparins")
            if kind in self.closures[concept]
        }
        return len(thinning) == len(kinds) == 2 and ends_by_inr(text)

    def _later(self, named: Sequence[Sequence[Named]]) -> set[str]:
        """`later:` findings of the drugs that the recommendation gives only after others, and
        nowhere at once."""
        late: set[str] = set()
        at_once: set[str] = set()
        for mention in (m for mentions in named for m in mentions if m.affirmed):
            spans = self._spans(mention.tokens)
            until = min((s for _, s, _ in spans if s >= mention.end), default=len(mention.tokens))
            is_late = is_given_later(mention.tokens, mention.start, mention.end, until)
            (late if is_late else at_once).update(self.closures[mention.concept])
        return {LATER + name for name in late - at_once}

    def _twice(self, mentions: Sequence[Named], text: str, number: int) -> Iterator[Problem]:
        """A drug that one action gives under two names, one beside the other."""
        by_drug: dict[str, list[Named]] = defaultdict(list)
        for mention in mentions:
            if mention.concept in self.drugs:
                by_drug[mention.concept].append(mention)
        for drug, same in by_drug.items():
            written = {mention.tokens[mention.start : mention.end] for mention in same}
            are_given = [mention for mention in same if mention.affirmed]
            has_doses = len(re.findall(rf"{_DOSED}", text.lower())) >= len(written)
            if (
                len(written) > 1
                and are_given
                and (_ADDED.search(text.lower()) or (has_doses and len(are_given) > 1))
            ):
                yield Problem(
                    drug,
                    "the same drug under two names",
                    "absolute",
                    number,
                    ("duplicate",),
                    "interaction",
                    "WHO 2014, High 5s: medication reconciliation",
                )

    def _kept(self, named: Sequence[Sequence[Named]], findings: set[str]) -> Iterator[Problem]:
        """What the patient takes, must not go on with, and no action names."""
        touched = {
            concept
            for mentions in named
            for mention in mentions
            for concept in (*self.closures[mention.concept], *self.members.get(mention.concept, ()))
        }
        for name in sorted(findings):
            drug = name.removeprefix(TAKES)
            if not name.startswith(TAKES) or drug not in self.drugs or drug in touched:
                continue
            for concept in sorted(self.closures[drug]):
                for rule in self.rules.get(concept, ()):
                    if KEPT in rule.present.names and rule.present.holds(findings | {KEPT}):
                        yield Problem(
                            drug,
                            rule.against,
                            rule.seriousness,
                            0,
                            rule.phrases,
                            rule.kind,
                            rule.source,
                        )

    def _misrouted(self, mention: Named, number: int, ordered: set[str]) -> Iterator[Problem]:
        """A drug into the cerebrospinal fluid or the epidural space that is not made for it."""
        if f"{ORDER}iv" in ordered and _BY_MOUTH & set(mention.tokens):
            yield Problem(
                mention.concept,
                "a form for the mouth into a vein",
                "absolute",
                number,
                ("route",),
                "route",
                "ISMP: oral medicines given by the wrong route",
            )
        if f"{ORDER}crushed_release" in ordered and mention.concept in self.drugs:
            yield Problem(
                mention.concept,
                "a tablet of slow release that is crushed: the whole dose at once",
                "absolute",
                number,
                ("crush",),
                "route",
                "ISMP: oral dosage forms that should not be crushed",
            )
        if f"{ORDER}nebulized" in ordered and not self.closures[mention.concept] & _NEBULIZED:
            yield Problem(
                mention.concept,
                "nebulised: it is not made for that",
                "absolute",
                number,
                ("nebulised", "route"),
                "route",
                "BNF: nebulised preparations",
            )
        for route in ("intrathecal", "epidural"):
            own_rule = any(
                f"order:{route}" in rule.present.names
                for name in self.closures[mention.concept]
                for rule in self.rules.get(name, ())
            )
            is_meant = own_rule or self.closures[mention.concept] & _SPINAL
            if f"order:{route}" in ordered and not is_meant:
                yield Problem(
                    mention.concept,
                    f"{route} route",
                    "absolute",
                    number,
                    (route, "route"),
                    "route",
                    "BNF: intrathecal and epidural use",
                )

    def circumstances(self, mention: Named) -> set[str]:
        """The `order:` findings of a mention."""
        spans = self._spans(mention.tokens)
        until = min((s for _, s, _ in spans if s >= mention.end), default=len(mention.tokens))
        since = max((e for _, _, e in spans if e <= mention.start), default=0)
        ordered = circumstances(mention.tokens, mention.start, mention.end, until, since)
        is_stopped = self.is_swapped_for_another_kind(mention) or self._runs_out(mention)
        own = " ".join(mention.tokens[since:until])
        is_preventive = self._lexicon.pattern("against_arrhythmia").search(own)
        return (
            ordered
            | ({STOP} if is_stopped else set())
            | ({AGAINST_ARRHYTHMIA} if is_preventive else set())
        )

    def _runs_out(self, mention: Named) -> bool:
        """Whether a drug is left to end by itself: "let the epoprostenol run out"."""
        around = mention.tokens[max(0, mention.start - 6) : mention.end + 8]
        match = self._lexicon.pattern("runs_out").search(" ".join(around))
        if match is None:
            return False
        before = " ".join(around)[: match.start()].split()[-6:]
        return not {"never", "not", "don", "nunca", "avoid", "before", "antes"} & set(before)

    def is_swapped_for_another_kind(self, mention: Named) -> bool:
        """Whether what replaces a drug is of none of its classes: "swap ticagrelor for
        omeprazole" stops it."""
        if not _is_replaced(mention.tokens, mention.start, mention.end):
            return False
        behind = [c for c, start, _ in self._spans(mention.tokens) if start >= mention.end]
        own = self.closures[mention.concept]
        return bool(behind) and not any(own & self.closures[concept] for concept in behind)

    def speaks_against(self, concept: str, findings: Collection[str]) -> bool:
        """Whether an allergy or any rule speaks against a drug that the patient takes."""
        present = self._present(findings, concept)
        above = self.closures[concept]
        return any(
            ALLERGY + name in present
            or INTOLERANCE + name in present
            or any(
                rule.doses is None and rule.present.holds(present)
                for rule in self.rules.get(name, ())
            )
            for name in above
        )

    def _stopped(self, mention: Named, number: int, findings: set[str]) -> Iterator[Problem]:
        """What speaks against stopping a drug."""
        ordered = self.circumstances(mention)
        if STOP not in ordered:
            return
        is_swapped = self.is_swapped_for_another_kind(mention)
        for name in sorted(self.closures[mention.concept]):
            for rule in self.rules.get(name, ()):
                if STOP not in rule.present.names or not rule.present.holds(findings | ordered):
                    continue
                safe = {
                    phrase
                    for phrase in rule.safe_with
                    if not (is_swapped and REPLACING & set(phrase))
                }
                # "stop hydrocortisone" does not name what replaces it
                others = (*mention.tokens[: mention.start], "", *mention.tokens[mention.end :])
                offered = _without_denied(others)
                if not any(_contains(offered, phrase) for phrase in safe):
                    yield Problem(
                        mention.concept,
                        rule.against,
                        rule.seriousness,
                        number,
                        rule.phrases,
                        rule.kind,
                        rule.source,
                    )

    def _doses(self, mention: Named, number: int, findings: Collection[str]) -> Iterator[Problem]:
        limits = self._limits.get(mention.concept)
        if limits is None:
            return
        weight = next(
            (float(name.removeprefix(WEIGHT)) for name in findings if name.startswith(WEIGHT)), None
        )
        elsewhere = {f"{ORDER}oral", f"{ORDER}im", f"{ORDER}subcutaneous", f"{ORDER}nebulized"}
        is_into_a_vein = bool(limits.speeds) and not self.circumstances(mention) & elsewhere
        if weight and (wrong := limits.does_not_fit(list(self._doses_of(mention)), weight)):
            yield Problem(mention.concept, wrong, "absolute", number, (), "dose")
        for dose in self._doses_of(mention):
            # a mist is breathed in the same dose at any age
            is_mist = self._is_mist(mention)
            if CHILD in findings and not is_mist and not limits.fits_a_child(dose, weight):
                yield Problem(
                    mention.concept,
                    f"the dose {dose.written} is an adult's, the patient is a child",
                    "absolute" if weight and limits.per_kg else "not_checked",
                    number,
                    kind="dose",
                )
            elif reason := limits.complaint(dose) or (
                limits.too_much_for(dose, weight) if weight and CHILD not in findings else ""
            ):
                yield Problem(mention.concept, reason, "absolute", number, (), "dose")
            elif mention.concept == "insulin" and self._is_too_much_insulin(mention, dose):
                yield Problem(
                    mention.concept,
                    f"the dose {dose.written} into a vein is above the limit",
                    "absolute",
                    number,
                    (),
                    "dose",
                    "UK Kidney Association hyperkalaemia guideline 2023",
                )
            elif reason := limits.too_fast(dose, weight) if is_into_a_vein else "":
                yield Problem(mention.concept, reason, "absolute", number, (), "dose")
            elif limits.is_unusual(dose):
                yield Problem(
                    mention.concept,
                    f"the dose {dose.written} is above the usual one",
                    "caution",
                    number,
                    ("above the usual", "high dose", "usual dose", "resistance"),
                    "dose",
                )

    def _volume(self, mention: Named, text: str, number: int) -> Iterator[Problem]:
        """A dose that is a volume alone, without a strength: how much of the drug it holds is not
        known, and for insulin it is a hundredfold error (NPSA 2010/RRR013)."""
        limits = self._limits.get(mention.concept)
        doses = list(self._doses_of(mention))
        if limits is None or any(name.startswith("ml") for name in limits.ranges):
            return
        is_volume = bool(doses) and all(dose.dimension.startswith("ml") for dose in doses)
        clause = " ".join(mention.tokens)
        if not is_volume or _STRENGTH.search(text) or _DILUENT.search(clause):
            return
        # "noradrenaline and 500 mL of crystalloid"
        own = mention.tokens[mention.start : mention.end]
        if any(match[1] not in own for match in _VOLUME_OF.finditer(clause)):
            return
        is_insulin = mention.tokens[mention.start].startswith("insulin")
        is_insulin = is_insulin or mention.concept.startswith("insulin")
        yield Problem(
            mention.concept,
            f"the dose {doses[0].written} is a volume without a strength",
            "absolute" if is_insulin else "not_checked",
            number,
            ("volume",),
            "dose",
            "NPSA 2010/RRR013: safer administration of insulin",
        )

    def _is_mist(self, mention: Named) -> bool:
        """Whether a drug is breathed in; "nebulised" may stand beside the other one of two
        ("nebulised salbutamol with ipratropium")."""
        ordered = self.circumstances(mention)
        if f"{ORDER}nebulized" in ordered:
            return True
        is_inhaled = bool(self.closures[mention.concept] & _BRONCHODILATORS)
        elsewhere = {f"{ORDER}iv", f"{ORDER}oral", f"{ORDER}subcutaneous"}
        return is_inhaled and not ordered & elsewhere and bool(_MIST & set(mention.tokens))

    def _doses_of(self, mention: Named) -> Iterator[Dose]:
        spans = [(start, end) for _, start, end in self._spans(mention.tokens)]
        return doses_of(mention.tokens, spans, (mention.start, mention.end))

    def _is_too_much_insulin(self, mention: Named, dose: Dose) -> bool:
        """Whether insulin is pushed into a vein above what hyperkalaemia or ketoacidosis takes; a
        syringe of 50 units in 50 ml is an infusion."""
        ordered, around = self.circumstances(mention), set(mention.tokens)
        is_pushed = f"{ORDER}bolus" in ordered or f"{ORDER}push" in ordered
        is_pushed = is_pushed or (f"{ORDER}iv" in ordered and not around & _DILUTED)
        above = dose.dimension == "units" and dose.amount > _INSULIN_IV * 1.001
        return is_pushed and above and not around & _POISONING

    def _is_deferred(self, mention: Named, phrases: Sequence[str]) -> bool:
        """Whether the drug is to be given only once what speaks against it is over."""
        rest = mention.tokens[mention.end :]
        if {"before", "antes"} & set(mention.tokens[max(0, mention.start - 3) : mention.start]):
            return self.phrases_in(phrases, " ".join(mention.tokens[: mention.start]))
        at = next(
            (
                n
                for n, token in enumerate(rest)
                if token in _LATER and not (token == "once" and _OFTEN & set(rest[n + 1 : n + 2]))
            ),
            None,
        )
        if at is None and "if" in rest and _RECOVERS & set(rest[rest.index("if") :]):
            at = rest.index("if")
        return at is not None and self.phrases_in(phrases, " ".join(rest[at:]))

    def are_related(self, first: str, other: str) -> bool:
        """Whether one is the other, or a member of it."""
        return other in self.closures[first] or first in self.closures[other]

    def phrases_in(self, phrases: Sequence[str], text: str) -> bool:
        """Whether a text has any of the phrases."""
        key = tuple(phrases)
        if key not in self._phrases:
            self._phrases[key] = Phrases([("it", phrase) for phrase in key], Cues([], "action"))
        return bool(key) and bool(self._phrases[key].mentions(text))

    def considered(self, concept: str) -> list[str]:
        """What the rules of a drug look for, by name."""
        rules = [
            rule for name in sorted(self.closures[concept]) for rule in self.rules.get(name, ())
        ]
        own = f"allergy to {concept.replace('_', ' ')} or its class"
        return list(dict.fromkeys([own, *(rule.against for rule in rules)]))


def _in_both_languages(phrases: Sequence[str]) -> tuple[str, ...]:
    """What must be among what was checked, with its Spanish names."""
    spanish = [name for phrase in phrases for name in _IN_SPANISH.get(phrase, ())]
    return tuple(dict.fromkeys([*phrases, *spanish]))


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


def _is_a_reason(tokens: Sequence[str], start: int) -> bool:
    """Whether a drug is why something is done, and not what is given: "because of her
    methotrexate", "por interacción con warfarina"."""
    before = list(tokens[max(0, start - _REASON_REACH) : start])
    while before and before[-1] in _OWNING:
        before.pop()
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
    if not behind or behind[0] not in _AVOID:
        return False
    # "ACE inhibitor. Avoid in pregnancy" is a sentence about others
    is_of_others = behind is following and behind[1:2] and behind[1] in ("in", "if", "en", "si")
    if is_of_others and not {"this", "este", "esta"} & set(behind[2:3]):
        return False
    return len(behind) == 1 or behind[1] in _REASONS


def _is_replaced(tokens: Sequence[str], start: int, end: int) -> bool:
    """Whether the drug stands between "replace" or "switch from" and what replaces it."""
    if _MOVING & set(tokens[:start]) and tokens[start - 1] in _FROM:
        return bool((_BY | {"a"}) & set(tokens[end:]))
    if not REPLACING & set(tokens[:start]):
        return False
    verb = max(n for n in range(start) if tokens[n] in REPLACING)
    return not _BY & set(tokens[verb + 1 : start]) and bool(_BY & set(tokens[end:]))


def _is_excused(tokens: Sequence[str], dose: Dose, safe: Sequence[tuple[str, ...]]) -> bool:
    """Whether a dose is told to be of another route, or the sum of several."""
    behind: list[str] = []
    for at in range(dose.end, min(dose.end + 8, len(tokens))):
        # "24 hours" tells of this dose, another number begins the next
        is_next = tokens[at] in _ENDS_DOSE or tokens[at][0].isdigit()
        if is_next and tuple(tokens[at : at + 2]) not in _OF_ONE_DOSE:
            break
        behind.append(tokens[at])
    around = [*tokens[max(0, dose.start - 2) : dose.start], "", *behind]
    return any(phrase in _OF_ONE_DOSE and _contains(around, phrase) for phrase in safe)


def _is_told(tokens: Sequence[str], phrase: Sequence[str]) -> bool:
    """Whether a phrase stands somewhere without a denial before it ("no APTT needed")."""
    width = len(phrase)
    return any(
        tuple(tokens[n : n + width]) == tuple(phrase)
        and not _DENYING & set(tokens[max(0, n - 3) : n])
        for n in range(len(tokens) - width + 1)
    )


def _without_denied(tokens: Sequence[str]) -> tuple[str, ...]:
    """The tokens without those that are denied: "no taper is called for", "tapering is not
    needed"."""
    return tuple(
        token
        for at, token in enumerate(tokens)
        if not _NO_SUCH & {*tokens[max(0, at - 2) : at], *tokens[at + 1 : at + 3]}
    )


def _contains(tokens: Sequence[str], phrase: Sequence[str]) -> bool:
    width = len(phrase)
    return any(
        tuple(tokens[n : n + width]) == tuple(phrase) for n in range(len(tokens) - width + 1)
    )
