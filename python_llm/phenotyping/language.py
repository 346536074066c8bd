"""Which language a note is written in."""

import re

from python_llm.parsing.folding import composed, fold_in_place
from python_llm.phenotyping.text import tokens_of, word_set

LANGUAGES = ("en", "es")
_SPANISH = re.compile("[áéíóúñ¿¡]", re.I)
# words that tell the languages apart: small ones, those for people and ages, and short forms
_COMMON = {
    "en": word_set(
        "the of and with was is has no she he her his for at in to on not since from after today "
        "man woman boy girl male female baby infant newborn year years month months week weeks "
        "day days hours old yo aged denies reports presents well known bp hr rr hx pmh fhx sob "
        "my i it but they"
    ),
    "es": word_set(
        "de la el los las con que y en por del una un se su al sin tras desde hoy hace ahora muy "
        "varon mujer hombre nino nina chico chica sra srta senor senora lactante bebe neonato "
        "adolescente anciano anciana paciente "
        "gestante embarazada no ni ya pero para le puede puedo tiene tengo esta estoy fiebre dolor "
        "cada lleva han ano anos mes meses semana semanas dia dias horas edad refiere niega "
        "acude presenta derivado derivada izq dcha dcho ta fc fr hta epoc erc tto"
    ),
}


def language_of(note: str) -> str:
    """en or es, by the function words among the first 4,000 characters; where these do not tell, by
    the accents of Spanish."""
    words = [token.word for token in tokens_of(fold_in_place(note[:4000]))]
    counts = {code: sum(word in small for word in words) for code, small in _COMMON.items()}
    if counts["en"] == counts["es"]:
        return "es" if _SPANISH.search(composed(note[:4000])) else "en"
    return max(LANGUAGES, key=lambda code: counts[code])
