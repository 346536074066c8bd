"""What a Spanish stem asks for, by its grammar: the noun after the question word, and the topic of
statements. Texts are folded (`rule_text`)."""

import re

# Words between a question word and the noun that is asked for: "¿cuál de las siguientes es la ...?"
_BETWEEN = re.compile(
    r"[\s,:(]*(?:(?:de|entre)\s+)?(?:"
    r"l[ao]s?|el|un[ao]?s?|sus?|est[aeo]s?|nuestr[ao]s?|dich[ao]s?|otr[ao]s?|siguientes?"
    r"|cual(?:es)?|que|es|son|era|fue|sera|serian?|ha sido|puede ser|podrian? ser|deberi?a? ser"
    r"|debe ser|cree(?:ria)?"
    r"|(?:se )?considera\w*|(?:le|te|nos) parece\w*|piensa|opina|usted|indicad[ao]s? a continuacion"
    r"|tipos? de|clases? de|mas|men(?:os|or(?:es)?)|primer[ao]?|mejor(?:es)?|peor|principal(?:es)?"
    r"|posibles?|proxim[ao]|unic[ao]|mayor(?:es)?|verdader[ao]|no|con|probable|frecuente"
    r"|correct[ao]|adecuad[ao]"
    r"|habitual|inicial"
    r")\b(?=\s|,|:)"
)
_QUESTION_WORD = re.compile(r"\b(?:que|cual(?:es)?)\b")
_COMMAND = re.compile(
    r"\b(?:senal|indi[cq]|mar(?:que|ca)|eli[jg]|escoj|seleccion|identifi[cq])\w*"
    r"(?=[\s:,]+(?:cual|el|la|los|las|que|un|una|su)\b)"
)
_ENDS_OPEN = re.compile(
    r"\b(?:es|son|seria|serian|sera|fue|estaria|esta|estan|debe ser|deberia ser|debera ser"
    r"|consiste en|con|a|por|en|de|del|la|el)\s*[:.…]*$"
)
_ARTICLE = re.compile(
    r"(?:el|la|los|las|lo|su|sus|un|una|este|esta|dicho|dicha|nuestro|nuestra|uno)\b"
)
_TOPIC = re.compile(
    r"\b(?:(?:en|con)? ?relacion (?:con|a|al)|(?:con )?respecto (?:de|del|a|al)|en cuanto al?"
    r"|en referencia a|referentes? al?|relativ[ao]s? al?|relacionad[ao]s? con|acerca del?|sobre"
    r"|a proposito del?|en lo (?:referente|que respecta) al?)\b"
)

_LISTED = re.compile(r"\b(?:de|entre|un[ao] de|tod[ao]s?|por) (?:l[ao]s )?siguientes (?=\w)")
_STATEMENT = re.compile(
    r"(?:respuesta|afirmacion|opcion|enunciado|aseveracion|frase|premisa|sentencia|proposicion"
    r"|expresion|correct|incorrect|fals|ciert|erronea|asociacion|descripcion)\w*\b"
    r"(?! (?:terapeutic|diagnostic|de tratamiento))"
)
_IS_TRUE = re.compile(
    r"\b(?:in)?(?:correct|fals|ciert|verdader|erroneo|erronea)[ao]?s?\b"
    r"|\b(?:excepto|salvo|afirmar que)\b"
)


def _after_fillers(text: str) -> str:
    """A phrase from its first noun on."""
    at = 0
    while step := _BETWEEN.match(text, at):
        at = step.end()
    return text[at:].lstrip(" ,:(")


def asked_phrases(stem: str) -> list[str]:
    """The phrases that a Spanish stem asks for, each from its noun on; the last question first.

    "¿Qué prueba de las siguientes realizaría antes de la intervención?" asks for "prueba de las
    siguientes ...", "El tratamiento de elección es:" for "tratamiento ...".
    """
    phrases = []
    for question in reversed(stem.split("¿")[1:]):
        text = question.split("?")[0]
        word = _QUESTION_WORD.search(text)
        phrases.append(_after_fillers(text[word.end() :] if word else text))
    phrases += [_after_fillers(stem[command.end() :]) for command in _COMMAND.finditer(stem)]
    phrases += [_after_fillers(stem[listed.end() :]) for listed in _LISTED.finditer(stem)]
    if not phrases and _ENDS_OPEN.search(stem):
        clause = re.split(r"[.;?!]\s|,\s|:\s", stem.rstrip(" :.…"))[-1].strip()
        if _ARTICLE.match(clause):
            phrases.append(_after_fillers(clause))
    return [phrase for phrase in phrases if phrase]


def statement_topics(stem: str, asked: list[str], vignette: str = "") -> list[str]:
    """What the statements of a stem are about, each from its noun on: "Respecto al tratamiento de
    la gota, señale la falsa" is about "tratamiento de la gota ...". A topic may be the sentence
    before the stem. Empty where no statement is to be judged."""
    if not (any(_STATEMENT.match(phrase) for phrase in asked) or _IS_TRUE.search(stem)):
        return []
    topics = [_after_fillers(stem[topic.end() :]) for topic in _TOPIC.finditer(stem)]
    before = vignette.rstrip(" .").rsplit(". ", 1)[-1]
    if not topics and (topic := _TOPIC.match(before)):
        return [_after_fillers(before[topic.end() :])]
    return topics
