"""Whose an allergy or a medication is that a note tells: the patient's, or a relative's."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Whose allergy a note tells, where it is not the patient's.
RELATIVES = {
    *("mother", "father", "brother", "sister", "son", "daughter", "wife", "husband", "partner"),
    *("aunt", "uncle", "cousin", "grandmother", "grandfather", "parents", "siblings", "twin"),
    *("relative", "relatives", "mum", "mom", "dad", "madre", "padre", "hermano", "hermana"),
    *("hijo", "hija", "esposa", "esposo", "marido", "abuela", "abuelo", "tio", "tia", "prima"),
    *("primo", "familiar", "familiares"),
}
# By these a relative speaks of the patient ("his wife says he is allergic to penicillin").
_SPEAKS = {
    *("says", "said", "reports", "reported", "states", "stated", "tells", "told", "thinks"),
    *("confirms", "confirmed", "believes", "recalls", "he", "she", "they", "patient", "child"),
    *("dice", "refiere", "cuenta", "informa", "recuerda", "paciente", "el", "ella", "too"),
    *("also", "tambien", "or", "per", "according", "segun", "by", "como", "so"),
    *("admits", "admitted", "confesses", "confessed", "reconoce", "reconocio", "confiesa"),
    *("confeso", "admite", "admitio", "comenta", "explica", "conto"),
}
# "when his wife had gone …": what a relative does in a clause that opens a sentence, and who takes
# a drug behind it is another
_OPENS = {"when", "once", "after", "while", "whilst", "as", "since", "with", "cuando", "tras"}
_OPENS |= {"mientras", "al", "apenas", "cuanto", "despues", "nada"}
_OPENING_REACH = 5
# What stands between a relative and the verb of the relative: "when her son had been given …"
_BESIDE_A_VERB = {
    *("had", "has", "have", "was", "is", "been", "being", "were", "got", "also", "just", "still"),
    *("only", "once", "last", "night", "yesterday", "today", "took", "takes", "taking", "taken"),
    *("given", "on", "using", "uses", "used", "prescribed", "receives", "received", "started"),
    *("se", "le", "ha", "habia", "ya", "anoche", "ayer", "hoy", "toma", "tomo", "tomaba"),
    *("tomado", "tomando", "usa", "usaba", "lleva", "estaba", "esta", "con", "en", "a", "an"),
    *("un", "una", "the", "of", "some", "one", "her", "his", "su", "and", "y", "to", "de"),
    *("dose", "dosis", "tablet", "tablets", "pastilla", "comprimido", "allergic", "mg", "the"),
}
_KIN = "|".join(sorted(RELATIVES, key=len, reverse=True))
_OWN = r"(?:(?:in|en|of|de|his|her|the|a|su|la|el|patient'?s|maternal|paternal)\s+)"
# "Mother - penicillin: anaphylaxis", "Family history: penicillin allergy"
_HEADED = re.compile(
    rf"(?:^|(?<=[.;,\n(]))\s*{_OWN}{{0,2}}(?:(?P<kin>{_KIN})(?:'?s)?|family history|fhx?|"
    r"antecedentes familiares)\s*(?::|[–—-]\s|\s[–—-])(?P<text>"
    r"(?:(?!,\s*(?:\w+ )?(?:allerg(?:y|ies)|alergias?)\s*:)[^.;\n])*)",
    re.IGNORECASE,
)
# "Penicillin (mother)", "penicillin: anaphylaxis in her sister", "penicillin - sister had hives"
_TAILED = re.compile(
    rf"(?:^|(?<=[.;,\n]))[^.;,\n]*?(?:\({_OWN}{{0,2}}(?:{_KIN})\)"
    rf"|\b(?:in|en) (?:(?:his|her|the|a|su|la|el) )?(?:\w+ )?(?:{_KIN})\b(?=\W*(?:[.;,\n]|$))"
    rf"|\s[–—-]\s*{_OWN}{{0,2}}(?:{_KIN}) (?:had|has|tuvo)\b[^.;,\n]*)",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:says|said|reports?|reported|states|stated|tells|told|thinks|confirms|confirmed|believes|"
    r"recalls|he|she|they|patient|pt|child|dice|refiere|cuenta|informa|recuerda|paciente|ella)\b",
    re.IGNORECASE,
)
_PREGNANT = re.compile(
    r"\b(?:pregnan|gestat|gravid|post-?partum|puerper|embaraz|gestante)", re.IGNORECASE
)


def of_the_patient(text: str) -> str:
    """A text without what it says under the name of a relative; the mother of an obstetric note is
    the patient. What a relative reports of the patient stays."""
    is_obstetric = _PREGNANT.search(text) is not None

    def kept(match: re.Match[str]) -> str:
        relative = (match.groupdict().get("kin") or "").lower()
        is_patient = is_obstetric and relative in ("mother", "mum", "mom", "madre")
        told = match.groupdict().get("text") or ""
        return match[0] if is_patient or _TOLD.search(told) else " "

    return _TAILED.sub(kept, _HEADED.sub(kept, text))


def is_of_a_relative(tokens: Sequence[str], at: int) -> bool:
    """Whether the allergy at a token is that of a relative: "her mother is allergic to penicillin",
    "penicillin allergy in her sister". In doubt it is the patient's."""
    begin = max((n + 1 for n in range(at) if tokens[n] == ","), default=0)
    before = list(tokens[begin:at])
    relative = next((n for n, token in enumerate(before) if token in RELATIVES), None)
    if relative is not None:
        others = [token for token in before[relative + 1 :] if token not in RELATIVES]
        joined = {"and", "y"} & set(others) and before[-1] not in ("are", "son", "allergic")
        # "found by her son", "told to his wife"
        led = {"by", "to", "with", "from", "por", "con"} & set(
            before[max(0, relative - 2) : relative]
        )
        is_elsewhere = _is_behind_an_opening(before, relative)
        return not joined and not led and not is_elsewhere and not _SPEAKS & set(others)
    following = list(tokens[at + 1 : at + 8])
    return any(
        token in ("in", "en", "of", "de")
        and following[n + 1 : n + 2]
        and bool(RELATIVES & set(following[n + 1 : n + 3]))
        for n, token in enumerate(following)
    )


def _is_behind_an_opening(before: Sequence[str], relative: int) -> bool:
    """Whether the relative did something else in a clause that opens the sentence ("cuando su hija
    salió tomó …"): the subject of what follows is the patient."""
    opening = before[max(0, relative - _OPENING_REACH) : relative]
    others = [
        token
        for token in before[relative + 1 :]
        if token not in _BESIDE_A_VERB | RELATIVES and not token[0].isdigit()
    ]
    return bool(_OPENS & set(opening)) and bool(others)
